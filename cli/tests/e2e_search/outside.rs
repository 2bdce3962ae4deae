//! Threads that wait for something outside of the program: sockets, pipes, processes.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::Command;
use std::{fs, thread};

use reprise_jvm_testing::jdks;

use crate::stage::{Stage, said};

/// Records a program with arguments and follows what was recorded.
fn follows(stage: &Stage, strategies: &[&str], arguments: &[&str]) {
    for java in jdks() {
        let home = java.display().to_string().replace('/', "-");
        for strategy in strategies {
            let name = format!("{}{home}{}.sched", arguments.concat(), strategy.len());
            let file = stage.folder.path().join(name);
            let option = format!("--schedule={strategy}");
            let words: [&OsStr; 4] = [
                "record".as_ref(),
                option.as_ref(),
                "-o".as_ref(),
                file.as_os_str(),
            ];
            let recorded = stage.reprise_with(&java, &words, arguments);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            assert!(
                said(&recorded).contains("for something outside"),
                "{recorded:?}"
            );
            let words = ["replay".as_ref(), file.as_os_str()];
            let played = stage.reprise_with(&java, &words, arguments);
            assert_eq!(played.status.code(), Some(0), "{played:?}");
            assert_eq!(played.stdout, recorded.stdout, "{played:?}");
        }
    }
}

#[test]
fn a_server_and_its_clients_in_one_program_are_scheduled() {
    let stage = Stage::new("schedule-sockets");
    follows(&stage, &["random", "pct:3"], &[]);
    follows(&stage, &["random"], &["channels"]);
}

#[test]
fn threads_that_meet_through_pipes_and_a_process_are_scheduled() {
    follows(&Stage::new("schedule-pipes"), &["random"], &[]);
}

/// A schedule that lets a thread wait for a connection that nobody can make ends with where
/// it stands.
#[test]
fn a_thread_that_the_schedule_lets_wait_for_ever_is_a_divergence() {
    let stage = Stage::new("schedule-socket");
    let java = &jdks()[0];
    let (file, recorded) = stage.record(java, "x.sched", &["--schedule=rr:1000"]);
    assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
    assert_eq!(recorded.stdout, b"came 1\n");
    let text = fs::read_to_string(&file).unwrap();
    let place = "in java.io.InputStream read 0 1  # Main.java:22";
    assert!(text.starts_with(place), "{text}");
    // Main is to come to its end, and nobody else to run.
    fs::write(&file, "before java.lang.Thread exit 0 1\ndie none\n").unwrap();
    let played = stage.reprise(java, &["replay".as_ref(), file.as_os_str()]);
    assert_eq!(played.status.code(), Some(3), "{played:?}");
    let said = said(&played);
    assert!(said.contains("thread 0 is in "), "{said}");
    assert!(
        said.contains("from Main.java:22, which does not return"),
        "{said}"
    );
}

/// A call that the scheduler knows nothing of does not return, and who else there is waits for
/// who is in it. That takes a minute to be sure of; here, a second.
#[test]
fn a_call_that_nobody_ends_is_a_divergence_although_nobody_else_could_go_on() {
    let stage = Stage::new("schedule-stuck");
    let java = &jdks()[0];
    let pipe = stage.folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let file = stage.folder.path().join("x.sched");
    let run = |words: &[&OsStr]| stage.jvm(java, words, &["-Dreprise.look=5", "-cp", ".", "Main"]);
    // Waits until the pipe is opened for reading.
    let writer = |bytes: &'static [u8]| {
        let pipe = pipe.clone();
        thread::spawn(move || {
            let mut opened = fs::OpenOptions::new().write(true).open(pipe).unwrap();
            opened.write_all(bytes).unwrap();
            opened
        })
    };
    let writes = writer(b"x");
    let recorded = run(&[
        "record".as_ref(),
        "--schedule=random".as_ref(),
        "-o".as_ref(),
        file.as_os_str(),
    ]);
    assert_eq!(recorded.stdout, b"opened\n", "{recorded:?}");
    drop(writes.join().unwrap());

    let diverges = |at: &str| {
        let played = run(&["replay".as_ref(), file.as_os_str()]);
        assert_eq!(played.status.code(), Some(3), "{played:?}");
        let said = said(&played);
        assert!(said.contains(at), "{said}");
    };
    diverges("open0 from Main.java:20, which does not return");
    // The second time it is opened, and nothing is written.
    let opens = writer(b"");
    diverges("readBytes from Main.java:21, which does not return");
    drop(opens.join().unwrap());
}

/// A thread that waits in a loop for another one, which never gets the turn, waits for nobody as
/// far as any graph shows. That it comes to no place is said, and ends.
#[test]
fn a_thread_that_waits_in_a_loop_for_ever_is_a_divergence() {
    let stage = Stage::new("schedule-spins");
    let java = &jdks()[0];
    let file = stage.folder.path().join("x.sched");
    let options = ["-Dreprise.look=5", "-cp", ".", "Main"];
    let run = |words: &[&OsStr]| stage.jvm(java, words, &options);
    fs::write(&file, "before java.lang.Thread exit 0 1\ndie none\n").unwrap();
    let patience = ["replay", "--patience", "30s"].map(OsStr::new);
    let played = run(&[&patience[..], &[file.as_os_str()]].concat());
    assert_eq!(played.status.code(), Some(3), "{played:?}");
    let said = said(&played);
    for expected in [
        "thread 0 (main) has run for 10 s and has come to no place of the schedule, and the \
         schedule wants 'before java.lang.Thread exit 0 1'",
        "    at Main.main(Main.java:",
        "after 30 s this is a divergence (--patience)",
        "diverged after 0 of 1 events: thread 0 has run for 30 s",
        "thread 0 (main) runs, at Main.java:",
        "thread 1 (Thread-0) could go on",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}
