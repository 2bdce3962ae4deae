//! Recordings of chosen classes of JVM programs, as `--observe` makes them.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;

use reprise_jvm_player::java::{self, Java};
use reprise_jvm_player::{Jvm, Launch, Plan, PlayError, Played, jar};
use reprise_recording::Recording;

use super::{Request, failure, listening};
use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};

pub(super) use reprise_jvm_player::KIND;

/// The hidden command that becomes the JVM.
pub(crate) const GUARD: &str = "__jvm";
/// How many divergences are shown when the replay goes on after them.
const SHOWN: usize = 20;
/// More than a replay needs, and less than a machine has.
const HEAP: u64 = 2 << 30;

/// Plays one recording.
pub(super) fn replay(request: &Request, recording: &Recording) -> Result<Status, Failure> {
    let plan = plan(request)?;
    let mut jvm = start(request, recording)?;
    let played = jvm.play(recording, &plan);
    let played = played.map_err(|error| explain(request, &error))?;
    if request.classes.is_some() && played.replaced == 0 {
        let wrong = "none of the recorded classes is in what --classes names";
        return Err(failure(request, wrong).status(Status::BadInput));
    }
    for divergence in played.divergences.iter().take(SHOWN) {
        say(&divergence.to_string());
    }
    say(&describe(&played));
    Ok(match played.diverged {
        0 => Status::Done,
        _ => Status::Diverged,
    })
}

/// Plays every recording of a folder in one JVM for each release, and sums up.
pub(super) fn replay_all(request: &Request) -> Result<Status, Failure> {
    let unreadable = |error: io::Error| failure(request, error).status(Status::BadInput);
    let mut paths: Vec<PathBuf> = fs::read_dir(&request.path)
        .map_err(unreadable)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "reprise")
        })
        .collect();
    paths.sort();
    if paths.is_empty() {
        return Err(
            failure(request, "there is no recording in this folder").status(Status::BadInput)
        );
    }
    let plan = plan(request)?;
    let mut running: Option<(Option<u32>, Jvm)> = None;
    let (mut same, mut diverged, mut failed) = (0, 0, 0);
    for path in &paths {
        let one = Request {
            path: path.clone(),
            output: None,
            classes: request.classes.clone(),
            debug: request.debug.clone(),
            ..*request
        };
        match play_one(&one, &plan, &mut running) {
            Ok(played) if played.diverged == 0 => same += 1,
            Ok(played) => {
                diverged += 1;
                for divergence in played.divergences.iter().take(1) {
                    say(&format!("{}: {divergence}", path.display()));
                }
            }
            Err(error) => {
                failed += 1;
                running = None;
                say(&format!("{}: {error}", path.display()));
            }
        }
    }
    say(&format!(
        "{} recordings: {same} as recorded, {diverged} diverged, {failed} could not be played",
        paths.len()
    ));
    Ok(match (diverged, failed) {
        (0, 0) => Status::Done,
        (0, _) => Status::Failed,
        _ => Status::Diverged,
    })
}

fn play_one(
    request: &Request,
    plan: &Plan,
    running: &mut Option<(Option<u32>, Jvm)>,
) -> Result<Played, String> {
    let recording = Recording::open(&request.path).map_err(|error| error.to_string())?;
    let kind = &recording.manifest().kind;
    if kind != KIND {
        return Err(format!("a recording of the kind {kind} is played alone"));
    }
    let release = recorded_release(&recording);
    let jvm = match running {
        Some((running, jvm)) if *running == release => jvm,
        _ => {
            let jvm = start(request, &recording).map_err(|error| error.to_string())?;
            &mut running.insert((release, jvm)).1
        }
    };
    jvm.play(&recording, plan)
        .map_err(|error| error.to_string())
}

fn plan(request: &Request) -> Result<Plan, Failure> {
    let classes = match &request.classes {
        Some(path) => jar::classes(path).map_err(|error| {
            Failure::new(format!("read the classes in {}", path.display()), error)
                .status(Status::BadInput)
        })?,
        None => Default::default(),
    };
    Ok(Plan {
        keep_going: request.keep_going,
        classes,
    })
}

fn recorded_release(recording: &Recording) -> Option<u32> {
    let version = recording.manifest().versions.get("java")?;
    java::release(version)
}

/// A JVM of the release that was recorded, behind walls.
fn start(request: &Request, recording: &Recording) -> Result<Jvm, Failure> {
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
fn free_port(port: u16) -> io::Result<u16> {
    match port {
        0 => Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port()),
        port => Ok(port),
    }
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

/// One line about the replay; what it says may come out of the recording.
fn say(line: &str) {
    let line = escape(line.as_bytes(), Lines::One);
    let _ = writeln!(io::stderr(), "reprise: {line}");
}
