//! The file, the spool and the drainer.
//!
//! A thread of the agent drains the spool while the JVM runs. The end comes
//! when the process exits, by `exit` in whatever way: only then is the exit
//! status known. If the process is killed instead, the spool stays, and
//! whoever opens the recording next takes from it what is missing.

use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reprise_jvm_events::{CALLS, CALLS_VERSION, TABLES, TABLES_VERSION};
use reprise_probes::pattern::Pattern;
use reprise_recording::manifest::{Host, Text};
use reprise_recording::spool::ring::{RingInfo, RingWriter};
use reprise_recording::spool::{
    Drainer, Spool, SpoolConfig, StdEnvironment, SubjectSpool, spool_path,
};
use reprise_recording::{Closing, CutShort, Ending, Manifest, WriteError, Writer};
use rustix::mm::{MapFlags, ProtFlags};

use super::Session;
use super::limits::Watch;

/// A recording that is being made.
pub(super) struct Recorder {
    /// Where the spool is mapped for the runtime, which never unmaps it.
    pub(super) address: usize,
    ended: Arc<End>,
    drainer: Mutex<Option<JoinHandle<()>>>,
    out: PathBuf,
    only_failures: bool,
}

/// How the run ended, told to the drainer's thread.
#[derive(Default)]
struct End {
    /// The JVM is about to end: it answers no questions any more, but its threads run on.
    near: AtomicBool,
    /// What was there when that was said is taken.
    taken: AtomicBool,
    reached: AtomicBool,
    status: AtomicI32,
    not_recorded: Mutex<Vec<(String, String)>>,
}

impl Recorder {
    /// Creates the recording and its spool, and begins to drain. Returns the
    /// stream for the tables beside it.
    pub(super) fn start(session: &Session) -> Result<(Self, RingWriter<StdEnvironment>), String> {
        let (out, writer) = create(session)?;
        let out = &out;
        let say = |what: &str, error: &dyn std::fmt::Display| {
            format!("cannot {what} for {}: {error}", out.display())
        };
        let config = SpoolConfig {
            dead_after_ms: 5000,
            kinds: vec![
                (CALLS.to_owned(), CALLS_VERSION),
                (TABLES.to_owned(), TABLES_VERSION),
            ],
            ..SpoolConfig::default()
        };
        let spool = Spool::create(out, &config).map_err(|error| say("make the spool", &error))?;
        let drainer =
            Drainer::new(spool, writer).map_err(|error| say("prepare the spool", &error))?;
        let path = spool_path(out);
        let info = RingInfo {
            process: std::process::id(),
            kind: 1,
            table: true,
            name: "tables",
            ..RingInfo::default()
        };
        let tables = SubjectSpool::open(&path)
            .map_err(|error| say("open the spool", &error))?
            .ring(info)
            .ok_or_else(|| say("use the spool", &"no ring was ready"))?;
        let address = map(&path).map_err(|error| say("map the spool", &error))?;
        let ended = Arc::new(End::default());
        let watch = Watch::new(session.options.limits, out);
        let drainer = drain(drainer, ended.clone(), watch)
            .map_err(|error| say("start the drainer", &error))?;
        crate::report::add("out", &out.to_string_lossy());
        let recorder = Self {
            address,
            ended,
            drainer: Mutex::new(Some(drainer)),
            out: out.clone(),
            only_failures: session.options.only_failures,
        };
        Ok((recorder, tables))
    }

    /// Nothing that happens from now on is recorded: the runtime could not find out any more
    /// what it means. Returns when what has happened is safe.
    pub(super) fn end(&self) {
        /// A drainer that takes longer waits for its disk; the program is not to.
        const PATIENCE: Duration = Duration::from_secs(5);
        self.ended.near.store(true, Ordering::Release);
        let since = Instant::now();
        while !self.ended.taken.load(Ordering::Acquire) && since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Ends the recording, once.
    /// A recording that no observed class came into is of no use to anybody.
    pub(super) fn finish(&self, status: i32, not_recorded: Vec<(String, String)>, useless: bool) {
        let drainer = self.drainer.lock();
        let drainer = drainer.unwrap_or_else(PoisonError::into_inner).take();
        let Some(drainer) = drainer else { return };
        if let Ok(mut noted) = self.ended.not_recorded.lock() {
            *noted = not_recorded;
        }
        self.ended.status.store(status, Ordering::Relaxed);
        self.ended.reached.store(true, Ordering::Release);
        // A drainer that panicked has left the spool behind for a recovery.
        let _ = drainer.join();
        let unwanted = self.only_failures && status == 0;
        if (useless || unwanted) && std::fs::remove_file(&self.out).is_ok() {
            let what = if useless { "useless" } else { "discarded" };
            crate::report::add(what, &self.out.to_string_lossy());
        }
    }
}

/// Makes the file. A second JVM of the same command, which only `reprise` can
/// know of, gets a name with a number.
fn create(session: &Session) -> Result<(PathBuf, Writer), String> {
    const MOST: u32 = 1000;
    let wanted = session.options.out.clone().unwrap_or_default();
    let wanted = named(&wanted, std::process::id());
    let manifest = manifest(session);
    let mut out = wanted.clone();
    for number in 2..=MOST {
        let error = match Writer::create(&out, &manifest) {
            Ok(writer) => return Ok((out, writer)),
            Err(error) => error,
        };
        let taken =
            matches!(&error, WriteError::Io(error) if error.kind() == ErrorKind::AlreadyExists);
        if !taken || session.options.report.is_none() || number == MOST {
            return Err(format!(
                "cannot make the file for {}: {error}",
                out.display()
            ));
        }
        let mut name = wanted.file_stem().unwrap_or_default().to_os_string();
        name.push(format!("-{number}"));
        if let Some(extension) = wanted.extension() {
            name.push(".");
            name.push(extension);
        }
        out = wanted.with_file_name(name);
    }
    Err(format!("every name like {} is taken", wanted.display()))
}

/// The name of the file: `%p` is the process, `%%` a percent sign.
pub(super) fn named(template: &Path, process: u32) -> PathBuf {
    let mut name = Vec::new();
    let mut bytes = template.as_os_str().as_bytes().iter();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'%', Some(b'p')) => name.extend_from_slice(process.to_string().as_bytes()),
            (b'%', Some(b'%')) => name.push(b'%'),
            _ => {
                name.push(*byte);
                continue;
            }
        }
        bytes.next();
    }
    OsString::from_vec(name).into()
}

