//! The schedule that is being written, line by line: whoever is killed, what has
//! happened so far is in the file.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use reprise_schedule::{CodeLocation, JdkPlace, Method, Name};

/// A schedule on its way into a file.
pub(super) struct Writing {
    file: File,
    sites: Mutex<Sites>,
}

/// The bytecodes that have probes.
#[derive(Default)]
struct Sites {
    numbers: HashMap<(String, String, String, u32), u32>,
    /// By number.
    locations: Vec<Option<CodeLocation>>,
}

impl Writing {
    pub(super) fn create(path: &Path) -> Result<Self, String> {
        let file = File::create_new(path)
            .map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self {
            file,
            sites: Mutex::default(),
        })
    }

    /// The number of a bytecode; the same each time a class is changed.
    pub(super) fn number(&self, class: &str, method: &str, descriptor: &str, offset: u32) -> u32 {
        let sites = self.sites.lock();
        let mut sites = sites.unwrap_or_else(PoisonError::into_inner);
        let next = u32::try_from(sites.locations.len()).unwrap_or(u32::MAX);
        let key = (
            class.to_owned(),
            method.to_owned(),
            descriptor.to_owned(),
            offset,
        );
        let number = *sites.numbers.entry(key).or_insert(next);
        if number == next {
            let location = || {
                Some(CodeLocation {
                    class: Name::new(&class.replace('/', ".")).ok()?,
                    method: Method::new(method, descriptor)?,
                    offset,
                })
            };
            sites.locations.push(location());
        }
        number
    }

    /// Writes an event; negative numbers are places of the JDK.
    pub(super) fn event(&self, site: i32, count: i64, blocked: bool) {
        let location = match site {
            -2 => JdkPlace::Park.location(),
            -3 => JdkPlace::Wait.location(),
            -4 => JdkPlace::Exit.location(),
            _ => {
                let sites = self.sites.lock();
                let sites = sites.unwrap_or_else(PoisonError::into_inner);
                let found = usize::try_from(site).ok();
                found
                    .and_then(|site| sites.locations.get(site).cloned())
                    .flatten()
            }
        };
        let moment = if blocked { "in" } else { "before" };
        if let Some(location) = location {
            self.line(&format!("{moment} {location} {count}\n"));
        }
    }

    /// Writes an action.
    pub(super) fn action(&self, word: &str, thread: i32) {
        self.line(&match thread {
            -1 => format!("{word} none\n"),
            thread => format!("{word} {thread}\n"),
        });
    }

    /// A disk that is full ends the schedule, not the program.
    fn line(&self, text: &str) {
        let _ = (&self.file).write_all(text.as_bytes());
    }
}
