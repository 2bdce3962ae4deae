//! Functions of the C library that change what the program has in ways no annotation has words
//! for (`getline` makes room in memory of its caller): a program that calls them gets them as
//! functions of its own.

use std::io::Write as _;
use std::process::{Command, Stdio};

use reprise_cc::COMPILER;

use crate::ir::{LLVMLinkage, Module, Value};

const SOURCE: &str = include_str!("library/functions.c");

/// In front of the names of functions that are wanted.
const WANTED: &str = "LIKE_";

/// Those that there are.
fn names() -> impl Iterator<Item = &'static str> {
    let lines = SOURCE.lines();
    lines.filter_map(|line| line.strip_prefix("#ifdef ")?.strip_prefix(WANTED))
}

/// Gives a program those that it calls and does not have; says whether there are any.
pub(crate) fn add(module: &Module) -> Result<bool, String> {
    let functions = module.functions().into_iter();
    let called = functions.filter(|one| one.is_declaration() && one.is_used());
    let called: Vec<String> = called.map(Value::name).collect();
    let wanted: Vec<&str> = names()
        .filter(|name| called.iter().any(|one| one == name))
        .collect();
    if wanted.is_empty() {
        return Ok(false);
    }
    let mut compile = Command::new(COMPILER);
    // Calls of a library's functions are to stay what they are.
    compile.args([
        "-O1",
        "-fno-builtin",
        "-fno-pie",
        "-emit-llvm",
        "-c",
        "-o",
        "-",
    ]);
    compile.args(wanted.iter().map(|name| format!("-D{WANTED}{name}")));
    compile.args(["-x", "c", "-"]);
    compile.stdin(Stdio::piped()).stdout(Stdio::piped());
    let wrong = |error: std::io::Error| format!("{COMPILER}: {error}");
    let mut compile = compile.spawn().map_err(wrong)?;
    if let Some(mut input) = compile.stdin.take() {
        input.write_all(SOURCE.as_bytes()).map_err(wrong)?;
    }
    let output = compile.wait_with_output().map_err(wrong)?;
    if !output.status.success() {
        return Err(format!("{COMPILER} refuses functions of the C library"));
    }
    module.take(&output.stdout)?;
    for function in module.functions() {
        if wanted.contains(&function.name().as_str()) {
            // Libraries have the library's.
            function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn each_has_a_body() {
        let names: Vec<&str> = names().collect();
        assert!(
            names.contains(&"getline") && names.contains(&"strtok"),
            "{names:?}"
        );
        for name in names {
            assert!(super::SOURCE.contains(&format!("{name}(")), "{name}");
        }
    }
}
