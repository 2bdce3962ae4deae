//! What a person reads when a command could not do its work, and the exit
//! statuses.
//!
//! A failure answers four questions: what was being done, to what, what went
//! wrong, and what to do next. Context is added once, here in the CLI; the
//! libraries' errors only carry values.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use crate::doctor::finding::Finding;
use crate::escape::{Lines, escape};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The command did what it was asked.
    Done,
    /// The command understood what it was asked and failed.
    Failed,
    /// The arguments make no sense, or an input cannot be read.
    BadInput,
    /// The replay did something else than the recording says.
    Diverged,
    /// `record --require` could not start its recorder, and so did not start
    /// the subject.
    NoRecorder,
    /// `record` passes the subject's own status through.
    Subject(u8),
}

impl Status {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::Diverged => 3,
            Self::NoRecorder => 125,
            Self::Subject(status) => status,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

/// Why a command did not do its work.
///
/// Everything in it is escaped when it is shown: names and messages may come
/// out of a recording or a foreign file system.
#[derive(Debug)]
pub struct Failure {
    doing: String,
    wrong: String,
    next: Vec<String>,
    status: Status,
    quiet: bool,
}

impl Failure {
    /// `doing` says what was being done and to what, as in "read the recording
    /// x.reprise"; `wrong` says what went wrong.
    pub fn new(doing: impl Into<String>, wrong: impl fmt::Display) -> Self {
        Self {
            doing: doing.into(),
            wrong: without_numbers(&wrong.to_string()),
            next: Vec::new(),
            status: Status::Failed,
            quiet: false,
        }
    }

    /// Something the reader can do about it; one line, best first.
    #[must_use]
    pub fn next(mut self, step: impl Into<String>) -> Self {
        self.next.push(step.into());
        self
    }

    /// The status to exit with, when it is not [`Status::Failed`].
    #[must_use]
    pub fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// A failure to write to standard output. When the reader has closed the
    /// pipe, as `head` does, it has seen what it wanted: that is a quiet end.
    pub fn output(error: io::Error) -> Self {
        let quiet = error.kind() == io::ErrorKind::BrokenPipe;
        let failure = Self {
            quiet,
            ..Self::new("write to standard output", error)
        };
        if quiet {
            failure.status(Status::Done)
        } else {
            failure
        }
    }

    /// The same as something that a probe of `doctor` has found.
    pub fn into_finding(self) -> Finding {
        let finding = Finding::fails(self.wrong);
        self.next.into_iter().fold(finding, Finding::fix)
    }

    /// Prints the failure to standard error and returns the status to exit with.
    pub fn report(&self) -> Status {
        if !self.quiet {
            // `eprintln!` would panic when standard error is closed.
            let _ = writeln!(io::stderr(), "{self}");
        }
        self.status
    }
}

/// Drops the numbers that `std::io::Error` adds to the system's own words, as in
/// "Permission denied (os error 13)".
pub fn without_numbers(message: &str) -> String {
    let mut pieces = message.split(" (os error ");
    let mut plain = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        plain += piece.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = escape(self.doing.as_bytes(), Lines::One);
        let wrong = escape(self.wrong.as_bytes(), Lines::One);
        write!(out, "reprise: cannot {doing}: {wrong}")?;
        for step in &self.next {
            write!(out, "\n  try: {}", escape(step.as_bytes(), Lines::One))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_to_do_next() {
        let failure = Failure::new("read the recording x.reprise", "it is not a recording")
            .next("reprise show OTHER.reprise");
        assert_eq!(
            failure.to_string(),
            "reprise: cannot read the recording x.reprise: it is not a recording\n  \
             try: reprise show OTHER.reprise"
        );
        assert_eq!(failure.status, Status::Failed);
    }

    #[test]
    fn a_file_name_cannot_write_to_the_terminal() {
        let failure = Failure::new("read \u{1b}]0;owned\u{7}\nx", "no");
        assert_eq!(
            failure.to_string(),
            "reprise: cannot read \\x1b]0;owned\\x07\\nx: no"
        );
    }

    #[test]
    fn the_systems_words_are_enough() {
        let error = io::Error::from_raw_os_error(13);
        let failure = Failure::new("read x", format!("a: {error}; b"));
        assert_eq!(
            failure.to_string(),
            "reprise: cannot read x: a: Permission denied; b"
        );
    }

    #[test]
    fn only_a_closed_pipe_is_quiet() {
        let closed = Failure::output(io::ErrorKind::BrokenPipe.into());
        assert!(closed.quiet);
        assert_eq!(closed.status, Status::Done);
        let full = Failure::output(io::ErrorKind::StorageFull.into());
        assert!(!full.quiet);
        assert_eq!(full.status, Status::Failed);
    }

    #[test]
    fn the_statuses_are_the_documented_ones() {
        let codes = [
            Status::Done,
            Status::Failed,
            Status::BadInput,
            Status::Diverged,
            Status::NoRecorder,
            Status::Subject(139),
        ]
        .map(Status::code);
        assert_eq!(codes, [0, 1, 2, 3, 125, 139]);
    }
}
