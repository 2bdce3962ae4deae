//! A recording that is being made.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use reprise_c_events::{Crossing, DETAILS, KIND, RECORDING, Subject, VERSION, begins_child};
use reprise_recording::manifest::Host;
use reprise_recording::spool::{Drainer, Spool, SpoolConfig, spool_path};
use reprise_recording::{Closing, Ending, Manifest, NotRecorded, Recording, WriteError, Writer};

use crate::Image;

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum RecorderError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// There is no room for what the program writes.
    #[error("the spool cannot be made: {0}")]
    Spool(String),
    /// Events are not taken out of the spool any more.
    #[error("the recorder has stopped")]
    Stopped,
}

/// Takes events out of the spool while the program runs.
pub struct Recorder {
    /// Where the recording is.
    path: PathBuf,
    spool: PathBuf,
    done: Arc<AtomicBool>,
    thread: JoinHandle<Drainer>,
}

impl Recorder {
    /// Begins a recording of a program.
    /// It goes into a file that was made for it.
    pub fn start(
        path: &Path,
        file: File,
        image: &Image,
        command: &[OsString],
    ) -> Result<Self, RecorderError> {
        let writer = Writer::start(file, &manifest(image, command))?;
        image.write(&writer)?;
        let config = SpoolConfig {
            rings: 16,
            ring_size: 8 << 20,
            dead_after_ms: 5000,
            kinds: vec![(KIND.to_owned(), VERSION)],
        };
        let spool = Spool::create(path, &config);
        let spool = spool.map_err(|error| RecorderError::Spool(error.to_string()))?;
        let drainer = Drainer::new(spool, writer);
        let mut drainer = drainer.map_err(|error| RecorderError::Spool(error.to_string()))?;
        let done = Arc::new(AtomicBool::new(false));
        let told = done.clone();
        let thread = std::thread::spawn(move || {
            // What goes wrong with the file ends the recording, and stands in it.
            let _ = drainer.run(|| told.load(Ordering::Acquire));
            drainer
        });
        Ok(Self {
            path: path.to_owned(),
            spool: spool_path(path),
            done,
            thread,
        })
    }

    /// Where the program finds the spool.
    pub fn spool(&self) -> &Path {
        &self.spool
    }

    /// The program has ended; returns how long the file is, and how it ended.
    pub fn finish(self, ending: Ending) -> Result<(u64, Closing), RecorderError> {
        self.done.store(true, Ordering::Release);
        let drainer = self.thread.join().map_err(|_| RecorderError::Stopped)?;
        let closing = Closing {
            ending,
            ended: now(),
            ..Closing::default()
        };
        drainer.finish(closing)?;
        let recording = Recording::open(&self.path).map_err(|_| RecorderError::Stopped)?;
        let mut closing = recording.closing().cloned().unwrap_or_default();
        let last = last(&recording);
        if last != Some(Last::End) && matches!(closing.ending, Ending::Exited { .. }) {
            let why = match last {
                Some(Last::Left(why)) => why,
                _ => "it ended without the C library's exit".to_owned(),
            };
            closing.not_recorded.push(NotRecorded {
                what: "the rest of the run".to_owned(),
                why,
                count: 1,
            });
        }
        Ok((recording.file_len(), closing))
    }
}

/// The last event, if that says how the recording ends.
#[derive(PartialEq, Eq)]
enum Last {
    /// With the run.
    End,
    /// Before it, and why.
    Left(String),
}

fn last(recording: &Recording) -> Option<Last> {
    let mut streams = recording.streams().filter(|(_, info)| info.kind == KIND);
    let (stream, _) = streams.find(|(stream, _)| {
        let events = recording.events(*stream, 0);
        !events.is_ok_and(|mut events| {
            let first = events.next().ok().flatten();
            first.is_some_and(|first| begins_child(first.payload))
        })
    })?;
    let last = recording.next_number(stream).checked_sub(1)?;
    let mut events = recording.events(stream, last).ok()?;
    let event = events.next().ok().flatten()?;
    match reprise_c_events::read(event.payload).ok()? {
        Crossing::End { .. } => Some(Last::End),
        Crossing::Left { why, site } => {
            let subject = recording.manifest().details.get(DETAILS);
            let subject = subject.and_then(|subject| serde_json::from_value(subject.clone()).ok());
            let sites = subject.map(|subject: Subject| subject.program.sites);
            let at = site.and_then(|site| sites?.get(site as usize).cloned());
            let at = at.map(|at| format!(", in {} ({})", at.function, at.place));
            Some(Last::Left(format!("{why}{}", at.unwrap_or_default())))
        }
        _ => None,
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

fn manifest(image: &Image, command: &[OsString]) -> Manifest {
    let program = Path::new(&image.subject.path);
    let name = program.file_name().unwrap_or_default();
    let kernel = rustix::system::uname();
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    Manifest {
        kind: RECORDING.to_owned(),
        subject: name.to_string_lossy().into_owned(),
        command: command.iter().map(|word| word.as_bytes().into()).collect(),
        host: Host {
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            kernel: kernel.release().to_string_lossy().into_owned(),
            cpus: u32::try_from(cpus).unwrap_or(u32::MAX),
        },
        started: now(),
        versions: [("reprise".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        details: serde_json::json!({ DETAILS: image.subject }),
        ..Manifest::default()
    }
}
