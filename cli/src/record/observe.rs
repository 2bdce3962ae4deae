//! `--observe`: chosen classes of a JVM program.
//!
//! The recording is made by the agent inside the JVM; this starts the command
//! so that its JVMs load the agent, waits, and says what became of it.
//!
//! | what | where |
//! | --- | --- |
//! | how the agent is handed to the command | [`command`] |
//! | which classes there are, before it starts | [`class_path`] |
//! | waiting, with signals passed on | [`child`] |
//! | what a set of classes would cost | [`dry_run`] |
//! | what the agents report, and the last lines | [`report`] |

pub mod child;
pub mod class_path;
pub mod command;
pub mod dry_run;
pub mod report;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reprise_probes::pattern::Patterns;

use super::{Keep, Request};
use crate::agent_library;
use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status, without_numbers};
use crate::output_name::Values;
use crate::say::say;
use command::Handed;

/// What `--observe` and its options say.
#[derive(Debug)]
pub struct Observe {
    /// The patterns as they were written, with those of lists.
    pub patterns: Vec<String>,
    /// Leave out what the inside does.
    pub no_oracle: bool,
    /// Keep the order in which threads use plain fields, too.
    pub races: bool,
    /// Record nothing, count what would be.
    pub dry_run: bool,
    /// Stop after so many events.
    pub max_events: Option<u64>,
    /// Stop above so many events a second.
    pub max_rate: Option<u64>,
    /// Stop when the disk has less room than this.
    pub min_free: Option<u64>,
}

/// Runs the command with the agent.
pub fn run(request: &Request, observe: &Observe) -> Result<Status, Failure> {
    let texts = observe.patterns.iter().map(String::as_str);
    let patterns = Patterns::parse(texts).map_err(|error| {
        Failure::new("observe classes", error)
            .next("reprise record --observe 'com.acme.**' -- java …")
            .status(Status::BadInput)
    })?;
    let program = request.command.first().cloned().unwrap_or_default();
    let launcher = command::launcher(&program);
    let mut unmatched = Vec::new();
    if launcher.is_some() {
        unmatched = class_path::unmatched(&request.command, &patterns);
    }
    let prepared = prepare(request, observe);
    let unrecordable = match (&prepared, unmatched.first()) {
        (Err(why), _) => Some(why.clone()),
        (_, Some(first)) if request.require => Some(first.clone()),
        _ => None,
    };
    if let (Some(why), true) = (&unrecordable, request.require) {
        return Err(Failure::new("record, as --require demands", why)
            .next("reprise doctor    says what is missing here")
            .status(Status::NoRecorder));
    }
    for line in &unmatched {
        say(line);
    }
    let (folder, handed) = match prepared {
        Ok(prepared) => prepared,
        Err(why) => {
            say(&format!("not recording: {why}"));
            let mut child = command::plain(&request.command);
            let ended = child::run(&mut child).map_err(|error| not_started(&program, error))?;
            return Ok(Status::Subject(ended));
        }
    };
    let mut child = handed.command(&request.command, launcher.is_some());
    let ended = child::run(&mut child).map_err(|error| not_started(&program, error))?;
    if observe.dry_run {
        return counted(folder.path(), &patterns).map(|()| Status::Subject(ended));
    }
    for line in report::lines(folder.path(), &patterns) {
        say(&line);
    }
    Ok(Status::Subject(ended))
}

/// Says what a dry run has counted, on standard error like every word about a
/// recording: standard output is the command's.
fn counted(folder: &Path, patterns: &Patterns) -> Result<(), Failure> {
    let mut found = false;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|e| e == "counts") {
            found = true;
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            let text = dry_run::Counts::read(&text).report(patterns);
            let text = escape(text.as_bytes(), Lines::Many);
            write!(io::stderr(), "\n{text}").map_err(Failure::output)?;
        }
    }
    if !found {
        say("nothing was counted: the command started no JVM that came to its end");
    }
    Ok(())
}

/// The folder for the reports, and what the command is given; or why it cannot
/// be recorded.
fn prepare(request: &Request, observe: &Observe) -> Result<(tempfile::TempDir, Handed), String> {
    let library = agent_library::find().map_err(|missing| missing.why)?;
    let folder = tempfile::Builder::new().prefix("reprise-report-").tempdir();
    let folder = folder.map_err(|error| format!("no folder for the agent's report: {error}"))?;
    let mut options = vec![
        format!("observe={}", observe.patterns.join(":")),
        format!("report={}", text(folder.path())?),
    ];
    if observe.dry_run {
        options.push("dry-run".to_owned());
        options.push(format!("out={}/%p.counts", text(folder.path())?));
    } else {
        options.push(format!("out={}", text(&output(request)?)?));
    }
    options.extend(observe.no_oracle.then(|| "no-oracle".to_owned()));
    options.extend(observe.races.then(|| "races".to_owned()));
    options.extend((request.keep == Keep::Failures).then(|| "keep=failures".to_owned()));
    let limits = [
        ("max-events", observe.max_events),
        ("max-rate", observe.max_rate),
        ("min-free", observe.min_free),
    ];
    for (name, limit) in limits {
        options.extend(limit.map(|limit| format!("{name}={limit}")));
    }
    let handed = Handed::new(&library, &options.join(","))?;
    Ok((folder, handed))
}

/// Where the recording goes, as the agent takes it: only the JVM's process is
/// left for it to fill in. Whether a file can be made there is found out now.
fn output(request: &Request) -> Result<PathBuf, String> {
    let program = request.command.first().cloned().unwrap_or_default();
    let values = Values {
        program: &program,
        pid: 0,
        time: Timestamp::now(),
    };
    let out = request.output.for_agent(&values);
    let out = std::path::absolute(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    if request.output.is_literal() && out.symlink_metadata().is_ok() {
        let out = out.display();
        return Err(format!(
            "{out} exists, and a recording is never written over"
        ));
    }
    let folder = out.parent().unwrap_or(Path::new("/"));
    let trial = folder.join(format!(".reprise-{}", std::process::id()));
    fs::File::create_new(&trial)
        .and_then(|_| fs::remove_file(&trial))
        .map_err(|error| {
            let why = without_numbers(&error.to_string());
            format!("cannot write to {}: {why}", folder.display())
        })?;
    Ok(out)
}

/// A path as part of the agent's options.
pub fn text(path: &Path) -> Result<&str, String> {
    let shown = path.display();
    match path.to_str() {
        None => Err(format!(
            "the agent cannot be given {shown}: it is not UTF-8"
        )),
        Some(text) if text.contains([',', '\n']) => Err(format!(
            "the agent cannot be given {shown}: a comma separates its options"
        )),
        Some(text) => Ok(text),
    }
}

/// The program is not there or cannot be run: the statuses that shells use.
pub fn not_started(program: &std::ffi::OsStr, error: io::Error) -> Failure {
    let missing = error.kind() == io::ErrorKind::NotFound;
    let code = if missing { 127 } else { 126 };
    Failure::new(format!("run {}", program.display()), error).status(Status::Subject(code))
}
