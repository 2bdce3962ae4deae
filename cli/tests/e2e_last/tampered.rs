//! A replay notices when it does not go as recorded.

use std::cell::Cell;
use std::fs;

use reprise_process_events::{Event, State};

use crate::rewrite::{rewrite, rewrite_manifest};
use crate::stage::Stage;
use crate::subjects::{compile, subject};

const READ: u64 = 0;
const GETPID: u64 = 39;

/// A recording of a program that reads, asks for its number and writes.
fn recorded() -> Stage {
    let stage = Stage::new();
    let script = "read line; echo $line $$; kill -SEGV $$";
    let output = stage.record(&["sh", "-c", script], b"hello\n");
    assert_eq!(output.status.code(), Some(139));
    stage
}

/// The replay of a recording whose events were edited diverges, and says this.
fn check(edit: impl FnMut(&mut Event), expected: &str) {
    let stage = recorded();
    let other = stage.path("other.reprise");
    rewrite(&stage.recording(), &other, edit, |_, _| {});
    let output = stage.replay_file(&other);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_copy_that_is_not_edited_replays() {
    let stage = recorded();
    let other = stage.path("other.reprise");
    rewrite(&stage.recording(), &other, |_| {}, |_, _| {});
    let output = stage.replay_file(&other);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn other_input_is_noticed_when_it_is_written() {
    let edit = |event: &mut Event| {
        if let Event::Call(call) = event
            && call.number == READ
            && call.arguments[0] == 0
            && call.writes[0].bytes[0] == b'h'
        {
            call.writes[0].bytes[0] = b'j';
        }
    };
    check(edit, "expected write of data with checksum");
}

#[test]
fn another_result_is_noticed() {
    let edit = |event: &mut Event| {
        if let Event::Call(call) = event
            && call.number == GETPID
        {
            call.result += 1;
        }
    };
    check(edit, "diverged at event");
}

#[test]
fn other_registers_at_the_end_are_noticed() {
    let edit = |event: &mut Event| {
        if let Event::End(end) = event {
            end.state.registers.0[0] ^= 1;
        }
    };
    check(edit, "expected r15 0x");
}

#[test]
fn another_vector_register_at_the_end_is_noticed() {
    let edit = |event: &mut Event| {
        if let Event::End(end) = event {
            end.state.extended[170] ^= 1;
        }
    };
    check(edit, "at byte 170 of the extended registers");
}

#[test]
fn other_memory_at_the_end_is_noticed() {
    let edit = |event: &mut Event| {
        if let Event::End(end) = event {
            end.sums.runs[0].1[0] ^= 1;
        }
    };
    check(edit, "expected the page at 0x");
}

#[test]
fn a_page_that_was_changed_is_noticed() {
    let stage = recorded();
    let other = stage.path("other.reprise");
    let mut changed = false;
    let edit = |_, page: &mut [u8; 4096]| {
        if !changed {
            changed = true;
            page[4095] ^= 1;
        }
    };
    rewrite(&stage.recording(), &other, |_| {}, edit);
    let output = stage.replay_file(&other);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
}

#[test]
fn what_the_processor_answered_is_what_a_replay_is_told() {
    let stage = Stage::new();
    compile(&subject("process-asking"), &stage.path("program"));
    let recorded = stage.record(&["./program"], b"");
    assert_eq!(recorded.status.code(), Some(0));
    let other = stage.path("other.reprise");
    // A number of the model that no processor here has.
    let edit = |event: &mut Event| {
        if let Event::Answer(answer) = event {
            let rax = answer.registers.rax();
            answer.registers.set_rax(rax ^ 0x0f00_0000);
        }
    };
    rewrite(&stage.recording(), &other, edit, |_, _| {});
    let output = stage.replay_file(&other);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("diverged"), "{said}");
    assert!(stage.show(&["--events"]).contains("the processor answers"));
}

/// A recording as another processor would have made it, which says other things of itself.
fn as_of_another(stage: &Stage, from: &str, layout: impl FnOnce(&mut serde_json::Value)) {
    let (from, to) = (stage.path(from), stage.path("foreign.reprise"));
    let _ = fs::remove_file(&to);
    rewrite_manifest(&from, &to, |manifest| {
        manifest.details["cpuid"][1][0] = 1.into();
        layout(&mut manifest.details["extended"]);
    });
}

#[test]
fn a_recording_of_another_processor_replays() {
    const BEHIND_AVX: usize = 832;
    const FARTHER: usize = 256;
    let stage = recorded();
    let other = stage.path("other.reprise");
    // What is behind AVX is farther away, as on processors with registers for bounds.
    let mut moved = 0;
    let mut farther = |state: &mut State| {
        let at = state.extended.len().min(BEHIND_AVX);
        state.extended.splice(at..at, [0xff; FARTHER]);
        // Where the last floating-point instruction was, and what the processor allows.
        state.extended[8..16].copy_from_slice(&[7; 8]);
        state.extended[28..32].copy_from_slice(&[7; 4]);
        moved += 1;
    };
    let edit = |event: &mut Event| match event {
        Event::Start(start) => farther(&mut start.state),
        Event::Signal(signal) => farther(&mut signal.state),
        Event::Sigreturn(back) => farther(&mut back.state),
        Event::End(end) => farther(&mut end.state),
        _ => {}
    };
    rewrite(&stage.recording(), &other, edit, |_, _| {});
    assert!(moved >= 2);
    let replay = || {
        let output = stage.replay_file(&stage.path("foreign.reprise"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    as_of_another(&stage, "other.reprise", |layout| {
        for part in layout.as_array_mut().unwrap() {
            let at = part[1].as_u64().unwrap();
            if at >= BEHIND_AVX as u64 {
                part[1] = (at + FARTHER as u64).into();
            }
        }
    });
    let (status, said) = replay();
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("lacks"), "{said}");
    // Where nobody says where things are, only the same will do.
    as_of_another(&stage, "other.reprise", |layout| *layout = ().into());
    let (status, said) = replay();
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("extended registers take"), "{said}");
}

#[test]
fn instructions_that_a_processor_lacks_are_told_before_anything_is_played() {
    // vfmaddpd of FMA4, which processors had for four years, and a nop.
    const ABANDONED: [u8; 7] = [0xc4, 0xe3, 0xf9, 0x69, 0xc0, 0, 0x90];
    let stage = recorded();
    let at = Cell::new(0);
    let edit = |event: &mut Event| {
        if let Event::Call(call) = event
            && call.number == GETPID
        {
            at.set(call.ip - ABANDONED.len() as u64);
        }
    };
    let edit_page = |address: u64, page: &mut [u8; 4096]| {
        if let Some(place) = at.get().checked_sub(address)
            && let Some(code) = page.get_mut(place as usize..place as usize + ABANDONED.len())
        {
            code.copy_from_slice(&ABANDONED);
        }
    };
    rewrite(
        &stage.recording(),
        &stage.path("other.reprise"),
        edit,
        edit_page,
    );
    as_of_another(&stage, "other.reprise", |_| {});
    let output = stage.replay_file(&stage.path("foreign.reprise"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let before = "this processor lacks FMA4 instructions, which the recording uses before event ";
    assert!(said.contains(before), "{said}");
    assert!(said.contains("it uses FMA4 instructions"), "{said}");
}

#[test]
fn damage_is_no_divergence() {
    let stage = recorded();
    let mut bytes = fs::read(stage.recording()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    stage.write("damaged.reprise", &bytes);
    let output = stage.replay_file(&stage.path("damaged.reprise"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("damaged at byte"), "{said}");
}
