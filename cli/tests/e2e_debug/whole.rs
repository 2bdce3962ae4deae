//! Every subject, with every instruction of its run counted: the code that
//! counts changes nothing, so the end is that of the run.

use crate::stage::Stage;

/// Breakpoints where no program comes by, and more than the processor can look
/// for, so that each instruction is looked at.
const NOWHERE: [&str; 5] = ["break *1", "break *2", "break *3", "break *4", "break *5"];

fn check(name: &str, flags: &[&str]) {
    let stage = Stage::subject(name, flags);
    if !stage.replays() {
        eprintln!("{name}: this recording replays without a debugger neither");
        return;
    }
    let mut commands = NOWHERE.to_vec();
    commands.extend(["continue", "monitor where", "reverse-continue"]);
    let said = stage.gdb(&[], &commands);
    said.has(&["No more reverse-execution history."]);
    said.has(&["event ", " instructions since"]);
    said.has_not("cannot go on");
}

#[test]
fn files() {
    check("process-files", &[]);
}

#[test]
fn memory() {
    check("process-memory", &[]);
}

#[test]
fn signals() {
    check("process-signals", &[]);
}

#[test]
fn a_static_program() {
    check("process-static", &["-static"]);
}

#[test]
fn the_time_stamp_counter() {
    check("process-tsc", &[]);
}

#[test]
fn what_the_processor_answers() {
    check(
        "process-asking",
        &["-pthread", "-mrdrnd", "-mrdseed", "-mxsave"],
    );
}

#[test]
fn a_child() {
    check("process-fork", &[]);
}

#[test]
fn threads() {
    check("process-threads", &["-pthread"]);
    check("process-threads-crash", &["-pthread"]);
    check("process-threads-storm", &["-pthread"]);
}

#[test]
fn interrupted_computations() {
    check("process-preempt", &["-pthread"]);
    check("process-spin", &[]);
}

#[test]
fn optimised_code() {
    check("process-crash", &["-O3", "-march=native"]);
}
