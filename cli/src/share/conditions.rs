//! `--fails-when` of JVM programs that run as children of this one: what they print goes
//! through here on its way.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use reprise_recorder::{Condition, Watch};

use crate::record::observe::child;

/// How long what a command has printed may take to arrive after its end. A process that it
/// has left behind may keep the pipe open for ever.
const LATE: Duration = Duration::from_secs(2);

/// Runs a command for a limited time; how it ended, and whether a condition held.
pub fn run(
    command: &mut Command,
    conditions: &[Condition],
    limit: Option<Duration>,
    quiet: bool,
) -> io::Result<(child::Ended, bool)> {
    let mut heard: Vec<Receiver<bool>> = Vec::new();
    for descriptor in [1, 2] {
        let watch = Watch::new(conditions.to_vec());
        if !watch.looks_at(descriptor) {
            continue;
        }
        let (reader, writer) = io::pipe()?;
        match descriptor {
            1 => command.stdout(writer),
            _ => command.stderr(writer),
        };
        let (sender, receiver) = channel();
        thread::spawn(move || sender.send(pass_on(reader, watch, descriptor, quiet)));
        heard.push(receiver);
    }
    let ended = child::run_for(command, limit)?;
    // Closes this side of the pipes.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let watch = Watch::new(conditions.to_vec());
    let mut holds = ended
        .status
        .is_some_and(|status| watch.exits(status.into()));
    for receiver in heard {
        holds |= receiver.recv_timeout(LATE).unwrap_or(false);
    }
    Ok((ended, holds))
}

/// Passes on what is printed; whether a condition held.
fn pass_on(mut from: PipeReader, mut watch: Watch, descriptor: u64, quiet: bool) -> bool {
    let mut bytes = [0; 8192];
    let mut holds = false;
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        let piece = bytes.get(..length).unwrap_or_default();
        holds |= watch.wrote(descriptor, piece).is_some();
        if !quiet {
            let _ = match descriptor {
                1 => io::stdout()
                    .write_all(piece)
                    .and_then(|()| io::stdout().flush()),
                _ => io::stderr().write_all(piece),
            };
        }
    }
    holds
}
