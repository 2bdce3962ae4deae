//! Programs with several threads, beside the subjects.

use std::process::Command;

use reprise_player::{Halt, Limits, Opened, Session, Traps, Wrote};
use reprise_process_events::{Event, KIND, wire};
use reprise_recording::Recording;

use crate::stage::{Stage, check, check_end};
use crate::subjects;
use crate::unharmed::outlives_its_recorder;

/// Compiles a program in the stage's folder.
fn compile(stage: &Stage, source: &str) {
    stage.write("main.c", source.as_bytes());
    let compiled = Command::new("gcc")
        .args(["-O1", "-pthread", "-o"])
        .arg(stage.path("program"))
        .arg(stage.path("main.c"))
        .status();
    assert!(compiled.unwrap().success());
}

/// Records and replays a program that nobody here wrote.
fn program(command: &[&str]) {
    if Command::new(command[0]).arg("--version").output().is_err() {
        println!("skipped: {} is not installed", command[0]);
        return;
    }
    let stage = Stage::new();
    let text: String = (0..30_000u64)
        .map(|i| format!("line {}\n", i * 7919 % 30_011))
        .collect();
    stage.write("text", text.as_bytes());
    let recorded = stage.record(command, b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{command:?}: {said}");
    assert!(!said.contains("ended early"), "{command:?}: {said}");
    check_end(command[0], &recorded, &stage.replay());
}

#[test]
fn sort() {
    program(&["sort", "--parallel=2", "-S", "1M", "text"]);
}

#[test]
fn xz() {
    program(&["xz", "-T2", "-1", "--block-size=65536", "-kc", "text"]);
}

#[test]
fn zstd() {
    program(&["zstd", "-T2", "-B65536", "-qc", "text"]);
}

#[test]
fn python() {
    let script = "
import queue, threading
items, results = queue.Queue(3), []
def work():
    for item in iter(items.get, None):
        results.append(item * item)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for item in range(100): items.put(item)
for thread in threads: items.put(None)
for thread in threads: thread.join()
print(len(results), sum(results))";
    program(&["/usr/bin/python3", "-c", script]);
}

/// A thread that waits for another without a system call would wait for ever.
#[test]
fn a_thread_that_computes_for_long_makes_room_for_others() {
    let stage = Stage::new();
    let source = r#"
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static volatile long rounds, flag;
        static void *other(void *unused) { usleep(1000); flag = 1; return unused; }
        int main(void) {
            pthread_t thread;
            pthread_create(&thread, NULL, other, NULL);
            while (!flag)
                rounds++;
            pthread_join(thread, NULL);
            puts("done");
            return 0;
        }"#;
    compile(&stage, source);
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    check(
        "a thread that computes for long",
        &recorded,
        &stage.replay(),
    );
}

/// Threads that were interrupted in loops, in which registers alone do not tell one
/// time around from another, are interrupted at the same places again, and nothing
/// of the time before is lost.
#[test]
fn interrupted_computations_are_found_again() {
    let shown = replayed_whole("process-preempt");
    assert!(shown.contains("is stopped at 0x"), "{shown}");
    assert!(
        shown.contains(" instructions behind the one before"),
        "{shown}"
    );
}

/// An interruption is nothing that the program does: a step over it is one over an
/// instruction, in both directions, and a breakpoint there is come to once.
#[test]
fn interruptions_are_no_steps() {
    let stage = Stage::new();
    subjects::compile(
        &subjects::subject("process-preempt"),
        &stage.path("program"),
    );
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");

    let recording = Recording::open(stage.recording()).unwrap();
    let opened = Opened::new(&recording, None).unwrap();
    let limits = Limits {
        memory: 64 << 30,
        seconds: 600,
    };
    let mut silent = |_: Wrote<'_>| {};
    let mut session = Session::new(&opened, &limits, &mut silent).unwrap();
    let pauses = pauses(&recording);
    assert!(!pauses.is_empty(), "nothing was interrupted");
    for pause in pauses.into_iter().take(3) {
        session.set_traps(&Traps::default());
        assert_eq!(session.go_to(pause).unwrap(), Halt::Done);
        let there = session.state().unwrap().registers;
        let behind = session.position();
        assert_eq!(session.step_back().unwrap(), Halt::Done);
        let before = session.position();
        assert!(before.event < pause, "{before:?}");
        let registers = session.state().unwrap().registers;
        assert!(registers.difference(&there).is_some(), "at {pause}");
        assert_eq!(session.step().unwrap(), Halt::Done);
        assert_eq!(session.position(), behind);
        let registers = session.state().unwrap().registers;
        assert_eq!(registers.difference(&there), None, "at {pause}");

        let mut traps = Traps::default();
        traps.breakpoints.insert(there.rip());
        session.set_traps(&traps);
        // Whether it was there before depends on where it was interrupted.
        let halt = session.go_back(&mut || false).unwrap();
        assert!(matches!(halt, Halt::Breakpoint | Halt::Start), "{halt:?}");
        assert!(session.position() <= before, "{:?}", session.position());
    }
}

/// The events of a recording that are interruptions.
fn pauses(recording: &Recording) -> Vec<u64> {
    let mut pauses = Vec::new();
    for (stream, info) in recording.streams() {
        if info.kind != KIND {
            continue;
        }
        let mut events = recording.events(stream, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            if let Ok(Event::Pause(_)) = wire::read(event.payload) {
                pauses.push(event.number);
            }
        }
    }
    pauses
}

/// In code that the program has written itself, and changes, too. On a machine that has
/// much to do a copy takes so long that the program may be over before it is worth one:
/// then it is tried again.
#[test]
fn interruptions_in_own_code_are_found_again() {
    const TRIES: usize = 20;
    let interrupted = |_: &usize| replayed_whole("process-jit").contains("is stopped at 0x");
    let needed = (1..=TRIES).find(interrupted);
    assert!(needed.is_some(), "not interrupted in {TRIES} runs");
}

/// Records a subject of which nothing may be lost, and replays it; returns the events.
fn replayed_whole(subject: &str) -> String {
    let stage = Stage::new();
    subjects::compile(&subjects::subject(subject), &stage.path("program"));
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert!(!said.contains("not recorded"), "{said}");
    check("interrupted", &recorded, &stage.replay());
    stage.show(&["--events"])
}

/// The time-stamp counter tells whether a thread was let go with everything that
/// it had before.
const COUNTERS: &str = r#"
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    #include <x86intrin.h>
    static pthread_mutex_t lock;
    static int pipe_ends[2];
    static volatile unsigned long sum;
    static void *sleeps(void *unused) {
        char byte;
        if (read(pipe_ends[0], &byte, 1) != 1)
            exit(3);
        for (int i = 0; i < 100; i++)
            sum += __rdtsc() & 1;
        return unused;
    }
    static void *locks(void *unused) {
        for (int i = 0; i < 100; i++) {
            pthread_mutex_lock(&lock);
            sum += __rdtsc() & 1;
            usleep(10);
            pthread_mutex_unlock(&lock);
        }
        return unused;
    }
    int main(int count, char **arguments) {
        pthread_mutexattr_t inherits;
        pthread_mutexattr_init(&inherits);
        if (count == 1)
            pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
        pthread_mutex_init(&lock, &inherits);
        pthread_t threads[4];
        if (pipe(pipe_ends))
            return 4;
        pthread_create(&threads[0], NULL, sleeps, NULL);
        puts("early");
        fflush(stdout);
        if (count > 1)
            getchar();
        for (int i = 1; i < 4; i++)
            pthread_create(&threads[i], NULL, locks, NULL);
        for (int i = 1; i < 4; i++)
            pthread_join(threads[i], NULL);
        if (write(pipe_ends[1], "x", 1) != 1)
            return 5;
        pthread_join(threads[0], NULL);
        puts("late");
        return 6;
    }"#;

#[test]
fn threads_that_cannot_be_recorded_run_on() {
    let stage = Stage::new();
    compile(&stage, COUNTERS);
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(6), "{said}");
    assert_eq!(String::from_utf8_lossy(&recorded.stdout), "early\nlate\n");
    assert!(
        said.contains("ended early by a lock with priority inheritance"),
        "{said}"
    );
    let replayed = stage.replay();
    assert_eq!(replayed.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&replayed.stdout), "early\n");
}

