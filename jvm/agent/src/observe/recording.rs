//! The file, the spool and the drainer.
//!
//! A thread of the agent drains the spool while the JVM runs. The end comes
//! when the process exits, by `exit` in whatever way: only then is the exit
//! status known. If the process is killed instead, the spool stays, and
//! whoever opens the recording next takes from it what is missing.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use reprise_jvm_events::{CALLS, CALLS_VERSION, TABLES, TABLES_VERSION};
use reprise_probes::pattern::Pattern;
use reprise_recording::manifest::{Host, Text};
use reprise_recording::spool::ring::{RingInfo, RingWriter};
use reprise_recording::spool::{
    Drainer, Spool, SpoolConfig, StdEnvironment, SubjectSpool, spool_path,
};
use reprise_recording::{Closing, Ending, Manifest, Writer};
use rustix::mm::{MapFlags, ProtFlags};

use super::Session;

/// A recording that is being made.
pub(super) struct Recorder {
    /// Where the spool is mapped for the runtime, which never unmaps it.
    pub(super) address: usize,
    ended: Arc<End>,
    drainer: Mutex<Option<JoinHandle<()>>>,
}

/// How the run ended, told to the drainer's thread.
#[derive(Default)]
struct End {
    reached: AtomicBool,
    status: AtomicI32,
    not_recorded: Mutex<Vec<(String, String)>>,
}

impl Recorder {
    /// Creates the recording and its spool, and begins to drain. Returns the
    /// stream for the tables beside it.
    pub(super) fn start(session: &Session) -> Result<(Self, RingWriter<StdEnvironment>), String> {
        let out = &session.out;
        let say = |what: &str, error: &dyn std::fmt::Display| {
            format!("cannot {what} for {}: {error}", out.display())
        };
        let writer = Writer::create(out, &manifest(session))
            .map_err(|error| say("make the file", &error))?;
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
        let drainer =
            drain(drainer, ended.clone()).map_err(|error| say("start the drainer", &error))?;
        let recorder = Self {
            address,
            ended,
            drainer: Mutex::new(Some(drainer)),
        };
        Ok((recorder, tables))
    }

    /// Ends the recording, once.
    pub(super) fn finish(&self, status: i32, not_recorded: Vec<(String, String)>) {
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
    }
}

fn drain(mut drainer: Drainer, end: Arc<End>) -> std::io::Result<JoinHandle<()>> {
    let name = "reprise-drainer".to_owned();
    std::thread::Builder::new().name(name).spawn(move || {
        // A failure to write ends the recording, not the program; the closing
        // manifest says so.
        let _ = drainer.run(|| end.reached.load(Ordering::Acquire));
        while !end.reached.load(Ordering::Acquire) {
            std::thread::sleep(std::time::Duration::from_millis(20));
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
        ("java", property(c"java.version")),
        ("jvm", property(c"java.vm.name")),
    ];
    Manifest {
        kind: "jvm-observe".to_owned(),
        subject,
        command: command.split(|byte| *byte == 0).map(Text::from).collect(),
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
            "oracle": session.oracle,
        }),
        ..Manifest::default()
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