fn drain(mut drainer: Drainer, end: Arc<End>, mut watch: Watch) -> std::io::Result<JoinHandle<()>> {
    let name = "reprise-drainer".to_owned();
    std::thread::Builder::new().name(name).spawn(move || {
        // A failure to write ends the recording, not the program; the closing
        // manifest says so.
        let mut stopped = None;
        let _ = drainer.watch(|drainer| {
            stopped = watch.stops(drainer.events(), drainer.stop_wanted());
            stopped.is_some()
                || end.near.load(Ordering::Acquire)
                || end.reached.load(Ordering::Acquire)
        });
        let _ = drainer.end();
        end.taken.store(true, Ordering::Release);
        if let Some(by) = stopped {
            drainer.cut_short(CutShort::Stopped { by });
            let closing = Closing {
                ending: Ending::Running,
                ended: now(),
                ..Closing::default()
            };
            let _ = drainer.finish(closing);
            return;
        }
        while !end.reached.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(20));
        }
        for (what, why) in end
            .not_recorded
            .lock()
            .iter()
            .flat_map(|noted| noted.iter())
        {
            drainer.note(what, why, 1);
        }
        let status = end.status.load(Ordering::Relaxed);
        let closing = Closing {
            ending: Ending::Exited { status },
            ended: now(),
            ..Closing::default()
        };
        let _ = drainer.finish(closing);
    })
}

/// Maps the whole spool for the Java runtime.
fn map(path: &Path) -> std::io::Result<usize> {
    let file = File::options().read(true).write(true).open(path)?;
    let length = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice touches
    // nothing that Rust knows of; it is never unmapped.
    let address = unsafe {
        rustix::mm::mmap(
            std::ptr::null_mut(),
            length,
            protection,
            MapFlags::SHARED,
            &file,
            0,
        )?
    };
    Ok(address as usize)
}

fn manifest(session: &Session) -> Manifest {
    let property = |name| session.environment.property(name).unwrap_or_default();
    let subject = property(c"sun.java.command");
    let subject = subject.split(' ').next().unwrap_or_default().to_owned();
    let command = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let command = command.strip_suffix(b"\0").unwrap_or(&command);
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let versions = [
        ("reprise", env!("CARGO_PKG_VERSION").to_owned()),
        ("java", session.environment.java_version()),
        ("jvm", property(c"java.vm.name")),
    ];
    Manifest {
        kind: "jvm-observe".to_owned(),
        subject,
        command: command
            .split(|byte| *byte == 0)
            .filter(|argument| !names_agent(argument))
            .map(Text::from)
            .collect(),
        host: Host {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            kernel: kernel.trim().to_owned(),
            cpus: u32::try_from(cpus).unwrap_or(u32::MAX),
        },
        started: now(),
        versions: versions
            .into_iter()
            .map(|(name, version)| (name.to_owned(), version))
            .collect(),
        details: serde_json::json!({
            "observe": session.patterns.iter().map(Pattern::text).collect::<Vec<_>>(),
            "oracle": !session.options.no_oracle,
            "races": session.options.races,
            "builders": session.patterns.builders as u8,
        }),
        ..Manifest::default()
    }
}

/// Whether an argument is what `reprise record` put in front of the user's own.
fn names_agent(argument: &[u8]) -> bool {
    let is_agent = argument.starts_with(b"-agentpath:");
    let report = b",report=";
    is_agent && argument.windows(report.len()).any(|part| part == report)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_can_be_part_of_the_name() {
        let name = |template: &str| named(Path::new(template), 42).display().to_string();
        assert_eq!(name("a-%p.reprise"), "a-42.reprise");
        assert_eq!(name("50%%/%p%%p"), "50%/42%p");
        assert_eq!(name("%x%"), "%x%");
    }
}
