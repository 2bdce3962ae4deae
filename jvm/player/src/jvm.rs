//! The JVM that plays: started once, given one recording after another.

use std::ffi::OsString;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reprise_recording::{Recording, Source};
use tempfile::TempPath;

use crate::divergence::Divergence;
use crate::events::{Survey, Thread};
use crate::prepare::{Prepared, prepare};
use crate::report::Said;
use crate::script::Script;
use crate::{Plan, PlayError, Played, place};

/// The Java part, compiled by the build script.
const PLAYER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/player.jar"));
/// How many divergences are kept; the rest is counted.
const KEPT: usize = 100;
/// How much of what the JVM says about itself is kept.
const COMPLAINT: u64 = 4096;

/// How to start the JVM.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The `java` program.
    pub java: PathBuf,
    /// A program with its arguments that takes everything from itself and then
    /// becomes the one whose command line follows. Empty: none.
    pub guard: Vec<OsString>,
    /// The heap, in bytes; 0 for the JVM's own idea.
    pub memory: u64,
    /// How many seconds one recording may take; 0 for any.
    pub seconds: u64,
    /// After how many seconds in which nothing happens a recording is given up; 0 for the
    /// player's own idea.
    pub standstill: u64,
    /// Wait for a debugger at this port of the loopback interface.
    pub debug: Option<u16>,
}

/// A JVM that plays.
pub struct Jvm {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<String>>,
    seconds: u64,
    /// Removed when it is no longer needed.
    _jar: TempPath,
}

impl Jvm {
    /// Starts it. It waits for the first recording.
    pub fn start(launch: &Launch) -> Result<Self, PlayError> {
        let program = launch.guard.first().map_or_else(
            || launch.java.display().to_string(),
            |guard| guard.to_string_lossy().into_owned(),
        );
        let failed = |error| PlayError::Start {
            program: program.clone(),
            error,
        };
        let mut jar = tempfile::Builder::new()
            .prefix("reprise-player-")
            .suffix(".jar")
            .tempfile()
            .map_err(failed)?;
        jar.write_all(PLAYER).map_err(failed)?;
        let jar = jar.into_temp_path();
        let mut arguments: Vec<OsString> = launch.guard.clone();
        arguments.push(launch.java.clone().into());
        arguments.extend(options(launch).into_iter().map(OsString::from));
        arguments.extend(["-cp".into(), jar.as_os_str().to_owned()]);
        arguments.push("reprise.player.Main".into());
        let mut arguments = arguments.into_iter();
        let mut command = Command::new(arguments.next().unwrap_or_default());
        let mut child = command
            .args(arguments)
            .env_remove("JAVA_TOOL_OPTIONS")
            .env_remove("JDK_JAVA_OPTIONS")
            .env_remove("_JAVA_OPTIONS")
            .env_remove("CLASSPATH")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = child
            .stdin
            .take()
            .map(|input| BufWriter::with_capacity(1 << 16, input));
        let gone = || failed(std::io::ErrorKind::BrokenPipe.into());
        let output = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        let errors = child.stderr.take().ok_or_else(gone)?;
        let complaint = thread::spawn(move || {
            let mut text = Vec::new();
            let mut errors = errors;
            let _ = errors.by_ref().take(COMPLAINT).read_to_end(&mut text);
            let _ = std::io::copy(&mut errors, &mut std::io::sink());
            String::from_utf8_lossy(&text).into_owned()
        });
        Ok(Self {
            child,
            input,
            output,
            complaint: Some(complaint),
            seconds: launch.seconds,
            _jar: jar,
        })
    }

    /// Plays a recording. After an error the JVM is good for nothing.
    pub fn play<S: Source>(
        &mut self,
        recording: &Recording<S>,
        plan: &Plan,
    ) -> Result<Played, PlayError> {
        let prepared = prepare(recording, plan)?;
        let survey = Survey::of(recording, &prepared.tables)?;
        if survey.threads.is_empty() {
            // Nothing ever crossed the boundary.
            return Ok(Played::default());
        }
        let oracle = crate::events::has_oracle(recording);
        let Some(input) = self.input.as_mut() else {
            return Err(PlayError::Gone("it was ended".to_owned()));
        };
        let watchdog = Watchdog::set(&self.child, self.seconds);
        let output = &mut self.output;
        let threads = &survey.threads;
        let (written, said) = thread::scope(|scope| {
            let listener = scope.spawn(move || listen(output, threads));
            let started = Script::begin(input, oracle, plan.keep_going);
            let written = match started {
                Ok(script) => tell(script, recording, &prepared, &survey),
                Err(error) => Ok(Err(error)),
            };
            if !matches!(written, Ok(Ok(_))) {
                // Nobody would ever say that it is done.
                let _ = kill(pid(&self.child), Signal::SIGKILL);
            }
            (written, listener.join())
        });
        let late = watchdog.is_some_and(Watchdog::stop);
        // What cannot be read explains why the JVM was ended.
        let told = match &written {
            Ok(Ok(told)) => *told,
            _ => 0,
        };
        let written = written?;
        let said = said.unwrap_or(Err(Trouble::Gone));
        match said {
            Ok(played) if played.diverged == 0 && played.events != told => Err(PlayError::Gone(
                format!("it played {} of {told} events", played.events),
            )),
            Ok(mut played) => {
                played.threads = survey.threads.len();
                played.replaced = prepared.replaced;
                place::fill(recording, &prepared.tables, &mut played.divergences)?;
                Ok(played)
            }
            Err(Trouble::Unplayable(error)) => Err(error),
            Err(Trouble::Gone) if late => Err(PlayError::Limit("its time")),
            Err(Trouble::Gone) => {
                let complaint = self.complaint();
                let why = match (complaint.trim(), written) {
                    ("", Err(error)) => error.to_string(),
                    ("", Ok(_)) => "it said nothing more".to_owned(),
                    (complaint, _) => complaint.to_owned(),
                };
                Err(PlayError::Gone(why))
            }
        }
    }

