//! A program on its stage: alone, or recorded.

use std::fs::{self, File};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::list::{Asked, Program};
use crate::programs::Group;
use crate::server::{PATIENCE, free_port};
use crate::{program, reprise};

/// A folder in which a program can run.
pub(super) struct Stage<'p> {
    pub(super) folder: TempDir,
    pub(super) program: &'p Program,
    port: u16,
    origin: u16,
}

fn listens(port: u16) -> bool {
    TcpStream::connect(("127.0.0.1", port)).is_ok()
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let _ = self.shell(&self.fill(self.program.clean)).status();
    }
}

impl<'p> Stage<'p> {
    /// `None`, and a word about it, if it cannot be made ready.
    pub(super) fn new(program: &'p Program) -> Option<Self> {
        let stage = Self {
            folder: TempDir::new().unwrap(),
            program,
            port: free_port(),
            origin: free_port(),
        };
        let folder = stage.path();
        fs::write(folder.join("conf"), stage.fill(program.configuration)).unwrap();
        let lines: String = (0..200).map(|n| format!("line {n}\n")).collect();
        fs::write(folder.join("text"), lines).unwrap();
        fs::write(folder.join("stdin"), "").unwrap();
        // Servers give up being root.
        let open = format!("chmod 777 . && ( {}\n)", stage.fill(program.before));
        let ready = stage.shell(&open).status().unwrap();
        if !ready.success() {
            println!("{}: cannot be made ready", program.name);
            return None;
        }
        Some(stage)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn fill(&self, text: &str) -> String {
        text.replace("PORT", &self.port.to_string())
            .replace("ORIGIN", &self.origin.to_string())
            .replace("ROOT", &self.path().display().to_string())
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(self.path());
        command.stdin(Stdio::null());
        command
    }

    fn clean(&self) {
        let cleaned = self.shell(&self.fill(self.program.clean)).status();
        assert!(cleaned.unwrap().success(), "{}", self.program.name);
    }

    /// What runs beside it, if anything does.
    pub(super) fn beside(&self) -> Option<Group> {
        let beside = self.fill(self.program.beside);
        let mut words = beside.split_whitespace();
        let child = Command::new(words.next()?)
            .args(words)
            .current_dir(self.path())
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let group = Group(child.unwrap());
        self.wait_for(self.origin);
        Some(group)
    }

    /// Starts it, alone or recorded with these options.
    pub(super) fn start(&self, recorded: Option<&[&str]>) -> Child {
        let (command, recorder) = (self.fill(self.program.command), program());
        let mut words: Vec<&str> = command.split_whitespace().collect();
        if let Some(options) = recorded {
            let own = [&[&*recorder, "record", "--last", "1s"], options, &["--"]].concat();
            words.splice(0..0, own);
        }
        let _ = fs::remove_file(self.path().join("run.reprise"));
        self.clean();
        Command::new(words[0])
            .args(&words[1..])
            .current_dir(self.path())
            .env("XDG_RUNTIME_DIR", self.path())
            .process_group(0)
            .stdin(File::open(self.path().join("stdin")).unwrap())
            .stdout(Stdio::null())
            .stderr(File::create(self.path().join("said")).unwrap())
            .spawn()
            .unwrap()
    }

    fn wait_for(&self, port: u16) {
        let begun = Instant::now();
        while !listens(port) {
            let said = self.said();
            assert!(begun.elapsed() < PATIENCE, "{}: {said}", self.program.name);
            sleep(Duration::from_millis(50));
        }
    }

    /// What it or its recorder said.
    pub(super) fn said(&self) -> String {
        let said = fs::read(self.path().join("said")).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Waits until it can be asked.
    pub(super) fn is_ready(&self) {
        if matches!(self.program.asked, Asked::Answering { .. }) {
            self.wait_for(self.port);
        }
    }

    /// What a command that asks it for a few seconds says, as a number.
    pub(super) fn ask(&self, command: &str) -> Option<f64> {
        let command = self.fill(command).replace("LENGTH", "3");
        let output = self.shell(&command).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        said.trim().parse().ok()
    }

    /// Begins to ask it.
    pub(super) fn asking(&self, command: &str) -> Group {
        let command = self.fill(command).replace("LENGTH", "60");
        let mut command = self.shell(&command);
        command.process_group(0);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Group(command.spawn().unwrap())
    }

    /// How the recorder is.
    pub(super) fn status(&self) -> serde_json::Value {
        let status = reprise(self.path(), &["status", "--json"]);
        let status = serde_json::from_slice(&status.stdout);
        match status.unwrap_or(serde_json::Value::Null) {
            serde_json::Value::Array(all) => all.into_iter().next().unwrap_or_default(),
            one => one,
        }
    }
}
