//! `reprise completions`: completion scripts for shells.

use std::io::{self, Write as _};

use clap::Args;
use clap_complete::Shell;

use crate::failure::{Failure, Status};

/// Print a script that completes reprise's commands and options in a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise completions bash > ~/.local/share/bash-completion/completions/reprise
  reprise completions zsh  > ~/.zfunc/_reprise
  reprise completions fish > ~/.config/fish/completions/reprise.fish")]
pub(super) struct Completions {
    /// The shell to complete in.
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<Status, Failure> {
        // The generator panics when it cannot write, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::definition(), "reprise", &mut script);
        io::stdout().write_all(&script).map_err(Failure::output)?;
        Ok(Status::Done)
    }
}