    /// Ends it and returns what it complained about.
    fn complaint(&mut self) -> String {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        let complaint = self.complaint.take();
        complaint
            .and_then(|thread| thread.join().ok())
            .unwrap_or_default()
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(&[0]);
            let _ = input.flush();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

fn options(launch: &Launch) -> Vec<String> {
    let mut options: Vec<String> = [
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        // Standard output is for what the player says.
        "-XX:+DisplayVMOutputToStderr",
        "-Xlog:disable",
        "-Xlog:all=warning:stderr",
        "-XX:-UsePerfData",
        "-Xshare:auto",
        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--add-exports=java.base/jdk.internal.module=ALL-UNNAMED",
    ]
    .map(str::to_owned)
    .to_vec();
    if launch.memory > 0 {
        options.push(format!("-Xmx{}m", (launch.memory >> 20).max(64)));
    }
    if launch.standstill > 0 {
        options.push(format!("-Dreprise.standstill={}", launch.standstill));
    }
    if let Some(port) = launch.debug {
        options.push(format!(
            "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,quiet=y,address=127.0.0.1:{port}"
        ));
    }
    options
}

/// Tells the JVM everything; returns how many events there are. A recording that cannot be read is one error, a
/// JVM that does not listen another.
fn tell<S: Source>(
    mut script: Script<impl Write>,
    recording: &Recording<S>,
    prepared: &Prepared,
    survey: &Survey,
) -> Result<std::io::Result<u64>, PlayError> {
    let mut told = 0;
    let mut written = prepared.write(&mut script);
    for thread in &survey.threads {
        written = written.and_then(|()| script.thread(thread.id, &thread.name));
    }
    for (class, thread) in &survey.initialisers {
        written = written.and_then(|()| script.initialiser(*class, *thread));
    }
    for ((class, thread), number) in &survey.early {
        written = written.and_then(|()| script.early(*class, *thread, *number));
    }
    if written.is_ok() {
        written = survey.each(recording, &prepared.tables, |step| {
            told += 1;
            script.event(step, &survey.mentions)
        })?;
    }
    Ok(written.and_then(|()| script.end()).map(|()| told))
}

enum Trouble {
    Unplayable(PlayError),
    Gone,
}

/// Hears the JVM out.
fn listen(output: &mut impl Read, threads: &[Thread]) -> Result<Played, Trouble> {
    let mut played = Played::default();
    let find = |id: u32| threads.iter().find(|thread| thread.id == id);
    loop {
        match Said::read(output).map_err(|_| Trouble::Gone)? {
            Said::Diverged {
                thread,
                number,
                location,
                expected,
                actual,
            } => {
                if played.divergences.len() < KEPT {
                    let thread = find(thread);
                    played.divergences.push(Divergence {
                        stream: thread.map(|thread| thread.stream).unwrap_or_default(),
                        thread: thread.map(|thread| thread.name.clone()).unwrap_or_default(),
                        position: number,
                        location,
                        expected,
                        actual,
                    });
                }
            }
            Said::Done { events, diverged } => {
                played.events = events;
                played.diverged = diverged;
                return Ok(played);
            }
            Said::Unplayable {
                thread,
                number,
                why,
            } => {
                let thread = find(thread).map_or_else(String::new, |thread| thread.name.clone());
                return Err(Trouble::Unplayable(PlayError::Unplayable {
                    thread,
                    number,
                    why,
                }));
            }
        }
    }
}

/// Ends a JVM that takes too long.
struct Watchdog {
    done: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watchdog {
    fn set(child: &Child, seconds: u64) -> Option<Self> {
        if seconds == 0 {
            return None;
        }
        let pid = pid(child);
        let (done, wait) = channel();
        let thread = thread::spawn(move || {
            let waited = wait.recv_timeout(Duration::from_secs(seconds));
            let late = waited == Err(RecvTimeoutError::Timeout);
            if late {
                let _ = kill(pid, Signal::SIGKILL);
            }
            late
        });
        Some(Self { done, thread })
    }

    /// Whether it had to.
    fn stop(self) -> bool {
        drop(self.done);
        self.thread.join().unwrap_or(false)
    }
}
