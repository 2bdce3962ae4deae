//! The `reprise` program. Everything is in the library, where it can be tested.

use std::process::ExitCode;

fn main() -> ExitCode {
    reprise::main()
}
