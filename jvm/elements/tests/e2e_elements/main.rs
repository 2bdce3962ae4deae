//! What threads share in programs that javac has compiled.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod arrays;
mod sharing;

use std::fs;

use reprise_elements::{Elements, Program};
use reprise_jvm_testing::{compile, sources};

/// Of a program, by its source.
fn elements(java: &str) -> Elements {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Main.java"), java).unwrap();
    compile(&sources(folder.path()), folder.path(), ".");
    let mut program = Program::default();
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().unwrap() == "class" {
            program.add(&fs::read(path).unwrap()).unwrap();
        }
    }
    Elements::of(&program)
}
