//! LLVM, with which `cut` analyses and rebuilds C programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::doctor::child;
use crate::doctor::finding::Finding;
use crate::doctor::programs::{LIMIT, find, version, versions_of};

/// The release that `reprise-cc` is built with. Bitcode of one release cannot
/// be counted on to be read by another.
const RELEASE: &str = "19";

const PROGRAM: &str = "#include <stdio.h>\nint main(void) { puts(\"cut\"); return 0; }\n";

/// Builds and runs a program the way `reprise cc` does: with bitcode in ordinary
/// objects, linked by lld.
pub fn probe() -> Finding {
    let tools = ["clang", "ld.lld", "llvm-config"].map(|tool| (tool, of_release(tool)));
    let missing: Vec<String> = tools
        .iter()
        .filter(|(_, path)| path.is_none())
        .map(|(tool, _)| format!("{tool}-{RELEASE}"))
        .collect();
    let [(_, Some(clang)), (_, Some(_)), (_, Some(_))] = &tools else {
        let mut detail = format!("{} not found", missing.join(", "));
        let others = other_releases();
        if !others.is_empty() {
            detail += &format!(" (found: {})", others.join(", "));
        }
        return Finding::fails(detail).fix(format!(
            "sudo apt install clang-{RELEASE} lld-{RELEASE} llvm-{RELEASE}-dev"
        ));
    };
    match build_and_run(clang) {
        Ok(()) => Finding::works(version(clang).unwrap_or_default()),
        Err(why) => Finding::fails(format!("clang-{RELEASE} does not build programs: {why}")).fix(
            format!("sudo apt install clang-{RELEASE} lld-{RELEASE} llvm-{RELEASE}-dev libc6-dev"),
        ),
    }
}

/// A tool of the right release, whether its name says so or only its version.
fn of_release(tool: &str) -> Option<PathBuf> {
    find(&format!("{tool}-{RELEASE}")).or_else(|| {
        let plain = find(tool)?;
        let version = version(&plain)?;
        let number = version.split(|c: char| !c.is_ascii_digit());
        let mut number = number.filter(|part| !part.is_empty());
        (number.next()? == RELEASE).then_some(plain)
    })
}

fn other_releases() -> Vec<String> {
    let tools = ["clang", "llvm-config"];
    tools
        .into_iter()
        .flat_map(versions_of)
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let version = version(&path).unwrap_or_else(|| "does not run".into());
            format!("{name}: {version}")
        })
        .collect()
}

fn build_and_run(clang: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = folder.path().join("cut.c");
    fs::write(&source, PROGRAM).map_err(|error| error.to_string())?;
    let program = folder.path().join("cut");
    let mut build = Command::new(clang);
    build
        .args(["-g", "-O0", "-flto", "-ffat-lto-objects", "-no-pie"])
        .arg("-fuse-ld=lld")
        .arg("-o")
        .args([&program, &source])
        .current_dir(folder.path());
    let built = child::run(&mut build, LIMIT).map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(format!("{}, {}", built.how(), built.first_line()));
    }
    let ran = child::run(&mut Command::new(&program), LIMIT).map_err(|error| error.to_string())?;
    if ran.stdout == "cut\n" {
        Ok(())
    } else {
        Err(format!("the program it built failed: {}", ran.how()))
    }
}
