//! `--schedule=free`: the threads of a JVM program run as they like, and the order in which
//! they synchronise becomes a schedule.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use reprise_schedule::observed::{self, Trace};
use reprise_schedule::{
    CodeLocation, Command, Location, MessageAction, Messages, Method, Name, ThreadId,
};
use reprise_turns::facts::Facts;

use super::Request;
use super::observe::command::{self, Handed};
use super::observe::{child, class_path, not_started, text};
use super::schedule::{ALONE, next, output};
use crate::agent_library;
use crate::failure::{Failure, Status};
use crate::readable;
use crate::say::say;
use crate::schedule::made::Made;
use crate::schedule::program;
use crate::schedule::run::Run;
use crate::schedule::values;

/// Runs the command and records it.
pub fn run(request: &Request, all: bool) -> Result<Status, Failure> {
    let out = output(request, "sched")?;
    let program = request.command.first().cloned().unwrap_or_default();
    let folder = tempfile::Builder::new().prefix("reprise-free-").tempdir();
    let folder = folder.map_err(|error| Failure::new("make a folder", error))?;
    let launcher = command::launcher(&program).is_some();
    let made = Made::prepare(&request.command);
    let made = made.map_err(|error| Failure::new("make a folder", error))?;
    let handed = prepare(request, all, launcher, folder.path(), &made);
    let mut command = match handed {
        Ok(handed) => handed.command(&request.command, launcher),
        Err(why) => return unrecorded(request, &why),
    };
    let ended = child::run_for(&mut command, None);
    let ended = ended.map_err(|error| not_started(&program, error))?;
    let run = Run::read(&folder.path().join("reports"), &ended);
    for line in &run.said {
        say(line);
    }
    let written = Parts::read(&folder.path().join("parts"));
    let written = written.and_then(|parts| parts.write(&out, &run.lacks));
    if matches!(written, Ok(Some(_)))
        && let Err(error) = made.keep(&out)
    {
        say(&format!(
            "the classes that the program made cannot be kept: {error}"
        ));
    }
    match written {
        Ok(Some(told)) => tell(request, &out, &run, &told),
        Ok(None) => say("nothing was recorded: no JVM ran code of a program"),
        Err(error) => say(&format!(
            "the schedule {} cannot be written: {error}",
            out.display()
        )),
    }
    Ok(Status::Subject(run.status))
}

/// What the agent is told, and the files that it reads and writes.
fn prepare(
    request: &Request,
    all: bool,
    launcher: bool,
    folder: &Path,
    made: &Made,
) -> Result<Handed, String> {
    let library = agent_library::find().map_err(|missing| missing.why)?;
    let (parts, reports) = (folder.join("parts"), folder.join("reports"));
    let facts = folder.join("facts");
    let make = || -> io::Result<()> {
        fs::create_dir(&parts)?;
        fs::create_dir(&reports)?;
        let mut known = Facts::default();
        let arguments = request.command.get(1..).unwrap_or_default();
        let places = launcher.then(|| class_path::places(arguments)).flatten();
        let release = program::release(&request.command);
        for place in places.unwrap_or_default() {
            // What is not there, the JVM passes over as well.
            let _ = program::each_class(&place, release, &mut |bytes| {
                let _ = known.add(bytes);
            });
        }
        fs::write(&facts, known.write())
    };
    make().map_err(|error| error.to_string())?;
    let options = format!(
        "free={},facts={},out={},report={}",
        if all { "all" } else { "sync" },
        text(&facts)?,
        text(&parts)?,
        text(&reports)?
    );
    Handed::new(&library, &(options + &made.option()?))
}

/// The command matters more than its recording.
pub(super) fn unrecorded(request: &Request, why: &str) -> Result<Status, Failure> {
    if request.require {
        return Err(Failure::new("record the order of threads", why)
            .next("reprise doctor    says what is missing here")
            .status(Status::NoRecorder));
    }
    say(&format!("{why}; the command runs unrecorded"));
    let program = request.command.first().cloned().unwrap_or_default();
    let arguments = request.command.get(1..).unwrap_or_default();
    let ended = child::run(std::process::Command::new(&program).args(arguments));
    let ended = ended.map_err(|error| not_started(&program, error))?;
    Ok(Status::Subject(ended))
}

/// What threads have written.
struct Parts {
    traces: Vec<Trace>,
    /// The places by number.
    places: Vec<Place>,
}

/// A place that a thread may come to.
#[derive(Default)]
struct Place {
    location: Option<CodeLocation>,
    /// What a person is told of it.
    note: String,
    /// Whether it is a call that a thread can be said to be blocked in.
    names_blocking: bool,
}

/// What is said of a schedule.
struct Told {
    threads: usize,
    events: usize,
    given_up: usize,
}

impl Parts {
    fn read(folder: &Path) -> io::Result<Self> {
        let mut parts = Vec::new();
        let index = fs::read_to_string(folder.join("parts")).unwrap_or_default();
        for line in index.lines() {
            if let Some(part) = Part::parse(line) {
                parts.push((
                    part.number,
                    part.part,
                    part.thread.clone(),
                    part.read(folder)?,
                ));
            }
        }
        parts.sort();
        let mut traces = Vec::new();
        for of_thread in parts.chunk_by(|one, next| one.0 == next.0) {
            let Some((number, _, thread, _)) = of_thread.first() else {
                continue;
            };
            let bytes: Vec<&[u8]> = of_thread.iter().map(|part| part.3.as_slice()).collect();
            traces.push(Trace::read(thread.clone(), *number, &bytes.concat()));
        }
        let sites = fs::read_to_string(folder.join("sites")).unwrap_or_default();
        let mut places = Vec::new();
        for line in sites.lines() {
            places.push(place(line).unwrap_or_default());
        }
        Ok(Self { traces, places })
    }

