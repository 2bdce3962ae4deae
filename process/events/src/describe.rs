//! What an event says, in one line for people.

use crate::event::{Call, Ending, Event, Place, Position};
use std::fmt::Write as _;

/// How much of what a call brought in is shown.
const SHOWN: usize = 40;

/// One event in words.
#[must_use]
pub fn describe(event: &Event) -> String {
    match event {
        Event::Start(start) => format!(
            "a segment begins at {:#x}, with {} mapped regions",
            start.state.registers.rip(),
            start.regions.len()
        ),
        Event::Call(call) => describe_call(call),
        Event::Signal(signal) => {
            let (number, ip) = (signal.number, signal.ip);
            format!("signal {number} comes at {ip:#x} and is handled")
        }
        Event::Sigreturn(back) => {
            let ip = back.state.registers.rip();
            format!("the handler returns to {ip:#x}")
        }
        Event::Tsc(tsc) => format!("rdtsc at {:#x} = {}", tsc.ip, tsc.value),
        Event::End(end) => {
            let ip = end.state.registers.rip();
            match end.ending {
                Ending::Exit { status, .. } => format!("exits with {}", status as u8),
                Ending::Signal { number, .. } => format!("is killed by signal {number} at {ip:#x}"),
            }
        }
        Event::Thread(thread) => {
            let ip = thread.state.registers.rip();
            format!("there is a thread {}, at {ip:#x}", thread.number)
        }
        Event::Switch(switch) => match switch.at {
            Position::AtCall => format!("a call waits, thread {} runs", switch.thread),
            _ => format!("thread {} runs", switch.thread),
        },
        Event::Pause(pause) => {
            let ip = pause.state.registers.rip();
            format!("the thread is stopped at {ip:#x}, in a computation")
        }
        Event::Changed(writes) => {
            let bytes: usize = writes.iter().map(|write| write.bytes.len()).sum();
            format!("others have changed {bytes} bytes")
        }
        Event::Views(views) => {
            format!("{} ranges show memory that others show, too", views.len())
        }
        Event::Answer(answer) => format!("the processor answers at {:#x}", answer.ip),
        Event::Exit(exit) => format!("the thread ends, with {}", exit.status as i32),
    }
}

/// Where a pause was, in words.
#[must_use]
pub fn describe_place(place: Place) -> String {
    let Place { event, count } = place;
    format!("event {event} is {count} instructions behind the one before")
}

/// A system call as a tracer would print it, with what it brought in.
fn describe_call(call: &Call) -> String {
    let mut text = reprise_syscalls::name(call.number);
    text.push('(');
    for (i, argument) in call.arguments.iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        // Small numbers are numbers, and the rest are addresses or flags.
        let _ = match argument.cast_signed() {
            small @ -4096..=0xffff => write!(text, "{comma}{small}"),
            _ => write!(text, "{comma}{argument:#x}"),
        };
    }
    if reprise_syscalls::is_error(call.result) {
        let error = call.result.cast_signed().wrapping_neg();
        let _ = write!(text, ") = error {error}");
    } else if call.result > 0xffff_ffff {
        let _ = write!(text, ") = {:#x}", call.result);
    } else {
        let _ = write!(text, ") = {}", call.result);
    }
    for write in &call.writes {
        let len = write.bytes.len();
        let shown = &write.bytes[..len.min(SHOWN)];
        let more = if shown.len() < len { "…" } else { "" };
        if shown.is_empty() || !shown.iter().all(|byte| is_text(*byte)) {
            let _ = write!(text, ", {len} bytes");
        } else {
            let _ = write!(text, ", \"{}{more}\"", String::from_utf8_lossy(shown));
        }
    }
    text
}

fn is_text(byte: u8) -> bool {
    byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Write;

    #[test]
    fn a_call_reads_as_a_tracer_prints_it() {
        let mut call = Call {
            number: 0,
            arguments: vec![0, 0x7f00_0000_1000, 4096],
            result: 4,
            writes: vec![Write {
                address: 0x7f00_0000_1000,
                bytes: b"ada\n".to_vec(),
            }],
            ..Call::default()
        };
        let expected = "read(0, 0x7f0000001000, 4096) = 4, \"ada\n\"";
        assert_eq!(describe(&Event::Call(call.clone())), expected);
        call.result = (-2i64).cast_unsigned();
        call.writes.clear();
        let expected = "read(0, 0x7f0000001000, 4096) = error 2";
        assert_eq!(describe(&Event::Call(call)), expected);
    }
}
