//! Studies that need more than a test may take: a server under load, a place like a
//! container, other tools side by side. Each runs only where a variable of the
//! environment says so; `cargo xtask study` sets them.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

mod apt;
mod contained;
mod kernels;
mod load;
mod moments;
mod peers;
mod programs;
mod server;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program, or another one that is to be studied.
fn program() -> String {
    std::env::var("REPRISE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_reprise").to_owned())
}

/// Whether a program is installed; says so if it is not.
fn is_there(program: &str) -> bool {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let found = path
        .split(':')
        .any(|dir| Path::new(dir).join(program).exists());
    if !found {
        println!("{program}: not installed");
    }
    found
}

/// Runs `reprise` in a folder.
fn reprise(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(program())
        .args(arguments)
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}