    /// Writes the schedule; nothing if there is none.
    fn write(&self, out: &Path, lacks: &[String]) -> io::Result<Option<Told>> {
        if self.traces.is_empty() {
            return Ok(None);
        }
        let locations = self.places.iter().map(|place| place.location.clone());
        let locations: Vec<_> = locations.collect();
        let names_blocking = |number: u32| {
            let place = self.places.get(number as usize);
            place.is_some_and(|place| place.names_blocking)
        };
        let observed = observed::schedule(&self.traces, &locations, &names_blocking);
        let mut events = 0;
        let lacks = lacks.iter().map(|lacks| {
            let lacks = lacks.replace(char::is_control, "?");
            format!("# not recorded: {lacks}\n")
        });
        let text = self.text(&observed.messages, &mut events);
        fs::write(out, lacks.collect::<String>() + &text)?;
        let values = self.values();
        if !values.is_empty() {
            values::write(out, &values)?;
        }
        Ok(Some(Told {
            threads: self.traces.len(),
            events,
            given_up: observed.given_up,
        }))
    }

    /// What threads read that is another value in every run, as the scheduler reads it.
    fn values(&self) -> String {
        let mut text = String::new();
        for trace in self.traces.iter().filter(|trace| !trace.values.is_empty()) {
            let _ = writeln!(text, "thread {}", trace.thread);
            for value in &trace.values {
                let _ = writeln!(text, "  {value}");
            }
        }
        text
    }

    /// The schedule with what a person is told of its places.
    fn text(&self, messages: &Messages, events: &mut usize) -> String {
        let notes: HashMap<&CodeLocation, &str> = self
            .places
            .iter()
            .filter_map(|place| Some((place.location.as_ref()?, place.note.as_str())))
            .collect();
        let mut text = String::new();
        for (thread, commands) in messages.threads() {
            if !text.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(text, "thread {thread}");
            for command in commands {
                self.command(command, &notes, &mut text, events);
            }
        }
        text
    }

    fn command(
        &self,
        command: &Command<MessageAction>,
        notes: &HashMap<&CodeLocation, &str>,
        text: &mut String,
        events: &mut usize,
    ) {
        let _ = match command {
            Command::Event(event) => {
                *events += 1;
                let note = match &event.location {
                    Location::Code(code) => notes.get(code).copied().unwrap_or_default(),
                    Location::Source(_) => "",
                };
                match note {
                    "" => writeln!(text, "  {event}"),
                    note => writeln!(text, "  {event}  # {note}"),
                }
            }
            Command::Action(action) => writeln!(text, "  {action}"),
            // What threads did has no loops.
            Command::Loop(_) => Ok(()),
        };
    }
}

/// A part of what a thread has written, and where it is.
pub(crate) struct Part {
    pub(crate) number: u32,
    thread: ThreadId,
    pub(crate) part: u32,
    file: u32,
    offset: u64,
    size: u64,
}

impl Part {
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split('\t');
        let mut word = || words.next();
        Some(Self {
            number: word()?.parse().ok()?,
            thread: ThreadId::parse(word()?).ok()?,
            part: word()?.parse().ok()?,
            file: word()?.parse().ok()?,
            offset: word()?.parse().ok()?,
            size: word()?.parse().ok()?,
        })
    }

    pub(crate) fn read(&self, folder: &Path) -> io::Result<Vec<u8>> {
        let mut file = fs::File::open(folder.join(self.file.to_string()))?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.take(self.size).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// A place, from its line.
fn place(line: &str) -> Option<Place> {
    let mut words = line.split('\t').skip(1);
    let class = Name::new(&words.next()?.replace('/', ".")).ok()?;
    let method = Method::new(words.next()?, words.next()?)?;
    let offset = words.next()?.parse().ok()?;
    let location = CodeLocation {
        class,
        method,
        offset,
    };
    Some(Place {
        location: Some(location),
        note: words.next().unwrap_or_default().to_owned(),
        names_blocking: words.next() == Some("in"),
    })
}

fn tell(request: &Request, out: &Path, run: &Run, told: &Told) {
    let here = std::env::current_dir().unwrap_or_default();
    let shown = out.strip_prefix(here).unwrap_or(out).display();
    let what = match run.fault() {
        Some(fault) => fault.to_string(),
        None => "status 0".to_owned(),
    };
    let missing = match told.given_up {
        0 => String::new(),
        1 => ", one order could not be kept".to_owned(),
        n => format!(", {n} orders could not be kept"),
    };
    say(&format!(
        "{what}; recorded {shown} ({}, {}{missing}{}{}); {}",
        readable::count(told.threads as u64, "thread"),
        readable::count(told.events as u64, "event"),
        if told.threads == 1 { ALONE } else { "" },
        run.lacking(),
        next(out, &shown.to_string(), &request.command)
    ));
}
