//! Compiling, running with and without the agent, reading back.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Output};

use reprise_jvm_events::describe::describe;
use reprise_jvm_events::nesting::Nesting;
use reprise_jvm_events::reader::{Reader, each_reference};
use reprise_jvm_events::value::Reference;
use reprise_jvm_events::{CALLS, TABLES};
pub(crate) use reprise_jvm_testing::jdks;
use reprise_recording::Recording;

/// What stands in a recording.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) reader: Reader,
    /// The name of each thread and its events, described.
    pub(crate) threads: Vec<(String, Vec<String>)>,
    pub(crate) closing: Option<reprise_recording::Closing>,
}

/// Compiles all Java files of a folder.
pub(crate) fn compile(sources: &Path, classes: &Path, class_path: &Path) {
    let files = reprise_jvm_testing::sources(sources);
    reprise_jvm_testing::compile(&files, classes, class_path.to_str().unwrap());
}

/// The agent's library with its options.
pub(crate) fn agent(options: &str) -> String {
    let library = reprise_jvm_testing::agent_library();
    format!("-agentpath:{}={options}", library.display())
}

/// Runs a main class in a folder of classes.
pub(crate) fn java(java: &Path, dir: &Path, arguments: &[&str]) -> Output {
    Command::new(java)
        .args(arguments)
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(dir)
        .output()
        .unwrap()
}

/// Output and exit status, to compare.
pub(crate) fn said(output: &Output) -> (String, String, Option<i32>) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
        output.status.code(),
    )
}

/// Reads a recording, and checks that every event decodes and that calls nest.
pub(crate) fn read(path: &Path) -> Recorded {
    let recorded = read_with(path, true);
    check_order(&Recording::open(path).unwrap(), path);
    recorded
}

/// Reads a recording whose outgoing events were not kept.
pub(crate) fn read_unchecked(path: &Path) -> Recorded {
    read_with(path, false)
}

fn read_with(path: &Path, nests: bool) -> Recorded {
    let recording = Recording::open(path).unwrap();
    let mut recorded = Recorded {
        closing: recording.closing().cloned(),
        ..Recorded::default()
    };
    let reader = &mut recorded.reader;
    for (id, _) in recording.streams().filter(|(_, info)| info.kind == TABLES) {
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            reader.table(event.payload).unwrap();
        }
    }
    // Which thread's stream comes first differs from run to run, and each may
    // mention objects of the others: all are read before any is described.
    let mut read = Vec::new();
    for (id, info) in recording.streams().filter(|(_, info)| info.kind == CALLS) {
        let mut nesting = Nesting::default();
        let mut lines = Vec::new();
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            let number = event.number;
            let event = match reader.event(info.thread, event.payload) {
                Ok(event) => event,
                Err(error) => panic!("{}: {error} at {number} of {id}", path.display()),
            };
            if let Err(error) = nesting.step(&event)
                && nests
            {
                panic!("{}: {error} at {number} of {id}", path.display());
            }
            lines.push(event);
        }
        read.push((info, lines));
    }
    for (info, events) in read {
        let lines = events
            .iter()
            .map(|event| describe(event, info.thread, reader));
        recorded.threads.push((info.name.clone(), lines.collect()));
    }
    recorded
}

/// In the global order no thread speaks of an object before the thread that
/// gave it its number.
fn check_order(recording: &Recording, path: &Path) {
    let mut reader = Reader::default();
    let streams: HashMap<_, _> = recording.streams().collect();
    let tables = recording.streams().filter(|(_, info)| info.kind == TABLES);
    for (id, _) in tables {
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            reader.table(event.payload).unwrap();
        }
    }
    let mut timeline = recording.timeline();
    while let Some(event) = timeline.next().unwrap() {
        let info = streams[&event.stream];
        if info.kind != CALLS {
            continue;
        }
        let event = reader.event(info.thread, event.payload).unwrap();
        each_reference(&event, |reference| {
            if let Reference::Object(object) = reference
                && object.id.thread != info.thread
            {
                let known = reader.is_numbered(object.id);
                assert!(known, "{}: {event:?} comes too early", path.display());
            }
        });
    }
}
