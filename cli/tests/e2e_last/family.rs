//! Programs that make other processes: one recording has them all, and each of
//! them replays alone.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::stage::{REPRISE, Stage};
use crate::subjects::tells_what_is_written;
use crate::unharmed::{outlives_its_recorder, until};

/// What `show` says about the processes of a recording.
fn processes(recording: &Path) -> Vec<Value> {
    let shown = Command::new(REPRISE)
        .args(["show", "--json"])
        .arg(recording)
        .output()
        .unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    shown["processes"].as_array().unwrap().clone()
}

fn replay(recording: &Path, process: &str) -> Output {
    Command::new(REPRISE)
        .args(["replay", "--process", process])
        .arg(recording)
        .output()
        .unwrap()
}

/// The replay of a process went as recorded; returns what it wrote.
fn replays(recording: &Path, process: &str) -> String {
    let replayed = replay(recording, process);
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{process}: {said}");
    String::from_utf8(replayed.stdout).unwrap()
}

fn compile(stage: &Stage, subject: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects");
    let built = Command::new("gcc")
        .args(["-O1", "-g", "-o"])
        .arg(stage.path("program"))
        .arg(folder.join(subject).join("main.c"))
        .status();
    assert!(built.unwrap().success());
}

#[test]
fn every_process_of_a_shell_replays() {
    let stage = Stage::new();
    let script = "echo hallo | tr a-z A-Z | cat; printf 'a\\nb\\n' | wc -l";
    let recorded = stage.record(&["sh", "-c", script], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    let processes = processes(&stage.recording());
    let named = |program: &str| {
        let found = processes.iter().find(|one| one["program"] == program);
        found.unwrap_or_else(|| panic!("no {program}: {processes:?}"))["process"].to_string()
    };
    assert_eq!(replays(&stage.recording(), &named("tr")), "HALLO\n");
    assert_eq!(replays(&stage.recording(), &named("cat")), "HALLO\n");
    assert_eq!(replays(&stage.recording(), &named("wc")), "2\n");
    // The shell itself, by its place; it makes the words and the pipes.
    assert_eq!(processes[0]["program"], "sh");
    assert_eq!(processes[0]["played"], true);
    assert_eq!(replays(&stage.recording(), "1"), "");
    for one in &processes {
        replays(&stage.recording(), &one["process"].to_string());
        assert_eq!(one["exited"], 0, "{one}");
    }
    let none = replay(&stage.recording(), "1000000000");
    assert_eq!(none.status.code(), Some(2));
    let said = String::from_utf8_lossy(&none.stderr);
    assert!(said.contains("and none is 1000000000"), "{said}");
}

#[test]
fn a_process_that_crashes_is_written_down_while_the_others_go_on() {
    let stage = Stage::new();
    compile(&stage, "family-worker");
    let options = ["-o", "run.reprise"];
    let recorded = stage.record_with(&options, &["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert_eq!(
        String::from_utf8_lossy(&recorded.stdout),
        "a job of 5 letters\na job of 6 letters\na worker was killed by signal 11\n"
    );
    assert!(said.contains("(program): SIGSEGV at 0x0 in "), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    fs::remove_file(stage.path("program")).unwrap();
    // Nobody has to say which process it was.
    let replayed = stage.replay();
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{said}");
    assert!(said.contains(" to the end, SIGSEGV; registers"), "{said}");
    let processes = processes(&stage.recording());
    let failed: Vec<&Value> = processes
        .iter()
        .filter(|one| one["failed"] == true)
        .collect();
    assert_eq!(failed.len(), 1, "{processes:?}");
    assert_eq!(failed[0]["killed"], 11);
    assert_eq!(failed[0]["played"], true);
    // The server had not seen it yet.
    let server = failed[0]["parent"].to_string();
    let wrote = replays(&stage.recording(), &server);
    assert!(
        "a worker was killed by signal 11\n".starts_with(&wrote),
        "{wrote}"
    );
}

/// What one of them writes, the others see where they saw it.
#[test]
fn processes_that_share_memory_replay() {
    let stage = Stage::new();
    compile(&stage, "process-shared");
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    let processes = processes(&stage.recording());
    assert_eq!(processes.len(), 3, "{processes:?}");
    for one in &processes {
        replays(&stage.recording(), &one["process"].to_string());
    }
    assert_eq!(replays(&stage.recording(), "1"), "all counted, 0 failed\n");
}

/// The same where it is too much to be compared. What has been written is then asked of
/// the kernel, which not every kernel tells, and a container may forbid it: that is said.
#[test]
fn processes_that_share_much_memory_replay() {
    let stage = Stage::new();
    compile(&stage, "process-large");
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    if !tells_what_is_written() {
        println!("this kernel does not tell, or must not");
        assert!(said.contains("it is over 1 MiB"), "{said}");
        return;
    }
    assert!(!said.contains("shared memory"), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    // Whatever was interrupted is found again.
    assert!(!said.contains("the time before"), "{said}");
    let processes = processes(&stage.recording());
    assert_eq!(processes.len(), 4, "{processes:?}");
    for one in &processes {
        replays(&stage.recording(), &one["process"].to_string());
    }
    assert_eq!(
        replays(&stage.recording(), "1"),
        "all passed on, 0 failed\n"
    );
}

/// Files that processes have in memory, and that calls and other processes write to.
#[test]
fn what_changes_in_files_in_memory_is_seen() {
    let stage = Stage::new();
    compile(&stage, "process-mapped");
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    if !tells_what_is_written() {
        println!("this kernel does not tell who has written where, or must not");
        return;
    }
    assert!(!said.contains("unverified"), "{said}");
    let processes = processes(&stage.recording());
    assert_eq!(processes.len(), 6, "{processes:?}");
    for one in &processes {
        replays(&stage.recording(), &one["process"].to_string());
    }
}

/// What cannot be replayed is said, however little memory it is.
#[test]
fn memory_that_is_shared_and_its_own_is_named() {
    let stage = Stage::new();
    compile(&stage, "family-own");
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.stdout, b"x\n", "{said}");
    assert!(
        said.contains("shared memory, it is also mapped for the process alone"),
        "{said}"
    );
}

/// The same with what a library makes of it.
#[test]
fn pythons_processes_replay() {
    let stage = Stage::new();
    let script = "import multiprocessing as m
def work(queue, n): queue.put(sum(range(n)))
queue = m.Queue()
workers = [m.Process(target=work, args=(queue, n)) for n in (10, 1000)]
[worker.start() for worker in workers]
print(sorted(queue.get() for _ in workers))
[worker.join() for worker in workers]";
    let recorded = stage.record(&["/usr/bin/python3", "-c", script], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    assert_eq!(replays(&stage.recording(), "1"), "[45, 499500]\n");
}

#[test]
fn a_program_that_the_debugger_is_told_is_debugged() {
    let stage = Stage::new();
    compile(&stage, "family-worker");
    stage.record_with(&["-o", "run.reprise"], &["./program"], b"");
    let gdb = |process: &[&str]| {
        let output = Command::new(REPRISE)
            .arg("replay")
            .args(process)
            .arg("--debug")
            .arg(stage.recording())
            .args(["--", "-batch", "-ex", "continue", "-ex", "backtrace"])
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let crash = gdb(&[]);
    assert!(crash.contains("work (job="), "{crash}");
    let server = processes(&stage.recording())
        .iter()
        .find(|one| one["failed"] == true)
        .map(|one| one["parent"].to_string());
    let server = gdb(&["--process", &server.unwrap()]);
    assert!(!server.contains("work (job="), "{server}");
    assert!(server.contains("main ()"), "{server}");
}

/// What a program has made and left behind is not waited for.
#[test]
fn a_process_that_outlives_the_program_runs_on() {
    let stage = Stage::new();
    let made = Command::new("mkfifo").arg(stage.path("fifo")).status();
    assert!(made.unwrap().success());
    let script = "(read line < fifo; /bin/true && echo \"$line\" > late) < /dev/null > /dev/null 2>&1 & echo over";
    let recorded = stage.record(&["sh", "-c", script], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert_eq!(String::from_utf8_lossy(&recorded.stdout), "over\n");
    assert!(!stage.path("late").exists());
    fs::write(stage.path("fifo"), "at last\n").unwrap();
    until("it goes on", || {
        fs::read_to_string(stage.path("late")).is_ok_and(|text| text == "at last\n")
    });
    assert_eq!(stage.replay().status.code(), Some(0));
}

/// Nor does a recorder stay for one that computes, and makes no system call.
#[test]
fn a_process_that_outlives_the_program_and_computes_runs_on() {
    let stage = Stage::new();
    compile(&stage, "process-computes");
    for arguments in ["for ever", "for ever beside another that-computes"] {
        let script = format!("./program {arguments} < /dev/null > /dev/null 2>&1 & echo $!");
        let recorded = stage.record(&["sh", "-c", &script], b"");
        let process = String::from_utf8(recorded.stdout).unwrap();
        let process: i32 = process.trim().parse().unwrap();
        until("it is let go", || {
            let about = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
            about.contains("Name:\tprogram") && about.contains("TracerPid:\t0\n")
        });
        let about = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        kill(Pid::from_raw(process), Signal::SIGKILL).unwrap();
        assert!(about.contains("State:\tR"), "{about}");
        assert_eq!(stage.replay().status.code(), Some(0));
        fs::remove_file(stage.recording()).unwrap();
    }
}

#[test]
fn a_killed_recorder_leaves_a_family_that_runs_on() {
    let stage = Stage::new();
    let inner = "echo early; read line; until /bin/true; do :; done; echo late; exit 4";
    let script = format!("sh -c '{inner}'; exit $(($? + 1))");
    let Some(output) = outlives_its_recorder(&stage, &["sh", "-c", &script]) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
}
