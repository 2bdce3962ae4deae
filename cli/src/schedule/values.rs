//! What a program read that is another value in every run: kept beside the schedule of a
//! run whose threads ran freely, and given to the program when it follows that.

use std::path::{Path, PathBuf};

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

/// What the agent is told of them.
pub fn option(values: Option<&Path>) -> Result<String, String> {
    Ok(match values {
        Some(values) => format!(",values={}", text(values)?),
        None => String::new(),
    })
}
