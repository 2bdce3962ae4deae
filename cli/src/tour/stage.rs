//! Where the tour plays: its folder, what it says, and the commands it runs.

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::interrupt::Interrupted;
use super::{COMMAND, Role};
use crate::doctor::child::{self, Ended};
use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::readable::{quoted, wrapped};

/// The widest line of running text.
const WIDTH: usize = 88;

/// Longer than any command of the tour takes on a machine that is merely busy.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// The tour's surroundings.
pub(super) struct Stage {
    program: PathBuf,
    folder: tempfile::TempDir,
    keep: bool,
    interrupted: Interrupted,
}

impl Stage {
    /// A folder of its own, which goes away with the stage.
    pub(super) fn new(keep: bool) -> Result<Self, Failure> {
        let interrupted = Interrupted::watch();
        let program = std::env::current_exe()
            .map_err(|error| Failure::new("find the program itself", error))?;
        let create = || {
            tempfile::Builder::new()
                .prefix("reprise-tour-")
                .disable_cleanup(keep)
                .tempdir()
        };
        let folder = if keep {
            create()
        } else {
            interrupted.guard(create, |folder| folder.path().into())
        };
        let folder = folder.map_err(|error| {
            let place = std::env::temp_dir();
            // The name that was tried is chance, and says nothing.
            let why = error.to_string();
            let why = why.split(" at path ").next().unwrap_or_default();
            Failure::new(format!("create a folder in {}", place.display()), why)
                .next("TMPDIR=. reprise tour    plays it in the current folder")
        })?;
        Ok(Self {
            program,
            folder,
            keep,
            interrupted,
        })
    }

    /// Passes on how the tour went, unless it is being interrupted.
    pub(super) fn outcome<T>(&self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        if outcome.is_err() {
            self.interrupted.hold_back();
        }
        outcome
    }

