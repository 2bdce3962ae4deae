//! Ending the recording of a process that runs on.
//!
//! A process that is being recorded has a spool mapped: its own maps say which.
//! One whose jar was instrumented ahead of time has none, and its recording open: it
//! is asked by a file beside that, which it removes.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reprise_jvm_player::KIND;
use reprise_recording::Recording;
use reprise_recording::spool::ask_to_stop;

use crate::failure::{Failure, Status};

/// A recorder answers between two rounds; a busy disk may hold one up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether there is such a process.
#[must_use]
pub fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Whether a process records itself into a spool.
#[must_use]
pub fn is_recorded(pid: u32) -> bool {
    let maps = fs::read(format!("/proc/{pid}/maps"));
    maps.is_ok_and(|maps| spool_of(&maps).is_some()) || open_recording(pid).is_some()
}

/// Asks the recorder in a process to end, and waits until it has.
pub fn stop(pid: u32) -> Result<Status, Failure> {
    let doing = || format!("stop the recording of process {pid}");
    let refused = |why: &str| Failure::new(doing(), why).status(Status::BadInput);
    let maps = fs::read(format!("/proc/{pid}/maps")).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refused("there is no such process"),
        _ => Failure::new(doing(), error).status(Status::BadInput),
    })?;
    // What is gone once the recording is complete, and the recording.
    let (asked_by, recording) = match (spool_of(&maps), open_recording(pid)) {
        (Some(spool), _) => {
            ask_to_stop(&spool).map_err(|error| Failure::new(doing(), error))?;
            let recording = spool.with_extension("");
            (spool, recording)
        }
        (None, Some(recording)) => {
            let mut wish = recording.clone().into_os_string();
            wish.push(".stop");
            fs::write(&wish, "").map_err(|error| Failure::new(doing(), error))?;
            (wish.into(), recording)
        }
        (None, None) => return Err(refused("it is not being recorded")),
    };
    let asked = Instant::now();
    while asked_by.exists() {
        if asked.elapsed() > PATIENCE {
            return Err(Failure::new(doing(), "its recorder does not answer"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let line = crate::record::observe::report::recorded(&recording);
    let line = crate::escape::escape(line.as_bytes(), crate::escape::Lines::One);
    writeln!(io::stdout(), "{line}").map_err(Failure::output)?;
    Ok(Status::Done)
}

/// The recording of a JVM that a process has open.
fn open_recording(pid: u32) -> Option<PathBuf> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .filter(|path| path.extension().is_some_and(|end| end == "reprise"))
        .find(|path| {
            let recording = Recording::open(path);
            recording.is_ok_and(|recording| recording.manifest().kind == KIND)
        })
}

/// The spool that a process has mapped.
fn spool_of(maps: &[u8]) -> Option<PathBuf> {
    maps.split(|byte| *byte == b'\n')
        .filter_map(|line| {
            line.iter()
                .position(|byte| *byte == b'/')
                .map(|at| &line[at..])
        })
        .find(|path| path.ends_with(b".spool"))
        .map(|path| Path::new(std::ffi::OsStr::from_bytes(path)).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spool_is_among_the_maps() {
        let maps = b"7f0-7f1 r--p 00000000 fe:01 12 /usr/lib/libc.so.6\n\
            7f2-7f3 rw-s 00000000 fe:01 13 /home/a b/x.reprise.spool\n\
            7f4-7f5 rw-s 00000000 fe:01 13 /home/y.reprise.spool (deleted)\n";
        assert_eq!(
            spool_of(maps),
            Some(PathBuf::from("/home/a b/x.reprise.spool"))
        );
        assert_eq!(spool_of(b"7ff-800 rw-p 0 00:00 0\n"), None);
    }
}
