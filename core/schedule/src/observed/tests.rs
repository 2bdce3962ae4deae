use super::*;
use crate::thread::ThreadId;
use crate::{Method, Name, Schedule};

const PLACE: u32 = 1 << 28;
const BLOCKS: u32 = 3 << 28;
const RESUMES: u32 = 4 << 28;
const EXITS: u32 = 5 << 28;
const FOLLOWS: u32 = 6 << 28;
const REPEATS: u32 = 7 << 28;
const CONTENDS: u32 = 11 << 28;
const LEAVES: u32 = 12 << 28;
/// Wherever a thread may have to wait for something outside.
const OUTSIDE: u32 = (1 << 28) - 1;
/// Wherever it begins with a task of a pool.
const TASK: u32 = OUTSIDE - 1;

fn trace(thread: &str, number: u32, words: &[u32]) -> Trace {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Trace::read(ThreadId::parse(thread).unwrap(), number, &bytes)
}

/// Places 0, 1, 2 are those offsets of a method; it calls what blocks by its name at 0 and 1.
fn observed(traces: &[Trace]) -> Observed {
    let place = |offset| {
        Some(CodeLocation {
            class: Name::new("A").unwrap(),
            method: Method::new("m", "()V").unwrap(),
            offset,
        })
    };
    schedule(traces, &[place(0), place(1), place(2)], &|place| place < 2)
}

fn check(traces: &[Trace], expected: &[&str]) {
    let found = observed(traces);
    let text = Schedule::from(found.messages.clone()).to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    assert_eq!(lines, expected);
    assert_eq!(found.given_up, 0);
    Schedule::from(found.messages).to_switches().unwrap();
}

