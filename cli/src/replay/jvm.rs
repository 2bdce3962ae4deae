//! Recordings of chosen classes of JVM programs, as `--observe` makes them.

use std::ffi::OsString;
use std::io;
use std::net::TcpListener;

use reprise_jvm_player::jar::Classes;
use reprise_jvm_player::java::{self, Java};
use reprise_jvm_player::{Jvm, Launch, Plan, PlayError, Played};
use reprise_recording::{NotRecorded, Recording};

use super::{Request, failure, listening};
use crate::failure::{Failure, Status};
use crate::say::say;

pub(super) use reprise_jvm_player::KIND;

/// The hidden command that becomes the JVM.
pub(crate) const GUARD: &str = "__jvm";
/// How many divergences are shown when the replay goes on after them.
const SHOWN: usize = 20;
/// What is wrong when `--classes` changes nothing.
pub(super) const NONE_REPLACED: &str = "none of the recorded classes is in what --classes names";
/// More than a replay needs, and less than a machine has.
const HEAP: u64 = 2 << 30;
/// In seconds: how long a person may look at a replay that stands still in a debugger.
const DAY: u64 = 24 * 60 * 60;

/// Plays one recording.
pub(super) fn replay(request: &Request, recording: &Recording) -> Result<Status, Failure> {
    let debug = request.debug.as_ref();
    let not_here = [
        ("--process", request.process.is_some()),
        ("--output", request.output.is_some()),
        (
            "--symbols",
            debug.is_some_and(|debug| debug.symbols.is_some()),
        ),
        ("--goto", debug.is_some_and(|debug| debug.goto.is_some())),
        (
            "an argument of gdb",
            debug.is_some_and(|debug| !debug.arguments.is_empty()),
        ),
    ];
    if let Some((option, _)) = not_here.iter().find(|(_, given)| *given) {
        let wrong = format!("{option} is for recordings of processes, and this is one of a JVM");
        return Err(failure(request, wrong).status(Status::BadInput));
    }
    let plan = plan(request, &classes(request)?, recorded_release(recording));
    let mut jvm = start(request, recording)?;
    let played = jvm.play(recording, &plan);
    let played = played.map_err(|error| explain(request, &error))?;
    if !request.classes.is_empty() && played.replaced == 0 {
        return Err(failure(request, NONE_REPLACED)
            .next("reprise show FILE    says which classes were recorded")
            .status(Status::BadInput));
    }
    for divergence in played.divergences.iter().take(SHOWN) {
        say(&divergence.to_string());
    }
    say(&describe(&played));
    if played.diverged > 0 && request.classes.is_empty() {
        for NotRecorded { what, why, .. } in recording.not_recorded().iter().take(SHOWN) {
            say(&format!("  this was not recorded: {what}, {why}"));
        }
    }
    if played.diverged > 0
        && played.threads > 1
        && request.classes.is_empty()
        && !has_races(recording)
    {
        say(
            "  if its threads share plain fields or arrays, record it with --races, which keeps their order there",
        );
    }
    Ok(match played.diverged {
        0 => Status::Done,
        _ => Status::Diverged,
    })
}

/// The classes of another version.
pub(super) fn classes(request: &Request) -> Result<Classes, Failure> {
    let mut classes = Classes::default();
    for path in &request.classes {
        classes.add(path).map_err(|error| {
            Failure::new(format!("read the classes in {}", path.display()), error)
                .next("--classes JAR-OR-FOLDER")
                .status(Status::BadInput)
        })?;
    }
    Ok(classes)
}

/// How a recording of a release is played.
pub(super) fn plan(request: &Request, classes: &Classes, release: Option<u32>) -> Plan {
    Plan {
        keep_going: request.keep_going,
        classes: classes.of_release(release.unwrap_or(u32::MAX)),
    }
}

pub(super) fn recorded_release(recording: &Recording) -> Option<u32> {
    let version = recording.manifest().versions.get("java")?;
    java::release(version)
}

