//! `setjmp` and `longjmp`, on either side of the boundary and across it.

use super::stage::Stage;

/// Inside functions that jump to each other, also over outside ones, and outside ones that
/// jump to them.
#[test]
fn jumps_between_inside_functions() {
    let stage = Stage::new("c-leaps");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        for how in [
            &["--target", "in_*", "--naive"][..],
            &["--target", "in_*"],
            &["--target", "in_protected"],
            &["--whole-program"],
        ] {
            stage.whole_way(how);
        }
    }
}

/// Outside functions that jump to each other over inside ones, which never come back.
#[test]
fn jumps_between_outside_functions() {
    let stage = Stage::new("c-jumps");
    stage.whole_way(&["--target", "in_*", "--naive"]);
    // With everything inside they are jumps of inside functions.
    stage.whole_way(&["--whole-program"]);
    // Here a function that was jumped over was called from inside.
    stage.whole_way(&["--target", "main", "--target", "in_add", "--naive"]);
}

/// Inside functions that jump to outside ones, and outside ones that jump over inside ones,
/// while others further out go on.
#[test]
fn jumps_out_of_the_inside() {
    let stage = Stage::new("c-outward");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        stage.whole_way(&["--target", "in_*", "--naive"]);
        stage.whole_way(&["--target", "in_goes_on", "--naive"]);
        stage.whole_way(&["--target", "in_fails", "--naive"]);
    }
}

/// A signal handler jumps out of inside code.
#[test]
fn a_jump_out_of_the_inside_ends_the_recording() {
    let stage = Stage::new("c-jumps");
    stage.run(&[
        "cut", "./prog", "--target", "in_*", "--naive", "-o", "prog.cut",
    ]);
    let (said, recorded) = stage.run(&["record", "-o", "x.reprise", "--", "./prog.cut", "1"]);
    assert!(said.lines().count() == 21, "{said}");
    println!("{recorded}");
    stage.run(&["replay", "x.reprise"]);
}
