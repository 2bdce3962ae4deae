//! A recording has the pages that it uses, and no others.

use std::process::Command;

use reprise_process_events::Event;

use crate::moments::{check, until_something_is_dropped};
use crate::rewrite::rewrite_without;
use crate::stage::{REPRISE, Stage, check_end};
use crate::subjects::{compile, subject};

/// How many pages of a recording were kept and left out.
fn pages(stage: &Stage) -> (u64, u64) {
    let output = Command::new(REPRISE)
        .args(["show", "--json"])
        .arg(stage.recording())
        .output()
        .unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |name: &str| shown["memory"][name].as_u64().unwrap();
    (count("pages"), count("left_out"))
}

fn sparse(stage: &Stage) {
    compile(&subject("process-sparse"), &stage.path("program"));
}

#[test]
fn what_is_not_used_is_left_out() {
    let stage = Stage::new();
    sparse(&stage);
    let options = ["--last", "60ms", "--interval", "15ms"];
    let command = ["./program", "for ever"];
    check(&until_something_is_dropped(
        &stage, &options, &command, 12_000,
    ));
    let (kept, left_out) = pages(&stage);
    assert!(kept < 1000, "{kept} pages");
    assert!(left_out > 10_000, "{left_out} pages");
    let bytes = std::fs::metadata(stage.recording()).unwrap().len();
    assert!(bytes < 5 << 20, "{bytes} bytes");
}

#[test]
fn a_page_that_is_missing_is_named() {
    let stage = Stage::new();
    sparse(&stage);
    assert!(stage.record(&["./program"], b"").status.success());
    let mut first = None;
    let begins = |event: &mut Event| {
        if let Event::Start(start) = event {
            first = Some(start.state.registers.rip());
        }
    };
    let plain = stage.path("plain.reprise");
    rewrite_without(&stage.recording(), &plain, begins, |_, _| true);
    assert_eq!(stage.replay_file(&plain).status.code(), Some(0));
    let first = first.unwrap();
    let other = stage.path("other.reprise");
    rewrite_without(
        &stage.recording(),
        &other,
        |_| {},
        |address, _| address != first & !0xfff,
    );
    let output = stage.replay_file(&other);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let named = format!("a use of memory that was not recorded at {first:#x}");
    assert!(said.contains(&named), "{said}");
}

/// Of the memory that is moved, some pages are not there.
#[test]
fn memory_is_moved_with_pages_that_are_missing() {
    let stage = Stage::new();
    compile(&subject("process-remap"), &stage.path("program"));
    let options = ["--last", "200ms", "--interval", "50ms"];
    let recorded = stage.record_last(&options, &["./program"]);
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    check_end("process-remap", &recorded, &stage.replay());
    let (_, left_out) = pages(&stage);
    assert!(left_out > 100, "{left_out} pages");
}
