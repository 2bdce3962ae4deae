//! `reprise cc`: a C compiler that keeps a whole program's bitcode.

use std::ffi::OsString;

use clap::Args;

use crate::cut;
use crate::failure::{Failure, Status};

/// Compile and link C as clang does, and keep what `reprise cut` needs
///
/// Objects have bitcode beside their machine code, so archives and configure
/// scripts work as ever. When a program is linked, the bitcode of all of it
/// is kept beside it in PROG.reprise.bc, and how it was linked in
/// PROG.reprise.json. Programs have a fixed address (-no-pie). It needs the
/// Debian packages clang-19 and lld-19.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  CC=\"reprise cc\" ./configure
  make CC=\"reprise cc\"
  reprise cc -O2 -o prog main.c

Exit status:
  that of the compiler; 1 if it cannot be run"
)]
pub(super) struct Cc {
    /// What the compiler is told.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

impl Cc {
    pub(super) fn run(self) -> Result<Status, Failure> {
        cut::compile(&self.arguments)
    }
}