/// A thread that is not the first gives the process a new program, while others
/// sleep.
const ANOTHER: &str = r#"
    #include <pthread.h>
    #include <stdio.h>
    #include <unistd.h>
    static void *sleeps(void *none) { for (;;) pause(); return none; }
    static void *becomes(void *none) {
        execl("/bin/echo", "echo", "another", (char *)0);
        return none;
    }
    int main(void) {
        pthread_t thread;
        for (int i = 0; i < 3; i++) pthread_create(&thread, 0, sleeps, 0);
        puts("one");
        fflush(stdout);
        pthread_create(&thread, 0, becomes, 0);
        for (;;) pause();
    }"#;

/// The same when the first thread has ended before, and no other is left.
const LAST_ONE: &str = r#"
    #include <pthread.h>
    #include <stdio.h>
    #include <unistd.h>
    static pthread_t first;
    static void *becomes(void *none) {
        pthread_join(first, 0);
        execl("/bin/echo", "echo", "another", (char *)0);
        return none;
    }
    int main(void) {
        pthread_t thread;
        first = pthread_self();
        puts("one");
        fflush(stdout);
        pthread_create(&thread, 0, becomes, 0);
        pthread_exit(0);
    }"#;

#[test]
fn a_new_program_of_another_thread_ends_the_recording_only() {
    for program in [ANOTHER, LAST_ONE] {
        let stage = Stage::new();
        compile(&stage, program);
        let recorded = stage.record(&["./program"], b"");
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert_eq!(recorded.status.code(), Some(0), "{said}");
        assert_eq!(String::from_utf8_lossy(&recorded.stdout), "one\nanother\n");
        assert!(said.contains("ended early by a new program"), "{said}");
    }
}

#[test]
fn a_killed_recorder_leaves_threads_that_run_on() {
    let stage = Stage::new();
    compile(&stage, COUNTERS);
    let program = stage.path("program");
    let command = [program.to_str().unwrap(), "and wait"];
    let Some(output) = outlives_its_recorder(&stage, &command) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("the command ran on"), "{said}");
    assert!(!stage.recording().exists());
}
