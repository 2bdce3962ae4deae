//! What a program read that is another value in every run: kept beside the schedule of that
//! run, and given to the program when it follows that.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::made;
use crate::failure::{Failure, Status};
use crate::record::observe::text;

/// The file beside a schedule.
pub fn beside(schedule: &Path) -> PathBuf {
    let mut name = schedule.as_os_str().to_owned();
    name.push(".values");
    name.into()
}

/// The same, if it is there.
pub fn of(schedule: &Path) -> Option<PathBuf> {
    let values = std::path::absolute(beside(schedule)).ok()?;
    values.is_file().then_some(values)
}

/// Writes them, for nobody else to read: there may be keys among the random numbers.
pub fn write(schedule: &Path, values: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    options.open(beside(schedule))?.write_all(values.as_bytes())
}

/// Refuses to write a schedule over another, or beside values or classes that are of another
/// run: it would be replayed with them.
pub fn refuse_existing(schedule: &Path, shown: &Path) -> Result<(), Failure> {
    for (path, shown) in [
        (schedule.to_owned(), shown.to_owned()),
        (beside(schedule), beside(shown)),
        (made::beside(schedule), made::beside(shown)),
    ] {
        if path.symlink_metadata().is_ok() {
            return Err(Failure::new(
                format!("write {}", shown.display()),
                "it exists, and no file is written over",
            )
            .next("-o FILE    writes to another name")
            .status(Status::BadInput));
        }
    }
    Ok(())
}

/// What the agent is told of them.
pub fn option(values: Option<&Path>) -> Result<String, String> {
    Ok(match values {
        Some(values) => format!(",values={}", text(values)?),
        None => String::new(),
    })
}
