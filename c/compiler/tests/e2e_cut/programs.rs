//! Programs that read files, from Debian's sources. What is recorded with another input
//! than was weighed replays.

use std::fs;
use std::path::Path;

use super::debian;
use super::measure::{Case, with};

#[test]
fn debian_gzip() {
    let Some(stage) = debian::stage("gzip") else {
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let small = fs::read(root.join("README.md")).unwrap();
    let large: Vec<u8> = small.iter().cycle().take(4 << 20).copied().collect();
    fs::write(stage.folder.path().join("small"), &small).unwrap();
    fs::write(stage.folder.path().join("large"), &large).unwrap();
    let gzip = Case {
        program: &stage.built("gzip", "gzip", ""),
        small: with(&["-c", "small"]),
        large: with(&["-c", "large"]),
        reads: large.len() as u64,
    };
    for target in [
        &["--target", "deflate.c:*"][..],
        &["--target", "trees.c:*"],
        &["--whole-program"],
    ] {
        stage.compare(gzip, target);
    }
}

#[test]
fn debian_bc() {
    let Some(stage) = debian::stage("bc") else {
        return;
    };
    let compute = |scale: u32| format!("scale={scale}; 4*a(1)\nsqrt(2)\n");
    fs::write(stage.folder.path().join("small.bc"), compute(50)).unwrap();
    fs::write(stage.folder.path().join("large.bc"), compute(400)).unwrap();
    let bc = Case {
        program: &stage.built("bc", "bc/bc", ""),
        small: with(&["-l", "small.bc"]),
        large: with(&["-l", "large.bc"]),
        reads: compute(400).len() as u64,
    };
    for target in [
        &["--target", "number.c:*"][..],
        &["--target", "number.c:bc_divide"],
        &["--whole-program"],
    ] {
        stage.compare(bc, target);
    }
}
