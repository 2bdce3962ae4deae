//! Many runs in one JVM: it is asked for one after the other, and answers how each went.
//!
//! Nothing that is kept comes from here. What was found in such a JVM is run once more in
//! one of its own, so a program that notices the difference costs time and no more.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::pipe2;

use super::run::{Choice, Run};
use crate::agent_library;
use crate::record::observe::command::{self, Handed};
use crate::record::observe::text;

/// Why a JVM with a run that does not end is of no use any more.
const ENDLESS: &str = "one of them came to no end";

/// How long a JVM may take to start, beside its first run.
const STARTING: Duration = Duration::from_secs(60);

/// Longer than a run may take that others have taken this long for.
fn limit(longest: Duration) -> Duration {
    longest * 20 + Duration::from_secs(60)
}

/// A JVM for many runs of a program.
pub struct Shared<'c> {
    command: &'c [OsString],
    /// Where the plan with the places of a schedule is, if there is one.
    guide: Option<PathBuf>,
    /// What the program is given that is another value in every run.
    values: Option<PathBuf>,
    jvm: Option<Jvm>,
    longest: Duration,
    most: Duration,
}

/// Why each run needs a JVM of its own.
#[derive(Debug)]
pub struct Unfit(pub String);

/// A JVM that is running.
struct Jvm {
    child: Child,
    requests: std::fs::File,
    answers: std::fs::File,
    buffer: Vec<u8>,
}

impl<'c> Shared<'c> {
    /// Starts nothing yet.
    pub fn new(command: &'c [OsString], guide: Option<PathBuf>, values: Option<PathBuf>) -> Self {
        Self {
            command,
            guide,
            values,
            jvm: None,
            longest: Duration::ZERO,
            most: Duration::MAX,
        }
    }

    /// No run may take longer than this.
    #[must_use]
    pub fn within(mut self, most: Duration) -> Self {
        self.most = most;
        self
    }

    /// Runs the program once.
    pub fn run(&mut self, choice: Choice<'_>) -> Result<Run, Unfit> {
        let request = match choice {
            Choice::Strategy { name, seed, steps } => format!("run {name} {seed} {steps}\n"),
            Choice::Guide(file) => {
                let file = text(file).map_err(Unfit)?;
                format!("guide {file}\n")
            }
            Choice::Merge(file) => {
                let file = text(file).map_err(Unfit)?;
                format!("merge {file}\n")
            }
        };
        let began = Instant::now();
        // One that has had many runs ends, and another takes its place.
        for is_new in [self.jvm.is_none(), true] {
            if self.jvm.is_none() {
                let started =
                    Jvm::start(self.command, self.guide.as_deref(), self.values.as_deref());
                self.jvm = Some(started.map_err(Unfit)?);
            }
            let Some(jvm) = &mut self.jvm else { break };
            let extra = if is_new { STARTING } else { Duration::ZERO };
            match jvm.run(&request, limit(self.longest).min(self.most) + extra) {
                Ok(Some(run)) => {
                    if !is_new {
                        self.longest = self.longest.max(began.elapsed());
                    }
                    return Ok(run);
                }
                Ok(None) => self.jvm = None,
                Err(why) => {
                    self.jvm = None;
                    // Vectors may well let a thread wait for ever in a loop.
                    if why.0 == ENDLESS && matches!(choice, Choice::Merge(_)) {
                        return Ok(Run::endless());
                    }
                    return Err(why);
                }
            }
        }
        Err(Unfit("it ends the JVM that its runs share".to_owned()))
    }
}

impl Jvm {
    fn start(
        command: &[OsString],
        guide: Option<&Path>,
        values: Option<&Path>,
    ) -> Result<Self, String> {
        let program = command.first().cloned().unwrap_or_default();
        if command::launcher(&program).is_none() {
            return Err("the command is not a JDK's own java".to_owned());
        }
        let pipes = || -> nix::Result<_> {
            let (requested, requests) = pipe2(OFlag::O_CLOEXEC)?;
            let (answers, answering) = pipe2(OFlag::O_CLOEXEC)?;
            for inherited in [&requested, &answering] {
                fcntl(inherited, FcntlArg::F_SETFD(FdFlag::empty()))?;
            }
            Ok((requested, requests, answers, answering))
        };
        let (requested, requests, answers, answering) =
            pipes().map_err(|error| error.to_string())?;
        let library = agent_library::find().map_err(|missing| missing.why)?;
        let named = |end: &OwnedFd| format!("/proc/self/fd/{}", end.as_raw_fd());
        let mut options = format!(
            "explore=serve,requests={},answers={}",
            named(&requested),
            named(&answering)
        );
        if let Some(guide) = guide {
            options += &format!(",guide={}", text(guide)?);
        }
        options += &super::values::option(values)?;
        let handed = Handed::new(&library, &options)?;
        let child = handed
            .command(command, true)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        Ok(Self {
            child,
            requests: requests.into(),
            answers: answers.into(),
            buffer: Vec::new(),
        })
    }

    /// Asks for a run; none if the JVM has ended before it answered anything.
    fn run(&mut self, request: &str, limit: Duration) -> Result<Option<Run>, Unfit> {
        if self.requests.write_all(request.as_bytes()).is_err() {
            return Ok(None);
        }
        let end = Instant::now() + limit;
        let mut run = Run::default();
        let mut any = false;
        loop {
            let line = match self.line(end) {
                Ok(Some(line)) => line,
                Ok(None) if any => {
                    let why = "it ends the JVM that its runs share".to_owned();
                    return Err(Unfit(why));
                }
                Ok(None) => return Ok(None),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    return Err(Unfit(ENDLESS.to_owned()));
                }
                Err(error) => return Err(Unfit(error.to_string())),
            };
            any = true;
            match line.split_once(' ') {
                Some(("over", status)) => {
                    run.status = status.parse().unwrap_or(u8::MAX);
                    return Ok(Some(run));
                }
                Some(("unfit" | "refused", why)) => return Err(Unfit(why.to_owned())),
                _ => run.add(&line),
            }
        }
    }

    /// The next line of the answer; none at its end.
    fn line(&mut self, end: Instant) -> io::Result<Option<String>> {
        loop {
            if let Some(at) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(at + 1);
                let line = std::mem::replace(&mut self.buffer, rest);
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                return Ok(Some(String::from_utf8_lossy(line).into_owned()));
            }
            let left = end.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            let mut waited = [PollFd::new(self.answers.as_fd(), PollFlags::POLLIN)];
            match poll(&mut waited, timeout) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            let mut bytes = [0; 4096];
            let read = self.answers.read(&mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.buffer.extend(bytes.iter().take(read));
        }
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
