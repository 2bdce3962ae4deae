//! Recording, one file per kind: what `reprise record` does once its arguments
//! are understood.

pub mod attached;
pub mod cut;
mod debugger_needs;
pub mod free;
pub mod last;
pub mod observe;
pub mod schedule;
pub mod share;
mod verify;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use reprise_recording::{Closing, CutShort, NotRecorded};

use crate::output_name::Template;
use crate::readable;

/// What is worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Keep {
    /// Failures: fatal signals, and what --fails-when says; with --observe, runs
    /// that end with a status other than 0.
    Failures,
    /// Every run.
    All,
}

/// What the kinds of recording have in common.
#[derive(Debug)]
pub struct Request {
    /// The subject and its arguments.
    pub command: Vec<OsString>,
    /// Where the recording goes.
    pub output: Template,
    /// What is worth keeping.
    pub keep: Keep,
    /// Whether the subject may not run unrecorded.
    pub require: bool,
}

/// How many things that are not recorded the last line names.
const LISTED: usize = 5;

/// The last line: the file, its size, what is not in it, how to replay it.
fn summary(path: &Path, bytes: u64, closing: &Closing) -> String {
    let path = path.display();
    let mut line = format!("recorded {path} ({})", readable::size(bytes));
    if let Some(failure) = &closing.failure {
        let _ = write!(line, "; {}", failure.what);
        if let Some(place) = failure.stack.first() {
            let _ = write!(line, " in {place}");
        }
    }
    if let Some(why) = &closing.cut_short {
        let _ = write!(line, "; ended early by {}", cut_short(why));
    }
    for NotRecorded { what, why, count } in closing.not_recorded.iter().take(LISTED) {
        let _ = write!(line, "; not recorded: {what}");
        if *count > 1 {
            let _ = write!(line, " ({count} times)");
        }
        let _ = write!(line, ", {why}");
    }
    if let Some(more @ 1..) = closing.not_recorded.len().checked_sub(LISTED) {
        let _ = write!(line, "; and {more} more, see reprise show {path}");
    }
    let _ = write!(line, "; replay it with: reprise replay {path}");
    line
}

fn cut_short(why: &CutShort) -> String {
    match why {
        CutShort::Stopped { by } => by.clone(),
        CutShort::DiskFull => "a full disk".to_owned(),
        CutShort::WriteFailed { error } => format!("a file that cannot be written: {error}"),
        CutShort::RecorderDied | CutShort::RecorderSilent | CutShort::Unknown => {
            "the recorder".to_owned()
        }
    }
}

/// Removes a recording that nobody wants. A file that cannot be removed is a
/// nuisance, not a failure.
fn discard(path: &Path) {
    let _ = fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_recording::Failure;

    #[test]
    fn the_last_line_says_all() {
        let closing = Closing {
            cut_short: Some(CutShort::Stopped {
                by: "a system call in the 32-bit way".into(),
            }),
            failure: Some(Failure {
                what: "SIGSEGV at 0x0".into(),
                stack: vec!["/bin/x+0x12".into()],
            }),
            not_recorded: vec![NotRecorded {
                what: "a child process".into(),
                why: "it runs unrecorded".into(),
                count: 2,
            }],
            ..Closing::default()
        };
        assert_eq!(
            summary(Path::new("x.reprise"), 12_345, &closing),
            "recorded x.reprise (12.0 kB); SIGSEGV at 0x0 in /bin/x+0x12; ended early by a system \
             call in the 32-bit way; not recorded: a child process (2 times), it runs unrecorded; replay it with: reprise replay x.reprise"
        );
    }
}
