//! Compiling, instrumenting, running with and without the agent, reading back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use reprise_ahead::{Copied, Plan, RUNTIME, RUNTIME_NAME};
use reprise_jvm_events::describe::describe;
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::{CALLS, TABLES};
use reprise_jvm_player::{Jvm, Launch, Played};
use reprise_jvm_testing as testing;
use reprise_probes::pattern::{Builders, Patterns};
use reprise_recording::Recording;
use tempfile::TempDir;

/// A folder with a jar, and its likeness that records.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    patterns: String,
    pub(crate) copied: Copied,
}

impl Stage {
    /// A program of these files, in `in.jar` and `out.jar`.
    pub(crate) fn compiled(sources: &[PathBuf], patterns: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path().join("classes");
        testing::compile(sources, &classes, ".");
        pack(&classes, &folder.path().join("in.jar"));
        Self::of(folder, patterns)
    }

    /// Instruments the `in.jar` of a folder.
    pub(crate) fn of(folder: TempDir, patterns: &str) -> Self {
        let mut parsed = Patterns::parse(patterns.split(':')).unwrap();
        parsed.builders = Builders::Followed;
        let plan = Plan {
            patterns: &parsed,
            oracle: true,
        };
        let path = |name: &str| folder.path().join(name);
        let copied = reprise_ahead::instrument(&path("in.jar"), &path("out.jar"), &plan).unwrap();
        fs::write(path(RUNTIME_NAME), RUNTIME).unwrap();
        Self {
            copied,
            patterns: patterns.to_owned(),
            folder,
        }
    }

    /// Runs a JVM here.
    pub(crate) fn run(&self, java: &Path, arguments: &[&str]) -> Output {
        Command::new(java)
            .args(arguments)
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    /// Runs the program as it was, with the agent, and instrumented; what it says
    /// is always the same. The two recordings are `agent.reprise` and
    /// `ahead.reprise`.
    pub(crate) fn record_both(&self, java: &Path, more: &str, program: &[&str]) {
        let run = |options: &[&str], jar: &str| {
            let class_path = format!("{jar}{more}");
            let arguments = [options, &["-cp", &class_path], program].concat();
            said(&self.run(java, &arguments))
        };
        let plain = run(&[], "in.jar");
        let library = testing::agent_library();
        let library = library.display();
        let patterns = &self.patterns;
        let agent = format!("-agentpath:{library}=observe={patterns},out=agent.reprise");
        assert_eq!(run(&[&agent], "in.jar"), plain);
        assert_eq!(run(&["-Dreprise.out=ahead.reprise"], "out.jar"), plain);
    }

    /// Holds the two recordings against each other, event for event.
    pub(crate) fn compare(&self) {
        let ahead = events(&self.file("ahead.reprise"));
        let agent = events(&self.file("agent.reprise"));
        assert!(!ahead.is_empty());
        let names = |threads: &[(String, Vec<String>)]| -> Vec<(String, usize)> {
            let names = threads
                .iter()
                .map(|(name, events)| (name.clone(), events.len()));
            names.collect()
        };
        for ((name, ahead), (_, agent)) in ahead.iter().zip(&agent) {
            for (number, (ahead, agent)) in ahead.iter().zip(agent).enumerate() {
                assert_eq!(ahead, agent, "event {number} of {name}");
            }
        }
        assert_eq!(names(&ahead), names(&agent));
    }

    /// Plays `ahead.reprise` in a folder of its own.
    pub(crate) fn play(&self, java: &Path) -> Played {
        let launch = Launch {
            java: java.to_owned(),
            seconds: 300,
            ..Launch::default()
        };
        let recording = Recording::open(self.file("ahead.reprise")).unwrap();
        let mut jvm = Jvm::start(&launch).unwrap();
        jvm.play(&recording, &reprise_jvm_player::Plan::default())
            .unwrap()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Packs a folder of classes into a jar.
pub(crate) fn pack(classes: &Path, jar: &Path) {
    let output = Command::new(testing::jdks()[0].with_file_name("jar"))
        .arg("cf")
        .arg(jar)
        .arg("-C")
        .arg(classes)
        .arg(".")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Output and exit status, to compare.
pub(crate) fn said(output: &Output) -> (String, String, Option<i32>) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
        output.status.code(),
    )
}

/// The events of each thread, described, by the thread's name.
pub(crate) fn events(path: &Path) -> Vec<(String, Vec<String>)> {
    let recording = Recording::open(path).unwrap();
    let mut reader = Reader::default();
    for (id, _) in recording.streams().filter(|(_, info)| info.kind == TABLES) {
        let mut entries = recording.events(id, 0).unwrap();
        while let Some(entry) = entries.next().unwrap() {
            reader.table(entry.payload).unwrap();
        }
    }
    let mut read = Vec::new();
    for (id, info) in recording.streams().filter(|(_, info)| info.kind == CALLS) {
        let mut lines = Vec::new();
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            lines.push(reader.event(info.thread, event.payload).unwrap());
        }
        read.push((info, lines));
    }
    // Each may mention objects of the others, so all are read before.
    let mut threads: Vec<(String, Vec<String>)> = read
        .into_iter()
        .map(|(info, events)| {
            let lines = events
                .iter()
                .map(|event| describe(event, info.thread, &reader));
            (info.name.clone(), lines.collect())
        })
        .collect();
    threads.sort();
    threads
}
