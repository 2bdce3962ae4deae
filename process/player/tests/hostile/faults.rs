//! Faults because memory is behind the end of its file: a replay closes the page that a
//! recording names, whatever that is.

use reprise_player::{Fact, PlayError, Played};
use reprise_process_events::{Event, Position, Signal, State, Write};

use crate::{CODE, DATA, actual, call, extended_len, played, registers, start};

const SIGBUS: u32 = 7;
const RDI: usize = 14;

/// mov eax, 39; syscall; mov al, [rdi]; ud2
const USES: [u8; 11] = [0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x8a, 0x07, 0x0f, 0x0b];

/// Plays code that reads from data, with a fault there of which a handler was told this.
fn faulted(address: u64, context: u64) -> Result<Played, PlayError> {
    const FRAME: u64 = DATA + 0x100;
    let mut bytes = vec![0; 216];
    bytes.extend(address.to_le_bytes());
    let mut handler = registers();
    handler.set_rip(CODE + 9);
    handler.set_rdx(FRAME.wrapping_add(context));
    let signal = Event::Signal(Signal {
        at: Position::AtFault,
        number: SIGBUS,
        ip: CODE + 7,
        frame: Write {
            address: FRAME,
            bytes,
        },
        state: State {
            registers: handler,
            extended: vec![0; extended_len()],
        },
    });
    let mut start = start();
    start.state.registers.0[RDI] = DATA;
    played(&start, &USES, &[call(39, &USES[..7]), signal])
}

#[test]
fn the_page_of_a_fault_is_closed_and_opened_again() {
    // The frame is written to the same page.
    let played = faulted(DATA + 5, 0).unwrap();
    assert_eq!(played.events, 3);
}

#[test]
fn places_that_make_no_sense_close_nothing() {
    let places = [
        (0, 0),
        (DATA + 0x1000, 0),
        (u64::MAX, 0),
        (1 << 63, 0),
        (DATA, 1 << 20),
        (DATA, u64::MAX),
        (DATA, u64::MAX - 200),
    ];
    for (address, context) in places {
        let fact = actual(faulted(address, context));
        // It goes on to where it stops by itself.
        let stopped = matches!(fact, Fact::Signal { ip, .. } if ip == CODE + 9);
        assert!(stopped, "{address:#x} {context:#x}: {fact:?}");
    }
}