/// A JVM of the release that was recorded, behind walls.
pub(super) fn start(request: &Request, recording: &Recording) -> Result<Jvm, Failure> {
    let wanted = recorded_release(recording);
    let found = java::found();
    let java = found
        .iter()
        .find(|java| wanted.is_none_or(|wanted| java.release == wanted));
    let Some(Java { program, .. }) = java else {
        return Err(no_jvm(request, wanted, &found));
    };
    let asked = request.debug.as_ref();
    let port = asked
        .map(|debug| debug.port.unwrap_or(0))
        .map(free_port)
        .transpose()
        .map_err(|error| {
            Failure::new("find a port for the debugger", error).next("reprise replay --port PORT")
        })?;
    let own = std::env::current_exe()
        .map_err(|error| Failure::new("find this program's own file", error))?;
    let guard: [OsString; 4] = [
        own.into(),
        GUARD.into(),
        request.seconds.to_string().into(),
        port.unwrap_or(0).to_string().into(),
    ];
    let launch = Launch {
        java: program.clone(),
        guard: guard.to_vec(),
        memory: request.memory.min(HEAP),
        // A person with a debugger takes their time.
        seconds: if port.is_some() { 0 } else { request.seconds },
        standstill: if port.is_some() { DAY } else { 0 },
        debug: port,
    };
    let jvm = Jvm::start(&launch).map_err(|error| explain(request, &error))?;
    if let Some(port) = port {
        listening::wait(port);
        say(&format!(
            "waiting for a Java debugger; attach one with: jdb -attach 127.0.0.1:{port}"
        ));
    }
    Ok(jvm)
}

/// Which release is needed, which there are, and how to name one.
fn no_jvm(request: &Request, wanted: Option<u32>, found: &[Java]) -> Failure {
    let folders = java::folders();
    let folders: Vec<String> = folders
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut releases: Vec<u32> = found.iter().map(|java| java.release).collect();
    releases.sort_unstable();
    releases.dedup();
    let releases: Vec<String> = releases.iter().map(u32::to_string).collect();
    let here = match &releases[..] {
        [] => "no JDK is".to_owned(),
        [one] => format!("only Java {one} is"),
        many => format!("only Java {} are", many.join(", ")),
    };
    let wanted = wanted.map_or_else(|| "any".to_owned(), |wanted| wanted.to_string());
    let wrong = format!(
        "it is played by Java {wanted}, on which it was recorded, and {here} in JAVA_HOME, on the \
         PATH and in {}",
        folders.join(", ")
    );
    failure(request, wrong)
        .next(format!("sudo apt install openjdk-{wanted}-jdk-headless"))
        .next(format!(
            "JAVA_HOME=FOLDER-OF-JAVA-{wanted} reprise replay {}",
            request.path.display()
        ))
}

/// The port itself, or one that is free.
pub(super) fn free_port(port: u16) -> io::Result<u16> {
    match port {
        0 => Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port()),
        port => Ok(port),
    }
}

/// Whether the order of threads was recorded at plain fields, too.
fn has_races(recording: &Recording) -> bool {
    recording.manifest().details.get("races") == Some(&serde_json::Value::Bool(true))
}

fn describe(played: &Played) -> String {
    let threads = match played.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let events = played.events;
    match played.diverged {
        0 if events == 0 => "nothing crossed the boundary, so there was nothing to play".to_owned(),
        0 => format!("replayed {events} events of {threads}; everything is as recorded"),
        1 => format!("replayed {events} events of {threads}; 1 divergence"),
        many => format!("replayed {events} events of {threads}; {many} divergences"),
    }
}

fn explain(request: &Request, error: &PlayError) -> Failure {
    let failure = failure(request, error);
    match error {
        PlayError::Read(_)
        | PlayError::Kind(_)
        | PlayError::Format { .. }
        | PlayError::Patterns(_)
        | PlayError::Class { .. }
        | PlayError::Unplayable { .. } => failure.status(Status::BadInput),
        PlayError::Limit(_) => failure.next("reprise replay --time 10h FILE"),
        PlayError::Start { .. } | PlayError::Gone(_) => {
            failure.next("reprise doctor    says what is missing here")
        }
    }
}
