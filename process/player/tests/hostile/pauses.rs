//! Pauses at places that make no sense.

use reprise_player::{Fact, Limits, PlayError, Played, play};
use reprise_process_events::{Event, Pause, Place, State};

use crate::{CODE, LIMITS, extended_len, recorded_with, registers, start};

/// inc rax; jmp to the start
const COUNTS: [u8; 5] = [0x48, 0xff, 0xc0, 0xeb, 0xfb];

/// mov eax, 39; syscall; jmp to the start
const CALLS: [u8; 9] = [0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7];

/// A pause with so much in rax, at an instruction.
fn pause(rax: u64, ip: u64) -> Event {
    let mut registers = registers();
    registers.set_rax(rax);
    registers.set_rip(ip);
    let extended = vec![0; extended_len()];
    Event::Pause(Pause {
        state: State {
            registers,
            extended,
        },
    })
}

fn paused(code: &[u8], events: &[Event], places: &[(u64, u64)]) -> Result<Played, PlayError> {
    let places = places.iter().map(|&(event, count)| Place { event, count });
    let places: Vec<Place> = places.collect();
    let recording = recorded_with(&start(), code, events, &places);
    let limits = Limits {
        memory: 4 << 30,
        ..LIMITS
    };
    play(&recording, None, &limits, &mut |_| {})
}

fn divergence(result: Result<Played, PlayError>) -> (Fact, Fact) {
    match result {
        Err(PlayError::Diverged(divergence)) => (divergence.expected, divergence.actual),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pause_without_a_place_is_none() {
    let result = paused(&COUNTS, &[pause(7, CODE)], &[(2, 14)]);
    assert!(
        matches!(result, Err(PlayError::Unplayable { event: 1, .. })),
        "{result:?}"
    );
}

#[test]
fn another_place_is_a_divergence() {
    let (expected, actual) = divergence(paused(&COUNTS, &[pause(8, CODE)], &[(1, 14)]));
    let rax = |value| Fact::Register { name: "rax", value };
    assert_eq!((expected, actual), (rax(8), rax(7)));
}

#[test]
fn a_call_on_the_way_is_a_divergence() {
    let (expected, actual) = divergence(paused(&CALLS, &[pause(0, CODE)], &[(1, 1000)]));
    assert_eq!(expected, Fact::Pause { ip: CODE });
    assert!(
        matches!(actual, Fact::Call { number: 39, .. }),
        "{actual:?}"
    );
}

#[test]
fn a_place_that_is_too_far_ends_with_the_time() {
    let result = paused(&COUNTS, &[pause(8, CODE)], &[(1, u64::MAX)]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

#[test]
fn all_registers_are_compared() {
    // No processor has zero in all of them.
    let (_, actual) = divergence(paused(&COUNTS, &[pause(7, CODE)], &[(1, 14)]));
    assert!(matches!(actual, Fact::Extended { .. }), "{actual:?}");
}
