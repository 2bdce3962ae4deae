//! Every `subjects/process-*/main.c`: see `subjects/README.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::{Stage, check};

pub(crate) struct Subject {
    pub(crate) name: String,
    source: PathBuf,
    flags: Vec<String>,
    stdin: String,
    status: i32,
}

pub(crate) fn subjects() -> Vec<Subject> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects");
    let mut subjects = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source = path.join("main.c");
        if !name.starts_with("process-") || !source.exists() {
            continue;
        }
        let text = fs::read_to_string(&source).unwrap();
        let comment = |key: &str| {
            let key = format!("// {key}: ");
            let line = text.lines().find_map(|line| line.strip_prefix(&key));
            line.unwrap_or_default().to_owned()
        };
        if comment("needs") == "written" && !tells_what_is_written() {
            println!("skipped: {name} needs a kernel that tells who has written where");
            continue;
        }
        let signal: Option<i32> = comment("dies").parse().ok();
        subjects.push(Subject {
            name,
            source,
            flags: comment("cc")
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            stdin: comment("stdin").replace("\\n", "\n"),
            status: signal.map_or(0, |signal| 128 + signal),
        });
    }
    assert!(!subjects.is_empty());
    subjects
}

/// The subject of this name.
pub(crate) fn subject(name: &str) -> Subject {
    let found = subjects().into_iter().find(|subject| subject.name == name);
    found.unwrap()
}

/// Linux 6.7 or later, and no filter for system calls.
pub(crate) fn tells_what_is_written() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let numbers = release.split(['.', '-']);
    let mut numbers = numbers.map_while(|number| number.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    version >= (6, 7) && status.lines().any(|line| line == "Seccomp:\t0")
}

pub(crate) fn compile(subject: &Subject, program: &Path) {
    let status = Command::new("gcc")
        .args(["-O1", "-g"])
        .args(&subject.flags)
        .arg("-o")
        .arg(program)
        .arg(&subject.source)
        .status()
        .unwrap();
    assert!(status.success(), "{}", subject.name);
}

#[test]
fn subjects_replay_without_their_files() {
    for subject in subjects() {
        let name = &subject.name;
        let stage = Stage::new();
        let program = stage.path("program");
        compile(&subject, &program);
        let recorded = stage.record(&["./program"], subject.stdin.as_bytes());
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert_eq!(
            recorded.status.code(),
            Some(subject.status),
            "{name}: {said}"
        );
        fs::remove_file(program).unwrap();
        check(name, &recorded, &stage.replay());
        if let Some(replayed) = stage.replay_in_empty_root() {
            check(&format!("{name} in an empty root"), &recorded, &replayed);
        }
    }
}

/// The processor may leave out parts of the registers that the dynamic linker
/// saves, or not, as it happens.
#[test]
fn what_the_dynamic_linker_leaves_behind_is_no_matter_of_chance() {
    let subject = subject("process-lazy");
    let stage = Stage::new();
    compile(&subject, &stage.path("program"));
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stdout);
    assert!(said.contains(", in part: 0,"), "{said}");
    for _ in 0..5 {
        check(&subject.name, &recorded, &stage.replay());
    }
}

#[test]
fn only_failures_are_kept_unless_all_are_wanted() {
    let stage = Stage::new();
    let options = ["-o", "run.reprise"];
    let done = stage.record_with(&options, &["true"], b"");
    assert_eq!(done.status.code(), Some(0));
    assert!(!stage.recording().exists());
    let killed = stage.record_with(&options, &["sh", "-c", "kill -SEGV $$"], b"");
    assert_eq!(killed.status.code(), Some(139));
    assert!(stage.recording().exists());
    assert_eq!(stage.replay().status.code(), Some(0));
}

#[test]
fn a_command_that_is_not_there_is_said_as_shells_say_it() {
    // More than once: who waits for the child's end first is a matter of luck.
    for _ in 0..5 {
        let stage = Stage::new();
        let output = stage.record(&["no-such-program"], b"");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(127), "{said}");
        assert!(said.contains("No such file or directory"), "{said}");
        assert!(!stage.recording().exists());
    }
    let stage = Stage::new();
    stage.write("text", b"");
    let output = stage.record(&["./text"], b"");
    assert_eq!(output.status.code(), Some(126));
}
