//! Functions of the C library that belong to whoever calls them.

use std::fs;
use std::process::Command;

use super::stage::Stage;

/// How many events were replayed.
fn events(replayed: &str) -> u64 {
    let mut words = replayed.split_whitespace();
    let number = words.find_map(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("{replayed}"))
}

/// With memory of either side, with and without `_FORTIFY_SOURCE`, in two locales.
#[test]
fn functions_that_belong_to_their_callers() {
    let stage = Stage::new("c-library");
    for options in [&["-O0"][..], &["-O2", "-D_FORTIFY_SOURCE=2"]] {
        stage.run(&[&["cc"], options, &["-o", "prog", "main.c"]].concat());
        let plain = Command::new(stage.folder.path().join("prog")).output();
        let plain = String::from_utf8(plain.unwrap().stdout).unwrap();
        stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
        for how in [&["--target", "in_*", "--naive"][..], &["--whole-program"]] {
            let (said, replayed) = stage.whole_way(how);
            assert!(!said.contains("\nunknown"), "{said}");
            // Of memory of the outside each read is one; and many thousand characters are looked
            // up between two crossings.
            let most = if how == ["--whole-program"] {
                1_000
            } else {
                20_000
            };
            assert!(events(&replayed) < most, "{replayed}");
            let (recorded, _) = stage.run(&["replay", "x.reprise"]);
            assert_eq!(recorded, "");
            fs::remove_file(stage.folder.path().join("x.reprise")).unwrap();
            let (said, _) = stage.run(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
            assert_eq!(said, plain);
        }
    }
}

/// A program that is ended because there is not enough room.
#[test]
fn too_little_room() {
    let stage = Stage::new("c-library");
    let options = ["cc", "-O2", "-D_FORTIFY_SOURCE=2", "-o", "prog", "main.c"];
    stage.run(&options);
    stage.run(&["cut", "./prog", "--target", "in_*", "-o", "prog.cut"]);
    let output = stage.try_to(&["record", "-o", "x.reprise", "--", "./prog.cut", "more"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("buffer overflow detected"), "{said}");
    assert_eq!(output.status.code(), Some(128 + 6), "{said}");
    let (_, replayed) = stage.run(&["replay", "x.reprise"]);
    let far = "killed outside of what was recorded";
    assert!(replayed.contains(far), "{replayed}");
}

/// How often gdb has no value for a variable, and how often it is asked.
fn optimized_out(stage: &Stage, more: &[&str]) -> (usize, usize) {
    let cut = ["cut", "./prog", "--target", "in_*", "-o", "prog.cut"];
    stage.run(&[&cut[..], more].concat());
    let _ = fs::remove_file(stage.folder.path().join("x.reprise"));
    stage.run(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
    let mut arguments = vec!["replay", "--debug", "x.reprise", "--", "-batch"];
    for stop in [
        "break in_look",
        "break in_classify",
        "break in_copy",
        "break in_fortified",
    ] {
        arguments.extend(["-ex", "delete", "-ex", stop, "-ex", "continue"]);
        for _ in 0..6 {
            arguments.extend(["-ex", "next", "-ex", "info args", "-ex", "info locals"]);
        }
    }
    let (said, _) = stage.run(&arguments);
    (
        said.matches("<optimized out>").count(),
        said.lines().filter(|line| line.contains(" = ")).count(),
    )
}

/// Variables of an optimised program.
#[test]
fn variables_for_a_debugger() {
    let stage = Stage::new("c-library");
    stage.run(&["cc", "-O2", "-o", "prog", "main.c"]);
    let (without, asked) = optimized_out(&stage, &[]);
    assert!(without > 10 && asked > 30, "{without} of {asked}");
    let (with, asked) = optimized_out(&stage, &["--variables"]);
    assert!(with * 2 < without, "{with} of {asked}, {without} before");
    let (_, replayed) = stage.run(&["replay", "x.reprise"]);
    let same = "to the end; the memory of the inside is the same";
    assert!(replayed.contains(same), "{replayed}");
}
