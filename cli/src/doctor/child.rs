//! Running a program and taking its output: with a time limit, and leaving
//! nothing behind.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// More output than any probe has a use for.
const OUTPUT_BYTES: u64 = 1 << 20;

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChildError {
    #[error("it could not be started: {0}")]
    Start(#[source] io::Error),
    #[error("it was not done after {} s and was stopped", .0.as_secs())]
    Timeout(Duration),
}

/// Runs a program to its end, or for as long as the limit says.
///
/// It gets a process group of its own, so that whatever it started ends with it.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Ended, ChildError> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(ChildError::Start)?;
    let group = Pid::from_raw(child.id().cast_signed());
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(pause),
            Ok(None) => break Err(ChildError::Timeout(limit)),
            Err(error) => break Err(ChildError::Start(error)),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    // What it left running would hold the pipes open, and must not stay.
    let _ = killpg(group, Signal::SIGKILL);
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
    };
    let rest = Duration::from_secs(1);
    Ok(Ended {
        status,
        stdout: stdout.recv_timeout(rest).unwrap_or_default(),
        stderr: stderr.recv_timeout(rest).unwrap_or_default(),
    })
}

impl Ended {
    /// How it ended, for people: "exit status 1" or "killed by SIGSYS".
    pub(crate) fn how(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(number)) => match Signal::try_from(number) {
                Ok(signal) => format!("killed by {signal}"),
                Err(_) => format!("killed by signal {number}"),
            },
            (None, None) => "ended without a status".into(),
        }
    }

    /// The first line that says something, of its errors or of its output.
    pub(crate) fn first_line(&self) -> &str {
        let lines = self.stderr.lines().chain(self.stdout.lines());
        let mut lines = lines.map(str::trim);
        lines.find(|line| !line.is_empty()).unwrap_or_default()
    }
}

/// Reads a pipe in the background, so that neither pipe can fill up and block
/// the program.
fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let mut pipe = pipe.take(OUTPUT_BYTES);
            let _ = pipe.read_to_end(&mut bytes);
            let _ = io::copy(&mut pipe.into_inner(), &mut io::sink());
        }
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receive
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_are_seen() {
        let ended = run(
            &mut shell("echo out; echo err >&2; exit 3"),
            Duration::from_secs(20),
        )
        .unwrap();
        assert_eq!((&*ended.stdout, &*ended.stderr), ("out\n", "err\n"));
        assert_eq!(ended.how(), "exit status 3");
        assert_eq!(ended.first_line(), "err");
    }

    #[test]
    fn a_signal_is_named() {
        let ended = run(&mut shell("kill -SYS $$"), Duration::from_secs(20)).unwrap();
        assert_eq!(ended.how(), "killed by SIGSYS");
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_what_it_started() {
        let start = Instant::now();
        let dir = tempfile::tempdir().unwrap();
        let pid_file = dir.path().join("pid");
        let script = format!("sleep 100 & echo $! > {}; wait", pid_file.display());
        let error = run(&mut shell(&script), Duration::from_millis(500)).unwrap_err();
        assert!(matches!(error, ChildError::Timeout(_)));
        assert!(start.elapsed() < Duration::from_secs(50));
        let pid = std::fs::read_to_string(pid_file).unwrap();
        let status = format!("/proc/{}/status", pid.trim());
        // The orphan may be a zombie until its new parent looks.
        while let Ok(text) = std::fs::read_to_string(&status) {
            if text.contains("State:\tZ") {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(50), "{text}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn more_output_than_is_kept_does_not_block_the_program() {
        let ended = run(
            &mut shell("head -c 3000000 /dev/zero"),
            Duration::from_secs(20),
        )
        .unwrap();
        assert!(ended.status.success());
        assert_eq!(ended.stdout.len() as u64, OUTPUT_BYTES);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let error = run(&mut Command::new("/no/such"), Duration::from_secs(1)).unwrap_err();
        assert!(matches!(error, ChildError::Start(_)));
    }
}
