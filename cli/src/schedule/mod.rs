//! What `reprise schedule` does: one file per command, and how schedules and
//! programs are read and written.

pub mod check;
pub mod convert;
pub mod from_trace;
pub mod made;
pub mod minimize;
pub mod output;
pub mod program;
pub mod run;
pub mod shared;
pub mod values;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use reprise_schedule::{ParseErrors, Parsed, limits, parse_bytes};

use crate::failure::{Failure, Status};

/// A file, or the standard input for `-`.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path)?)
    })
}

/// Reads a schedule; what is wrong with its text is not a failure yet.
pub fn read(path: &Path) -> Result<Result<Parsed, ParseErrors>, Failure> {
    Ok(read_text(path)?.1)
}

/// The same, with the text itself.
pub fn read_text(path: &Path) -> Result<(String, Result<Parsed, ParseErrors>), Failure> {
    let mut bytes = Vec::new();
    // One more than is allowed, so that the parser sees that it is too much.
    let most = limits::TEXT as u64 + 1;
    open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .map_err(|error| {
            Failure::new(format!("read the schedule {}", path.display()), error)
                .status(Status::BadInput)
        })?;
    let parsed = parse_bytes(&bytes);
    Ok((String::from_utf8_lossy(&bytes).into_owned(), parsed))
}

/// A text that is no schedule, as a failure with its first error.
pub fn no_schedule(path: &Path, errors: &ParseErrors) -> Failure {
    let doing = format!("read the schedule {}", path.display());
    let mut failure = Failure::new(doing, errors).status(Status::BadInput);
    if let Some(first) = errors.iter().next() {
        failure = failure.next(first.hint());
    }
    if errors.iter().nth(1).is_some() {
        failure = failure.next(format!("reprise schedule check {}", path.display()));
    }
    failure
}
