//! `reprise __jvm`: takes everything from itself and becomes the JVM that plays.
//!
//! `replay` starts it. People have no use for it and no help mentions it.

use std::ffi::OsString;

use clap::Parser;
use reprise_jvm_player::walls::Walls;

use crate::failure::{Failure, Status};
pub(super) use crate::replay::jvm::GUARD as NAME;

/// Build walls around this process and run a JVM in them
#[derive(Debug, Parser)]
#[command(name = NAME)]
pub(super) struct Jvm {
    /// How many seconds of processor time it may take; 0 for any.
    seconds: u64,

    /// The port where it may wait for a debugger; 0 for none.
    port: u16,

    /// The JVM and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

impl Jvm {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let walls = Walls {
            seconds: self.seconds,
            port: (self.port != 0).then_some(self.port),
        };
        // A JVM that waits for a debugger would wait for ever.
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
        Err(Failure::new(
            "play in a sandbox",
            walls.enter(&self.command),
        ))
    }
}
