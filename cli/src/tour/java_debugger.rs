//! jdb on a replay, as a person would use it: a breakpoint, a variable, on.

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use super::Role;
use super::stage::{LIMIT, Stage, wrong};
use crate::escape::{Lines, escape};
use crate::failure::Failure;

/// The variable by which the replay knows its recording.
pub(super) const FILE: &str = "REPRISE_TOUR_FILE";

/// What is typed, and what is awaited before the next prompt.
const STEPS: &[(&str, &str)] = &[
    ("stop at Bill:28", "Bill:28"),
    ("cont", "Breakpoint hit"),
    ("print guests", "guests = 3"),
    ("cont", "Breakpoint hit"),
    ("cont", "Breakpoint hit"),
    ("print guests", "guests = 0"),
];

/// Replays the recording for jdb, goes through the steps and shows them.
pub(super) fn stop_and_print(stage: &Stage, file: &str, jdb: &Path) -> Result<(), Failure> {
    let mut replay = stage.start(Role::DebuggedReplay, FILE, &stage.file(file))?;
    let Some(line) = replay.error_line() else {
        return Err(replay.wrong("the replay did not wait for a debugger"));
    };
    let address = line.rsplit(' ').next().unwrap_or_default().to_owned();
    let mut shown = format!("$ reprise replay --debug {file}\n{line}\n");
    shown += &format!("$ jdb -sourcepath . -attach {address}\n");
    let mut session = Session::start(stage, jdb, &address)?;
    session.wait_for("] ")?;
    for (step, awaited) in STEPS {
        shown += &format!("{}{step}\n", session.prompt());
        shown += &session.step(step, awaited)?;
    }
    shown += &format!("{}quit\n", session.prompt());
    session.type_line("quit")?;
    while let Some(line) = replay.error_line() {
        shown += &format!("{line}\n");
    }
    stage.transcript(&shown)?;
    let ended = replay.wait().is_some_and(|status| status.success());
    if ended {
        return Ok(());
    }
    Err(wrong("the replay under the debugger failed"))
}

/// A jdb that is running. It ends with this value.
struct Session {
    jdb: Child,
    pieces: Receiver<String>,
    text: String,
    prompt: String,
}

impl Session {
    fn start(stage: &Stage, jdb: &Path, address: &str) -> Result<Self, Failure> {
        let fail = |error| Failure::new(format!("start {}", jdb.display()), error);
        let mut jdb = Command::new(jdb)
            // Its messages are waited for, so they have to be in one language.
            .args(["-J-Duser.language=en", "-sourcepath", ".", "-attach"])
            .arg(address)
            .current_dir(stage.file(""))
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(fail)?;
        let (sender, pieces) = channel();
        let output = jdb.stdout.take();
        thread::spawn(move || {
            let mut bytes = [0; 1024];
            let Some(mut output) = output else { return };
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                let piece = String::from_utf8_lossy(&bytes[..length]).into_owned();
                if sender.send(piece).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            jdb,
            pieces,
            text: String::new(),
            prompt: String::new(),
        })
    }

    /// What jdb last asked with: `main[1] `.
    fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Types a line, waits for an answer with these words and for the next
    /// prompt, and returns the answer.
    fn step(&mut self, line: &str, awaited: &str) -> Result<String, Failure> {
        self.type_line(line)?;
        let mut answer = self.wait_for(awaited)?;
        answer += &self.wait_for("] ")?;
        let mut lines: Vec<&str> = answer.lines().collect();
        lines.pop();
        let mut shown = String::new();
        for line in lines {
            // It prompts at once when the program goes on.
            let line = line.strip_prefix("> ").unwrap_or(line).trim_end();
            if !line.is_empty() {
                shown += &format!("{}\n", escape(line.as_bytes(), Lines::One));
            }
        }
        Ok(shown)
    }

    fn type_line(&mut self, line: &str) -> Result<(), Failure> {
        let Some(input) = &mut self.jdb.stdin else {
            return Err(wrong("jdb does not listen"));
        };
        writeln!(input, "{line}").map_err(|error| Failure::new("talk to jdb", error))
    }

    /// Everything that it says up to these words.
    fn wait_for(&mut self, words: &str) -> Result<String, Failure> {
        while !self.text.contains(words) {
            match self.pieces.recv_timeout(LIMIT) {
                Ok(piece) => self.text += &piece,
                Err(_) => {
                    let said = self.text.trim().replace('\n', " ");
                    return Err(wrong(&format!("jdb did not say {words:?}, but {said:?}")));
                }
            }
        }
        let end = self.text.find(words).unwrap_or(0) + words.len();
        let rest = self.text.split_off(end);
        let said = std::mem::replace(&mut self.text, rest);
        if words == "] " {
            let prompt = said.lines().last().unwrap_or_default();
            prompt.clone_into(&mut self.prompt);
        }
        Ok(said)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.jdb.kill();
        let _ = self.jdb.wait();
    }
}
