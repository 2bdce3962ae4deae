//! A program whose schedules are recorded and followed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use reprise_jvm_testing::{agent_library, compile, limited, sources};
use tempfile::TempDir;

/// A compiled subject, and a folder for schedules.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
}

impl Stage {
    pub(crate) fn new(name: &str) -> Self {
        let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects");
        let folder = tempfile::tempdir().unwrap();
        compile(&sources(&subjects.join(name)), folder.path(), ".");
        Self { folder }
    }

    pub(crate) fn reprise(&self, java: &Path, arguments: &[&OsStr]) -> Output {
        self.reprise_with(java, arguments, &[])
    }

    /// The same, with arguments of the program.
    pub(crate) fn reprise_with(
        &self,
        java: &Path,
        arguments: &[&OsStr],
        of_program: &[&str],
    ) -> Output {
        self.main(java, arguments, "Main", of_program)
    }

    /// Runs a command that starts no JVM.
    pub(crate) fn command(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.current_dir(self.folder.path()).args(arguments);
        limited::output(&mut command)
    }

    /// Removes a schedule, with what is beside it.
    pub(crate) fn remove(&self, schedule: impl AsRef<Path>) {
        let file = self.folder.path().join(schedule);
        for beside in ["", ".values", ".classes"] {
            let mut name = file.clone().into_os_string();
            name.push(beside);
            let _ = std::fs::remove_file(name);
        }
    }

    /// The same, with another main class.
    pub(crate) fn main(
        &self,
        java: &Path,
        arguments: &[&OsStr],
        main: &str,
        of_program: &[&str],
    ) -> Output {
        let words = [&["-cp", ".", main][..], of_program].concat();
        self.jvm(java, arguments, &words)
    }

    /// The same, with all that the JVM is given.
    pub(crate) fn jvm(&self, java: &Path, arguments: &[&OsStr], words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .env("REPRISE_AGENT", agent_library())
            .current_dir(self.folder.path())
            .args(arguments)
            .arg("--")
            .arg(java)
            .args(words);
        limited::output(&mut command)
    }

    /// Records; the file and what the command did.
    pub(crate) fn record(&self, java: &Path, name: &str, options: &[&str]) -> (PathBuf, Output) {
        let file = self.folder.path().join(name);
        let mut arguments: Vec<&OsStr> = vec!["record".as_ref()];
        arguments.extend(options.iter().map(OsStr::new));
        arguments.extend([OsStr::new("-o"), file.as_os_str()]);
        let output = self.reprise(java, &arguments);
        (file, output)
    }

    /// Follows a schedule, which must give the same output and this in the last line.
    pub(crate) fn follow(&self, java: &Path, file: &Path, recorded: &Output, last: &str) {
        let played = self.reprise(java, &["replay".as_ref(), file.as_os_str()]);
        assert_eq!(played.status.code(), Some(0), "{played:?}");
        assert_eq!(played.stdout, recorded.stdout);
        let said = String::from_utf8_lossy(&played.stderr);
        assert!(said.contains(last), "{said}");
    }
}

/// The last lines of a run: what the program printed differs from run to run.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether a recording says nothing of orders or values that it lacks.
pub(crate) fn is_complete(output: &Output) -> bool {
    let said = said(output);
    !said.contains("could not") && !said.contains("not recorded")
}