/// Main starts a thread, which enters a monitor (1) that main has entered (0) and left.
#[test]
fn who_was_later_receives_from_who_was_earlier() {
    let main = [PLACE, PLACE | 1, PLACE | 2, EXITS];
    let child = [FOLLOWS | 1, 1, 0, PLACE | 1, FOLLOWS | 1, 2, 0, EXITS];
    check(
        &[trace("0", 1, &main), trace("0.1", 2, &child)],
        &[
            "thread 0",
            "before A m()V 1 1",
            "send 0.1 1",
            "before A m()V 2 1",
            "send 0.1 2",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "receive 0 1",
            "before A m()V 1 1",
            "receive 0 2",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
}

/// A thread looks at a flag a hundred times; another sets it in between.
#[test]
fn places_are_counted_also_in_many_alike() {
    let spins = [PLACE, REPEATS | 100, FOLLOWS | 2, 1, 0, EXITS];
    let sets = [PLACE | 1, FOLLOWS | 1, 100, 0, PLACE | 2, EXITS];
    check(
        &[trace("0", 1, &spins), trace("0.1", 2, &sets)],
        &[
            "thread 0",
            "before A m()V 0 101",
            "send 0.1 1",
            "receive 0.1 1",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "before A m()V 1 1",
            "receive 0 1",
            "before A m()V 2 1",
            "send 0 1",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
}

/// Main parks in a call (0), and is woken by another, or by its time.
#[test]
fn who_blocks_sends_and_receives_there() {
    let main = [
        PLACE,
        BLOCKS | 2,
        RESUMES,
        FOLLOWS | 2,
        1,
        0,
        PLACE,
        BLOCKS,
        RESUMES | 1,
        EXITS,
    ];
    let wakes = [PLACE | 1, FOLLOWS | 1, 2, 0, PLACE | 2, EXITS];
    check(
        &[trace("0", 1, &main), trace("0.1", 2, &wakes)],
        &[
            "thread 0",
            "in A m()V 0 1",
            "send 0.1 1",
            "receive 0.1 1",
            "in java.util.concurrent.locks.LockSupport park 0 1",
            "timeout 0",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "before A m()V 1 1",
            "receive 0 1",
            "before A m()V 2 1",
            "send 0 1",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
}

/// Main is called back (1) by what has a monitor of the JDK, which another one needs (2).
#[test]
fn who_needs_a_monitor_of_the_jdk_blocks_there() {
    let main = [PLACE, PLACE | 1, FOLLOWS | 2, 2, 0, PLACE, EXITS];
    let needs = [
        PLACE | 2,
        FOLLOWS | 1,
        1,
        0,
        CONTENDS,
        FOLLOWS | 1,
        2,
        0,
        RESUMES,
        EXITS,
    ];
    check(
        &[trace("0", 1, &main), trace("0.1", 2, &needs)],
        &[
            "thread 0",
            "before A m()V 1 1",
            "send 0.1 1",
            "receive 0.1 1",
            "before A m()V 0 1",
            "send 0.1 2",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "before A m()V 2 1",
            "receive 0 1",
            "in java.lang.Thread holdsLock 0 1",
            "send 0 1",
            "receive 0 2",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
}

/// Main writes to another one and reads its answer, in one call (0): it can be made to stop
/// where it writes, and does where it waits. Each time counts, and so does the one before.
#[test]
fn who_waits_for_something_outside_leaves_there() {
    let no_stop = 2 << 28;
    let main = [
        PLACE,
        PLACE | OUTSIDE,
        no_stop | OUTSIDE,
        LEAVES,
        RESUMES,
        FOLLOWS | 2,
        1,
        0,
        EXITS,
    ];
    let answers = [PLACE | 1, FOLLOWS | 1, 2, 0, PLACE | 2, EXITS];
    check(
        &[trace("0", 1, &main), trace("0.1", 2, &answers)],
        &[
            "thread 0",
            "in java.io.InputStream read 0 2",
            "send 0.1 1",
            "receive 0.1 1",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "before A m()V 1 1",
            "receive 0 1",
            "before A m()V 2 1",
            "send 0 1",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
    let follows = [PLACE, PLACE | OUTSIDE, FOLLOWS | 2, 1, 0, EXITS];
    check(
        &[
            trace("0", 1, &follows),
            trace("0.1", 2, &[PLACE | 1, EXITS]),
        ],
        &[
            "thread 0",
            "in java.io.InputStream read 0 1",
            "receive 0.1 1",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "before java.lang.Thread exit 0 1",
            "die",
            "send 0 1",
        ],
    );
}

/// The second follows the first and the third both; the first also follows through the third.
#[test]
fn what_follows_from_others_is_left_out() {
    let first = [PLACE, PLACE | 1, EXITS];
    let second = [PLACE, FOLLOWS | 1, 1, 0, PLACE | 1, EXITS];
    let third = [PLACE, FOLLOWS | 2, 1, 0, FOLLOWS | 1, 1, 0, EXITS];
    let found = observed(&[
        trace("0", 1, &first),
        trace("0.1", 2, &second),
        trace("0.2", 3, &third),
    ]);
    let text = Schedule::from(found.messages).to_string();
    assert_eq!(found.orders, 3);
    assert_eq!(text.matches("receive").count(), 2, "{text}");
}

/// A thread blocks in a call (2) whose name says nothing of that: the JDK parks it.
#[test]
fn who_blocks_in_a_call_that_names_nothing_is_parked() {
    let main = [PLACE, PLACE | 2, BLOCKS | 4, RESUMES, PLACE | 2, EXITS];
    check(
        &[trace("0", 1, &main)],
        &[
            "thread 0",
            "in java.util.concurrent.locks.LockSupport park 0 1",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
}

/// A thread of a pool, which is nowhere in the program, begins with its second task when main has
/// come to a place.
#[test]
fn who_begins_with_a_task_can_be_made_to_wait() {
    let main = [PLACE, PLACE | 1, EXITS];
    let worker = [PLACE | TASK, PLACE | TASK, FOLLOWS | 1, 1, 0, EXITS];
    check(
        &[trace("0", 1, &main), trace("0.1", 2, &worker)],
        &[
            "thread 0",
            "before A m()V 1 1",
            "send 0.1 1",
            "before java.lang.Thread exit 0 1",
            "die",
            "thread 0.1",
            "before java.util.concurrent.ForkJoinTask exec 0 2",
            "receive 0 1",
            "before java.lang.Thread exit 0 1",
            "die",
        ],
    );
}

/// Each has met the other behind its last place: nobody could go first.
#[test]
fn what_would_be_a_circle_is_given_up() {
    let first = [PLACE, FOLLOWS | 2, 1, 0, PLACE | 1, EXITS];
    let second = [PLACE, FOLLOWS | 1, 1, 0, PLACE | 1, EXITS];
    let found = observed(&[trace("0", 1, &first), trace("0.1", 2, &second)]);
    assert_eq!(found.given_up, 1);
    Schedule::from(found.messages).to_switches().unwrap();
}

#[test]
fn any_words_make_some_schedule() {
    let mut seed = 1_u32;
    for _ in 0..300 {
        let mut words = |n: usize| -> Vec<u32> {
            let mut next = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((seed >> 29) << 28) | ((seed >> 8) % 5)
            };
            (0..n).map(|_| next()).collect()
        };
        let traces = [
            trace("0", 1, &words(12)),
            trace("0.1", 2, &words(12)),
            trace("0.2", 3, &words(12)),
        ];
        observed(&traces);
    }
}