    /// A file of the tour.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn title(&self, number: usize, title: &str) -> Result<(), Failure> {
        print(&format!("\n{number}. {title}\n"))
    }

    /// Running text.
    pub(super) fn say(&self, text: &str) -> Result<(), Failure> {
        let mut lines = String::new();
        for line in wrapped(text, WIDTH) {
            lines += &line;
            lines.push('\n');
        }
        print(&lines)
    }

    /// Runs `reprise` with these arguments in the tour's folder and shows the
    /// command and what it prints: the first `lines` lines, if not all.
    pub(super) fn command(
        &self,
        arguments: &[&str],
        lines: Option<usize>,
    ) -> Result<Ended, Failure> {
        let (words, ended) = self.run(arguments)?;
        let pipe = lines.map_or(String::new(), |lines| format!(" | head -n {lines}"));
        let lines = lines.unwrap_or(usize::MAX);
        self.print_command(&format!("{words}{pipe}"), &ended, lines, &[])?;
        Ok(ended)
    }

    /// The same, and shows nothing.
    pub(super) fn quietly(&self, arguments: &[&str]) -> Result<Ended, Failure> {
        Ok(self.run(arguments)?.1)
    }

    /// The same, but lines that begin in these ways are left out.
    pub(super) fn command_without(
        &self,
        arguments: &[&str],
        noise: &[&str],
    ) -> Result<Ended, Failure> {
        let (words, ended) = self.run(arguments)?;
        self.print_command(&words, &ended, usize::MAX, noise)?;
        Ok(ended)
    }

    fn print_command(
        &self,
        words: &str,
        ended: &Ended,
        lines: usize,
        noise: &[&str],
    ) -> Result<(), Failure> {
        let mut text = format!("\n  $ reprise {words}\n");
        let output = ended.stdout.lines().take(lines);
        // What reprise prints is escaped already.
        for line in ended.stderr.lines().chain(output) {
            if noise.iter().any(|noise| line.starts_with(noise)) {
                continue;
            }
            text += format!("  {line}").trim_end();
            text.push('\n');
        }
        text.push('\n');
        print(&text)
    }

    /// Shows what was typed and answered elsewhere.
    pub(super) fn transcript(&self, lines: &str) -> Result<(), Failure> {
        let mut text = String::from("\n");
        for line in lines.lines() {
            text += &format!("  {line}\n");
        }
        text.push('\n');
        print(&text)
    }

    fn run(&self, arguments: &[&str]) -> Result<(String, Ended), Failure> {
        let words: Vec<_> = arguments
            .iter()
            .map(|word| quoted(word.as_bytes()))
            .collect();
        let words = String::from_utf8_lossy(&words.join(&b' ')).into_owned();
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.folder());
        let ended = child::run(&mut command, LIMIT)
            .map_err(|error| Failure::new(format!("run reprise {words}"), error))?;
        Ok((words, ended))
    }

    /// Runs `reprise show`, all of whose output is shown, and which must work.
    pub(super) fn show(&self, arguments: &[&str]) -> Result<Ended, Failure> {
        let mut words = vec!["show"];
        words.extend_from_slice(arguments);
        let ended = self.command(&words, None)?;
        if ended.status.success() {
            return Ok(ended);
        }
        Err(wrong(&format!("reprise show: {}", ended.how())))
    }

    /// Starts one of the tour's own parts.
    pub(super) fn start(&self, role: Role, variable: &str, path: &Path) -> Result<Part, Failure> {
        let name = match role {
            Role::Ledger => "ledger",
            Role::Recorder => "recorder",
            Role::DebuggedReplay => "debugged-replay",
        };
        let child = Command::new(&self.program)
            .args([COMMAND, name])
            .env(variable, path)
            .current_dir(self.folder())
            .env("TMPDIR", self.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child =
            child.map_err(|error| Failure::new(format!("start the tour's {name}"), error))?;
        let output = child.stdout.take().map(BufReader::new);
        let errors = child.stderr.take().map(BufReader::new);
        Ok(Part {
            child,
            output,
            errors,
        })
    }

    /// The last words.
    pub(super) fn end(&self) -> Result<(), Failure> {
        let folder = quoted(self.folder().as_os_str().as_encoded_bytes()).into_owned();
        let folder = format!("cd {}", escape(&folder, Lines::One));
        let again = if self.keep {
            (&*folder, "the recordings of this tour")
        } else {
            (
                "reprise tour --keep",
                "this tour again, with its recordings kept",
            )
        };
        let steps = [
            again,
            (
                "reprise record --last 10s -- PROGRAM",
                "record a program of your own until it crashes",
            ),
            (
                "reprise record --observe 'com.acme.**' -- java …",
                "record classes of your own",
            ),
            (
                "reprise record --schedule --runs 1000 --until-failure -- java …",
                "find the order of threads with which a program fails",
            ),
            (
                "reprise replay --debug",
                "the latest recording under gdb or a Java debugger",
            ),
            (
                "reprise cut --help",
                "record some functions of a C program (needs LLVM 19)",
            ),
            ("reprise show --help", "all about looking into a recording"),
            (
                "reprise doctor",
                "what works on this machine, and the fix for the rest",
            ),
        ];
        let width = steps
            .iter()
            .map(|(step, _)| step.chars().count())
            .max()
            .unwrap_or(0);
        let mut text = String::from("\nWhere to go on\n");
        for (step, what) in steps {
            text += &format!("  {step:width$}    {what}\n");
        }
        text.push('\n');
        print(&text)
    }
}

/// A part of the tour in a process of its own. It ends with this value.
pub(super) struct Part {
    child: Child,
    output: Option<BufReader<ChildStdout>>,
    errors: Option<BufReader<ChildStderr>>,
}

impl Part {
    /// The next line it says; `None` when it has ended.
    pub(super) fn line(&mut self) -> Option<String> {
        next_line(self.output.as_mut()?)
    }

    /// The next line it says on its standard error.
    pub(super) fn error_line(&mut self) -> Option<String> {
        next_line(self.errors.as_mut()?)
    }

    /// Hears what it says from another thread.
    pub(super) fn take_output(&mut self) -> Option<BufReader<ChildStdout>> {
        self.output.take()
    }

    /// Kills it with SIGKILL, which no program can do anything about.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    pub(super) fn wait(&mut self) -> Option<ExitStatus> {
        self.child.wait().ok()
    }

    /// Ends it. What it had to complain about is the reason for a failure.
    pub(super) fn wrong(&mut self, what: &str) -> Failure {
        self.kill();
        let mut complaint = String::new();
        if let Some(errors) = &mut self.errors {
            let _ = errors.read_to_string(&mut complaint);
        }
        match complaint.lines().next() {
            Some(line) => wrong(&format!("{what} ({line})")),
            None => wrong(what),
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next_line(pipe: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = pipe.read_line(&mut line);
    // A line that was cut off was not said.
    (read.is_ok() && line.pop() == Some('\n')).then_some(line)
}

/// The tour has seen something that it should not have.
pub(super) fn wrong(what: &str) -> Failure {
    Failure::new("go on with the tour", what)
        .next("reprise doctor    says whether something is amiss with this machine")
        .status(Status::Failed)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::output)
}
