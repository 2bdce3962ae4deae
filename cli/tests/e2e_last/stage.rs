//! A folder in which something is recorded, and another, empty one in which it
//! is replayed.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

pub(crate) const REPRISE: &str = env!("CARGO_BIN_EXE_reprise");

pub(crate) struct Stage {
    folder: TempDir,
    empty: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            empty: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn recording(&self) -> PathBuf {
        self.path("run.reprise")
    }

    /// Records a command in the folder, with this standard input.
    pub(crate) fn record(&self, command: &[&str], stdin: &[u8]) -> Output {
        self.record_with(&["--keep", "all", "-o", "run.reprise"], command, stdin)
    }

    /// Records only the very last moments of a command in the folder.
    pub(crate) fn record_last(&self, options: &[&str], command: &[&str]) -> Output {
        let always = ["--keep", "all", "-o", "run.reprise"];
        self.start(&[options, &always].concat(), command, b"")
    }

    pub(crate) fn record_with(&self, options: &[&str], command: &[&str], stdin: &[u8]) -> Output {
        self.start(&[&["--last", "10s"], options].concat(), command, stdin)
    }

    fn start(&self, options: &[&str], command: &[&str], stdin: &[u8]) -> Output {
        let mut child = Command::new(REPRISE)
            .arg("record")
            .args(options)
            .arg("--")
            .args(command)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input is no failure.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap()
    }

    /// Replays the recording in the empty folder.
    pub(crate) fn replay(&self) -> Output {
        self.replay_file(&self.recording())
    }

    /// Replays the recording with these options.
    pub(crate) fn replay_with(&self, options: &[&str]) -> Output {
        self.play(&self.recording(), options)
    }

    pub(crate) fn replay_file(&self, recording: &Path) -> Output {
        self.play(recording, &[])
    }

    fn play(&self, recording: &Path, options: &[&str]) -> Output {
        Command::new(REPRISE)
            .arg("replay")
            .args(options)
            .arg(recording)
            .current_dir(self.empty.path())
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Replays the recording in a root that has nothing but `reprise` and its
    /// libraries; `None` where that needs rights that this user has not.
    pub(crate) fn replay_in_empty_root(&self) -> Option<Output> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        let root = self.empty.path();
        let libraries = Command::new("ldd").arg(REPRISE).output().unwrap();
        let libraries = String::from_utf8(libraries.stdout).unwrap();
        let paths = libraries
            .split_whitespace()
            .filter(|word| word.starts_with('/'));
        for path in paths {
            let copy = root.join(path.trim_start_matches('/'));
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(path, copy).unwrap();
        }
        // Not with `fs::copy`: a child that another test starts meanwhile would
        // hold the copy open for writing, and nobody can execute it then.
        let copied = Command::new("cp")
            .arg(REPRISE)
            .arg(root.join("reprise"))
            .status();
        assert!(copied.unwrap().success());
        fs::copy(self.recording(), root.join("run.reprise")).unwrap();
        let output = Command::new("chroot")
            .arg(root)
            .args(["/reprise", "replay", "/run.reprise"])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .output();
        Some(output.unwrap())
    }

    /// What `reprise show` says of the recording.
    pub(crate) fn show(&self, options: &[&str]) -> String {
        let output = Command::new(REPRISE)
            .arg("show")
            .arg(self.recording())
            .args(options)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        File::create(self.path(name))
            .unwrap()
            .write_all(content)
            .unwrap();
    }
}

/// A recorder and what it records, which leads a group of processes. Whatever becomes of a
/// test, they end with it.
pub(crate) struct Group(pub(crate) Child);

impl Drop for Group {
    fn drop(&mut self) {
        let leader = Pid::from_raw(self.0.id().cast_signed());
        let _ = killpg(leader, Signal::SIGKILL);
        let _ = self.0.wait();
    }
}

/// The replay went as recorded and showed the end of the same output.
pub(crate) fn check_end(name: &str, recorded: &Output, replayed: &Output) {
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{name}: {said}");
    assert!(
        said.contains("registers and memory are the same"),
        "{name}: {said}"
    );
    assert!(recorded.stdout.ends_with(&replayed.stdout), "{name}");
}

/// The replay went as recorded and showed the same output.
pub(crate) fn check(name: &str, recorded: &Output, replayed: &Output) {
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{name}: {said}");
    assert!(
        said.contains("registers and memory are the same"),
        "{name}: {said}"
    );
    assert_eq!(
        String::from_utf8_lossy(&replayed.stdout),
        String::from_utf8_lossy(&recorded.stdout),
        "{name}"
    );
}
