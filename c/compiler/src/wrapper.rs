//! `reprise cc`: the compiler, with what it takes to keep a whole program's bitcode.
//!
//! Objects have machine code and bitcode side by side, so that archives and the
//! checks of `configure` are as happy as ever. When a program is linked, the linker
//! leaves the bitcode of all of it, and how it was linked is written down beside it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::COMPILER;
use crate::kept::{Kept, Link, sum};

/// What other compilers only warn of. Checks of old programs' `configure` are full of it, and
/// come to wrong answers where it is an error.
const NO_ERRORS: &[&str] = &[
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

/// What an invocation of the compiler does.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Invocation {
    /// It makes a program or a library.
    links: bool,
    /// It makes a program.
    program: Option<PathBuf>,
    /// It says how much to optimise.
    optimises: bool,
    /// It makes code that can be anywhere.
    position_independent: bool,
}

fn look(arguments: &[OsString]) -> Invocation {
    let mut output = PathBuf::from("a.out");
    let (mut links, mut shared, mut inputs) = (true, false, false);
    let (mut optimises, mut position_independent) = (false, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        match &*text {
            "-c" | "-S" | "-E" | "-M" | "-MM" | "-fsyntax-only" | "--version" | "-v"
            | "-dumpversion" | "-dumpmachine" => links = false,
            "-shared" | "-r" => shared = true,
            "-fPIC" | "-fpic" => position_independent = true,
            "-o" => output = rest.next().map(PathBuf::from).unwrap_or_default(),
            text if text.starts_with("-print-") => links = false,
            text if text.starts_with("-o") => output = PathBuf::from(&text[2..]),
            // The last one counts.
            text if text.starts_with("-O") => optimises = text != "-O0",
            text if text.starts_with('-') => {}
            _ => inputs = true,
        }
    }
    let links = links && inputs;
    Invocation {
        links,
        program: (links && !shared).then_some(output),
        optimises,
        position_independent,
    }
}

/// Runs the compiler as it was asked to, and keeps what it takes to cut a program.
pub fn run(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let invocation = look(arguments);
    let mut command = Command::new(COMPILER);
    // In front: what the caller wants to be an error is one.
    command.args(NO_ERRORS).args(arguments);
    command.args(["-Qunused-arguments", "-g", "-flto", "-ffat-lto-objects"]);
    if !invocation.optimises {
        command.args(["-Xclang", "-disable-O0-optnone"]);
    }
    if !invocation.position_independent {
        command.arg("-fno-pie");
    }
    if invocation.links {
        command.arg("-fuse-ld=lld");
    }
    if invocation.program.is_some() {
        command.args(["-Wl,--save-temps=preopt", "-no-pie"]);
    }
    let status = command.status()?;
    if let Some(program) = invocation.program.filter(|_| status.success()) {
        keep(&program, arguments)?;
    }
    Ok(status)
}

fn keep(program: &Path, arguments: &[OsString]) -> io::Result<()> {
    let kept = Kept::of(program);
    let mut left = OsString::from(program);
    left.push(".0.0.preopt.bc");
    match fs::rename(&left, &kept.bitcode) {
        // Nothing of it was C, or nothing of it was compiled by this.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        moved => moved?,
    }
    let arguments = arguments
        .iter()
        .map(|one| one.to_string_lossy().into_owned());
    let link = Link {
        folder: std::env::current_dir()?,
        arguments: arguments.collect(),
        sum: sum(&fs::read(&kept.bitcode)?),
    };
    let _ = fs::remove_file(&kept.weights);
    fs::write(&kept.link, serde_json::to_vec(&link)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(line: &str) -> Invocation {
        let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        look(&arguments)
    }

    #[test]
    fn what_an_invocation_does() {
        assert!(!looked("-c x.c").links);
        assert!(!looked("--version").links);
        assert!(!looked("-v").links);
        assert_eq!(looked("x.c").program, Some("a.out".into()));
        assert_eq!(looked("-O2 -o y x.o -lm").program, Some("y".into()));
        assert_eq!(looked("x.o -oy").program, Some("y".into()));
        let library = looked("-shared -fPIC -o y.so x.o");
        assert!(library.links && library.program.is_none() && library.position_independent);
        assert!(looked("-c -O2 x.c").optimises && !looked("-c x.c").optimises);
        assert!(!looked("-c -O2 -O0 x.c").optimises);
    }
}
