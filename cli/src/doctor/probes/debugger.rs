//! gdb, which `replay --debug` opens on a replayed process.

use std::process::Command;

use crate::doctor::child;
use crate::doctor::finding::Finding;
use crate::doctor::programs::{LIMIT, find, version};

/// Starts gdb the way `replay --debug` does, and has it compute something.
pub fn probe() -> Finding {
    let Some(gdb) = find("gdb") else {
        return Finding::fails("gdb is not installed").fix("sudo apt install gdb");
    };
    let version = version(&gdb).unwrap_or_else(|| "gdb of unknown version".into());
    let mut command = Command::new(&gdb);
    command.args(["-nx", "-batch", "-ex", "print 6*7"]);
    command.env_remove("DEBUGINFOD_URLS").env("LC_ALL", "C");
    match child::run(&mut command, LIMIT) {
        Ok(ended) if ended.stdout.contains("$1 = 42") => Finding::works(version),
        Ok(ended) => {
            let (how, line) = (ended.how(), ended.first_line());
            broken(format!("{version} does not work: {how}, {line}"))
        }
        Err(error) => broken(format!("{version} does not work: {error}")),
    }
}

fn broken(detail: String) -> Finding {
    Finding::fails(detail).fix("sudo apt install --reinstall gdb")
}
