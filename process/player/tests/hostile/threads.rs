//! Threads that make no sense.

use reprise_player::{Fact, PlayError};
use reprise_process_events::{Event, Exit, Position, State, Switch, Thread, Threads};

use crate::{CODE, actual, call, extended_len, played, registers, start};

/// mov eax, 39; syscall; jmp to the start
const CALLS: [u8; 9] = [0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7];

fn thread(number: u32, called: bool) -> Thread {
    let state = State {
        registers: registers(),
        extended: vec![0; extended_len()],
    };
    Thread {
        number,
        state,
        called,
    }
}

fn switch(at: Position, thread: u32) -> Event {
    Event::Switch(Switch { at, thread })
}

fn is_unplayable(events: &[Event], why: &str) {
    let result = played(&start(), &CALLS, events);
    let Err(PlayError::Unplayable { what, .. }) = &result else {
        panic!("{result:?}");
    };
    assert!(what.contains(why), "{what}");
}

#[test]
fn there_is_nobody_to_switch_to() {
    is_unplayable(&[switch(Position::AfterEvent, 7)], "no thread 7");
    // Nor to the one that runs, or to one that has ended.
    is_unplayable(&[switch(Position::AtCall, 1)], "no thread 1");
}

#[test]
fn threads_have_numbers_of_their_own() {
    is_unplayable(&[Event::Thread(thread(1, false))], "two threads 1");
    let twice = Event::Thread(thread(2, false));
    is_unplayable(&[twice.clone(), twice], "two threads 2");
    let mut start = start();
    start.threads = Some(Threads {
        running: 5,
        others: vec![thread(5, true)],
    });
    let result = played(&start, &CALLS, &[]);
    assert!(matches!(result, Err(PlayError::Unplayable { .. })));
}

#[test]
fn registers_are_those_of_the_processor() {
    let mut other = thread(2, false);
    other.state.extended.truncate(100);
    is_unplayable(&[Event::Thread(other)], "other registers");
}

/// Whoever says that a thread is in a call must have it stand at one.
#[test]
fn a_call_that_a_thread_is_in_is_one() {
    let events = [
        Event::Thread(thread(2, true)),
        switch(Position::AfterEvent, 2),
        call(0, &[]),
    ];
    let fact = actual(played(&start(), &CALLS, &events));
    assert!(
        matches!(fact, Fact::Call { .. } | Fact::OtherCall { .. }),
        "{fact:?}"
    );
}

#[test]
fn what_is_behind_the_end_of_a_thread_goes_nowhere() {
    // mov eax, 60; syscall; jmp $
    let code = [0xb8, 60, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xfe];
    let ip = CODE + 7;
    let exit = Event::Exit(Exit {
        ip,
        ..Exit::default()
    });
    let result = played(&start(), &code, std::slice::from_ref(&exit));
    assert!(result.is_ok(), "{result:?}");
    let result = played(&start(), &code, &[exit, call(39, &code)]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

#[test]
fn a_switch_at_a_call_needs_one() {
    let events = [Event::Thread(thread(2, false)), switch(Position::AtCall, 2)];
    // mov eax, [0]
    let code = [0x8b, 0x04, 0x25, 0, 0, 0, 0];
    let fact = actual(played(&start(), &code, &events));
    assert!(matches!(fact, Fact::Signal { .. }), "{fact:?}");
    let result = played(&start(), &CALLS, &events);
    assert!(result.is_ok(), "{result:?}");
}
