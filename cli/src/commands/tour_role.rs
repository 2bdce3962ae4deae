//! `reprise __tour`: the parts of the tour that are killed in it.
//!
//! `tour` starts it. People have no use for it and no help mentions it.

use clap::Parser;

use crate::failure::{Failure, Status};
pub(super) use crate::tour::COMMAND as NAME;
use crate::tour::Role;

/// Play a part in the tour
#[derive(Debug, Parser)]
#[command(name = NAME)]
pub(super) struct TourRole {
    /// Which one.
    role: Role,
}

impl TourRole {
    pub(super) fn run(self) -> Result<Status, Failure> {
        self.role.play()?;
        Ok(Status::Done)
    }
}
