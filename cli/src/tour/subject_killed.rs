//! A program is killed while it is recorded: nothing of what it did is lost.

use std::io::BufRead as _;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use reprise_recording::{Ending, Recording};

use super::stage::{Stage, wrong};
use super::{Role, ledger, recorder};
use crate::failure::Failure;

/// The recording, which a later chapter uses again.
pub(super) const FILE: &str = "ledger.reprise";

/// After how many transfers the program is killed.
pub(super) const KILLED_AFTER: u64 = 150;

/// A program that makes no progress is killed all the same.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    stage.say(
        "A small bank with two threads makes transfers and is recorded. In the middle of its \
         work it is killed with SIGKILL: it can neither clean up nor save anything.",
    )?;
    let file = stage.file(FILE);
    let mut drainer = recorder::start(&file)?;
    let mut bank = stage.start(Role::Ledger, ledger::SPOOL, drainer.spool_path())?;
    let reported = AtomicU64::new(0);
    let output = bank.take_output();
    let start = Instant::now();
    let ended = thread::scope(|scope| {
        scope.spawn(|| {
            for _ in output
                .into_iter()
                .flat_map(|output| output.lines().map_while(Result::ok))
            {
                reported.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut ended = None;
        let recorded = recorder::run(&mut drainer, || {
            if reported.load(Ordering::Relaxed) >= KILLED_AFTER || start.elapsed() > PATIENCE {
                bank.kill();
            }
            ended = bank.ended();
            ended.is_some()
        });
        recorded.map(|()| ended)
    });
    let fail = |error| Failure::new(format!("record into {}", file.display()), error);
    let signal = ended.map_err(fail)?.and_then(|status| status.signal());
    let ending = match signal {
        Some(signal) => Ending::Killed { signal },
        None => return Err(bank.wrong("the program ended before it was killed")),
    };
    recorder::finish(drainer, ending).map_err(fail)?;
    stage.show(&[FILE])?;

    let reported = reported.into_inner();
    let recorded = events(&file)?;
    // It may have died between recording a transfer and reporting it.
    if recorded < reported || recorded > reported + 1 {
        return Err(wrong(&format!(
            "the program reported {reported} transfers, and {recorded} were recorded"
        )));
    }
    stage.say(&format!(
        "The program had reported {reported} transfers when it died, and {recorded} are in the \
         recording: it is complete up to the program's last event."
    ))
}

/// How many events a recording has.
pub(super) fn events(file: &std::path::Path) -> Result<u64, Failure> {
    let recording = Recording::open(file)
        .map_err(|error| Failure::new(format!("read {}", file.display()), error))?;
    let streams = recording.streams();
    Ok(streams.map(|(id, _)| recording.event_count(id)).sum())
}
