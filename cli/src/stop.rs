//! Ending the recording of a process that runs on.
//!
//! A process that is being recorded has a spool mapped: its own maps say which.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    maps.is_ok_and(|maps| spool_of(&maps).is_some())
}

/// Asks the recorder in a process to end, and waits until it has.
pub fn stop(pid: u32) -> Result<Status, Failure> {
    let doing = || format!("stop the recording of process {pid}");
    let refused = |why: &str| Failure::new(doing(), why).status(Status::BadInput);
    let maps = fs::read(format!("/proc/{pid}/maps")).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refused("there is no such process"),
        _ => Failure::new(doing(), error).status(Status::BadInput),
    })?;
    let Some(spool) = spool_of(&maps) else {
        return Err(refused("it is not being recorded"));
    };
    ask_to_stop(&spool).map_err(|error| Failure::new(doing(), error))?;
    let asked = Instant::now();
    while spool.exists() {
        if asked.elapsed() > PATIENCE {
            return Err(Failure::new(doing(), "its recorder does not answer"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let recording = spool.with_extension("");
    let line = crate::record::observe::report::recorded(&recording);
    let line = crate::escape::escape(line.as_bytes(), crate::escape::Lines::One);
    writeln!(io::stdout(), "{line}").map_err(Failure::output)?;
    Ok(Status::Done)
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
