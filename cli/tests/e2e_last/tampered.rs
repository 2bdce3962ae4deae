//! A replay notices when it does not go as recorded.

use std::fs;

use reprise_process_events::Event;

use crate::rewrite::{rewrite, rewrite_manifest};
use crate::stage::Stage;
use crate::subjects::{compile, subjects};

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
    let mut subjects = subjects().into_iter();
    let subject = subjects.find(|subject| subject.name == "process-asking");
    let stage = Stage::new();
    compile(&subject.unwrap(), &stage.path("program"));
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

#[test]
fn a_processor_that_lacks_something_is_told_before_anything_is_played() {
    let stage = recorded();
    let other = stage.path("other.reprise");
    rewrite_manifest(&stage.recording(), &other, |manifest| {
        manifest.details["cpuid"][2][1] = u32::MAX.into();
    });
    let output = stage.replay_file(&other);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("this processor lacks"), "{said}");
    assert!(output.stdout.is_empty(), "{said}");
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
