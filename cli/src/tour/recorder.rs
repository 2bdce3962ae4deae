//! The tour's recorder: a spool for the subject, and a drainer that copies what
//! comes into the recording.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use reprise_recording::manifest::Host;
use reprise_recording::spool::{Drainer, Pulse, Spool, SpoolConfig};
use reprise_recording::{Closing, Ending, Finished, Manifest, WriteError, Writer};

use super::ledger;
use crate::failure::Failure;

/// Says where a recorder of its own puts the recording.
pub(super) const FILE: &str = "REPRISE_TOUR_FILE";

/// What a recorder of its own says when the subject may start.
pub(super) const READY: &str = "ready";

/// Creates a recording and its spool.
pub(super) fn start(file: &Path) -> Result<Drainer, Failure> {
    let fail = |error: &dyn std::fmt::Display| {
        Failure::new(format!("record into {}", file.display()), error)
    };
    let writer = Writer::create(file, &manifest()).map_err(|error| fail(&error))?;
    let config = SpoolConfig {
        rings: 8,
        ring_size: 1 << 16,
        kinds: vec![(ledger::KIND.into(), ledger::VERSION)],
        ..SpoolConfig::default()
    };
    let spool = Spool::create(file, &config).map_err(|error| fail(&error))?;
    Drainer::new(spool, writer).map_err(|error| fail(&error))
}

/// Records until `done` says so.
pub(super) fn run(drainer: &mut Drainer, done: impl FnMut() -> bool) -> Result<(), WriteError> {
    let pulse = drainer.pulse();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                pulse.beat();
                thread::sleep(Pulse::INTERVAL);
            }
        });
        let result = drainer.run(done);
        over.store(true, Ordering::Relaxed);
        result
    })
}

/// Ends a recording whose subject has ended in this way.
pub(super) fn finish(drainer: Drainer, ending: Ending) -> Result<Finished, WriteError> {
    drainer.finish(Closing {
        ending,
        ended: now(),
        ..Closing::default()
    })
}

/// Records in a process of its own, until somebody kills it.
pub(super) fn play() -> Result<(), Failure> {
    let doing = "be the recorder of the tour";
    let file = std::env::var_os(FILE)
        .map(PathBuf::from)
        .ok_or_else(|| Failure::new(doing, "nobody said where the recording goes"))?;
    let mut drainer = start(&file)?;
    writeln!(io::stdout(), "{READY}").map_err(Failure::output)?;
    run(&mut drainer, || false).map_err(|error| Failure::new(doing, error))
}

fn manifest() -> Manifest {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cpus = thread::available_parallelism().map_or(0, |cpus| cpus.get() as u32);
    Manifest {
        kind: "tour".into(),
        subject: "ledger".into(),
        command: vec!["reprise".into(), super::COMMAND.into(), "ledger".into()],
        host: Host {
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
            kernel: kernel.trim().into(),
            cpus,
        },
        started: now(),
        versions: [("reprise".into(), env!("CARGO_PKG_VERSION").into())].into(),
        ..Manifest::default()
    }
}

fn now() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0)
}
