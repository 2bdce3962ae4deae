//! A subject that is recorded, and gdb on its replay.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) const REPRISE: &str = env!("CARGO_BIN_EXE_reprise");

pub(crate) struct Stage {
    pub(crate) folder: TempDir,
}

/// What gdb and the replay said.
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) output: Output,
}

impl Stage {
    /// Compiles a subject and records its run; the program is then where gdb
    /// does not look for it.
    pub(crate) fn subject(name: &str, flags: &[&str]) -> Self {
        let stage = Self {
            folder: TempDir::new().unwrap(),
        };
        let source = stage.source(name);
        let compiled = Command::new("gcc")
            .args(["-g", "-O0", "-o"])
            .arg(stage.path("subject"))
            .args(flags)
            .arg(&source)
            .status();
        assert!(compiled.unwrap().success());
        let text = std::fs::read_to_string(&source).unwrap();
        let stdin = text
            .lines()
            .find_map(|line| line.strip_prefix("// stdin: "))
            .unwrap_or_default()
            .replace("\\n", "\n");
        stage.record(&["./subject"], stdin.as_bytes());
        std::fs::create_dir(stage.path("symbols")).unwrap();
        std::fs::rename(stage.path("subject"), stage.path("symbols/subject")).unwrap();
        stage
    }

    /// Records a program that nobody here wrote.
    pub(crate) fn program(command: &[&str], stdin: &[u8]) -> Self {
        let stage = Self {
            folder: TempDir::new().unwrap(),
        };
        stage.record(command, stdin);
        stage
    }

    fn record(&self, command: &[&str], stdin: &[u8]) {
        std::fs::write(self.path("stdin"), stdin).unwrap();
        let recorded = Command::new(REPRISE)
            .args(["record", "--last", "10s", "--keep", "all"])
            .args(["-o", "run.reprise", "--"])
            .args(command)
            .current_dir(self.folder.path())
            .stdin(std::fs::File::open(self.path("stdin")).unwrap())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert!(self.path("run.reprise").exists(), "{said}");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn source(&self, name: &str) -> PathBuf {
        let subjects = concat!(env!("CARGO_MANIFEST_DIR"), "/../subjects");
        [subjects, name, "main.c"].iter().collect()
    }

    /// Whether it replays at all. Where the recording itself is wrong, which is
    /// the matter of another test, there is nothing to compare with.
    pub(crate) fn replays(&self) -> bool {
        let output = Command::new(REPRISE)
            .args(["replay", "run.reprise"])
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        output.status.success()
    }

    /// Runs commands in gdb on the replay.
    pub(crate) fn gdb(&self, options: &[&str], commands: &[&str]) -> Said {
        let mut arguments: Vec<OsString> = vec!["-batch".into()];
        for command in commands {
            arguments.extend(["-ex".into(), command.into()]);
        }
        let output = Command::new(REPRISE)
            .args(["replay", "run.reprise", "--debug"])
            .args(options)
            .arg("--")
            .args(arguments)
            .current_dir(self.folder.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let (stdout, stderr) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        let text = format!("{stdout}\n{stderr}");
        Said { text, output }
    }
}

impl Said {
    /// These texts are there, in this order.
    #[track_caller]
    pub(crate) fn has(&self, texts: &[&str]) -> &Self {
        let mut rest = &self.text[..];
        for text in texts {
            let Some((_, after)) = rest.split_once(text) else {
                panic!("no {text:?} in the rest of:\n{}", self.text);
            };
            rest = after;
        }
        self
    }

    #[track_caller]
    pub(crate) fn has_not(&self, text: &str) -> &Self {
        assert!(!self.text.contains(text), "{text:?} in:\n{}", self.text);
        self
    }
}
