//! The program, compiled once for each test, and the ways to run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub(crate) const REPRISE: &str = env!("CARGO_BIN_EXE_reprise");

/// A folder with the program in it.
pub(crate) struct Program {
    folder: TempDir,
}

impl Program {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e_observe/Main.java");
        let compiled = Command::new("javac")
            .args(["-encoding", "UTF-8", "-d"])
            .arg(folder.path())
            .arg(source)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{compiled:?}");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program as it is.
    pub(crate) fn plain(&self, arguments: &[&str]) -> Output {
        self.run("java", &[&["-cp", ".", "Main"], arguments].concat())
    }

    /// `reprise record` with these arguments.
    pub(crate) fn record(&self, arguments: &[&str]) -> Output {
        self.run(REPRISE, &[&["record"], arguments].concat())
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).output().unwrap()
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("CLASSPATH")
            .env("REPRISE_AGENT", agent())
            .current_dir(self.folder.path());
        command
    }

    /// The recordings there are.
    pub(crate) fn recordings(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.contains(".reprise")).collect();
        names.sort();
        names
    }
}

/// Cargo puts the library beside this test's own executable.
fn agent() -> PathBuf {
    std::env::current_exe()
        .unwrap()
        .with_file_name("libreprise_jvm.so")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What `reprise` said: its lines, with sizes and names left out by the caller.
pub(crate) fn said(output: &Output) -> Vec<String> {
    let text = stderr(output);
    let lines = text.lines().filter(|line| line.starts_with("reprise: "));
    lines.map(str::to_owned).collect()
}
