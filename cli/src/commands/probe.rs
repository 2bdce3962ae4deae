//! `reprise __probe`: the part of a probe that must happen in its own process.
//!
//! `doctor` starts it, because a process that restricts itself stays so. People
//! have no use for it and no help mentions it.

use std::io::{self, Write as _};

use clap::Parser;

pub(super) use crate::doctor::probes::COMMAND as NAME;
use crate::doctor::probes::Inner;
use crate::failure::{Failure, Status};

/// Try one thing in this process and print the finding as JSON
#[derive(Debug, Parser)]
#[command(name = NAME)]
pub(super) struct Probe {
    /// What to try.
    what: Inner,

    /// The process to try it on, for the probes that are about a process.
    pid: Option<u32>,
}

impl Probe {
    pub(super) fn run(self) -> Result<Status, Failure> {
        if let Some(finding) = self.what.run(self.pid) {
            let json = serde_json::to_vec(&finding)
                .map_err(|error| Failure::new("print the finding", error))?;
            io::stdout().write_all(&json).map_err(Failure::output)?;
        }
        Ok(Status::Done)
    }
}
