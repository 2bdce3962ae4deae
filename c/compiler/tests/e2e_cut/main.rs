//! C programs, compiled, weighed, cut, recorded and replayed by the `reprise` command.
//!
//! This needs LLVM. The gate runs a part of it where that is to be had (`cargo xtask test 'C programs'`),
//! and `cargo test -p reprise-cc --features llvm --test e2e_cut` all that is no study.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod again;
mod clients;
mod computing;
mod debian;
mod instructions;
mod jumps;
mod library;
mod measure;
mod paired;
mod programs;
mod replicas;
mod said;
mod servers;
mod stage;
mod table;
mod turns;
mod weighed;

use std::fs;
use std::path::Path;
use std::process::Command;

use stage::{Stage, done, reprise};

fn says(text: &str, line: &str) {
    let is = |one: &str| one.split_whitespace().collect::<Vec<_>>().join(" ") == line;
    assert!(text.lines().any(is), "no line {line:?} in\n{text}");
}

/// The cuts of the paper's Figure 3. The first logs what `rand` returns, the second
/// what `f` finds in `cnt`: two values of four bytes each. In the second, `f` also has
/// to be told where its variable is that an outside function writes to.
#[test]
fn figure_2() {
    let stage = Stage::new("c-figure2");
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    let (first, replayed) = stage.whole_way(&["--target", "main.c:f"]);
    says(&first, "log 8 bytes of data in 5 events (as weighed)");
    says(&first, "naive 16 bytes of data in 8 events");
    says(&first, "8 bytes 2 rand returns to g");
    says(
        &replayed,
        "reprise: replayed 6 events to the end; the memory of the inside is the same",
    );
    let (second, replayed) = stage.whole_way(&["--target", "main.c:f", "--naive"]);
    says(&second, "inside 1 functions, 1 of 3 variables");
    says(&second, "16 bytes 3 f reads a variable of f");
    says(
        &replayed,
        "reprise: replayed 9 events to the end; the memory of the inside is the same",
    );
    let (whole, _) = stage.whole_way(&["--whole-program"]);
    says(&whole, "log 24 bytes of data in 6 events (as weighed)");
}

/// Memory that a function allocates for its callers, and stores where they say, is theirs.
#[test]
fn memory_of_who_has_it_allocated() {
    let stage = Stage::new("c-stored");
    for level in ["-O0", "-O1"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        let (_, replayed) = stage.whole_way(&["--target", "in_compute", "--naive"]);
        let events = replayed.split_once(" events to the end").unwrap().0;
        let events = events.split_whitespace().last().unwrap();
        assert!(events.parse::<u64>().unwrap() < 20, "{replayed}");
    }
}

/// Structures by value that outside functions get through pointers are copies.
#[test]
fn what_is_passed_by_value() {
    let stage = Stage::new("c-passed");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        stage.whole_way(&["--target", "in_*", "--naive"]);
        stage.whole_way(&["--whole-program"]);
    }
}

/// What is put in the place of a call is not taken for a call that was there before.
#[test]
fn what_is_put_in_the_place_of_calls() {
    let stage = Stage::new("c-replaced");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        stage.whole_way(&["--target", "in_*", "--naive"]);
        stage.whole_way(&["--whole-program"]);
    }
}

#[test]
fn under_a_debugger() {
    let stage = Stage::new("c-figure2");
    stage.whole_way(&["--target", "f"]);
    let commands = [
        "break g",
        "continue",
        "continue",
        "backtrace",
        "reverse-continue",
        "finish",
    ];
    let mut arguments = vec!["replay", "--debug", "x.reprise", "--", "-batch"];
    for command in commands {
        arguments.extend(["-ex", command]);
    }
    let (said, _) = stage.run(&arguments);
    // Not in the wrapper of that name, which has no lines.
    assert!(!said.contains("locations"), "{said}");
    assert!(said.contains("in f () at main.c:15"), "{said}");
    // Back in the first of the two calls, and out of it.
    assert!(said.contains("f () at main.c:14"), "{said}");
}

/// Callbacks through the C library, variable arguments, memory that grows and more,
/// with the boundary in different places.
#[test]
fn at_the_boundary() {
    let stage = Stage::new("c-mixed");
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    for how in [
        &["--target", "in_*"][..],
        &["--target", "in_*", "--naive"],
        &["--target", "in_compare"],
        &["--target", "in_work"],
        &["--whole-program"],
    ] {
        stage.whole_way(how);
    }
}

/// Structures by value, atomic operations and jumps to computed places, with the boundary
/// in different places, and compiled with and without optimisation.
#[test]
fn values_of_all_kinds() {
    let stage = Stage::linked("c-values", &["-lm"]);
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c", "-lm"]);
        for how in [
            &["--target", "in_*"][..],
            &["--target", "in_*", "--naive"],
            &["--target", "in_rounded", "--naive"],
            &["--target", "in_sum", "--naive"],
            &["--target", "in_count", "--naive"],
            &["--target", "in_execute", "--naive"],
            &["--whole-program"],
        ] {
            stage.whole_way(how);
        }
    }
}

/// Calls through a pointer count for whom they have called, in all runs that were weighed.
#[test]
fn through_pointers() {
    let stage = Stage::new("c-pointers");
    for _ in 0..2 {
        stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    }
    let (said, _) = stage.whole_way(&["--target", "rarely"]);
    // Four times in each of two runs, with three arguments.
    says(&said, "192 bytes 8 serve calls rarely");
    assert!(said.starts_with("inside     1 functions"), "{said}");
    let (said, _) = stage.whole_way(&["--target", "often"]);
    assert!(!said.contains("serve calls often"), "{said}");
}

/// Where a library's functions and variables are differs from run to run, and there is no
/// library in a replay. Inside variables begin with such addresses.
#[test]
fn addresses_of_libraries() {
    let stage = Stage::linked("c-far", &["-lm"]);
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c", "-lm"]);
        let (_, said) = stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
        assert!(!said.contains("annotation"), "{said}");
        for how in [
            &["--target", "in_*", "--naive"][..],
            &["--target", "in_*"],
            &["--whole-program"],
        ] {
            stage.whole_way(how);
        }
    }
}

/// The runtime and the part with LLVM may be where packages put them; what is missing
/// is said, with the packages.
#[test]
fn as_packages_install_it() {
    let stage = Stage::new("c-figure2");
    let at = |name: &str| stage.folder.path().join(name);
    fs::create_dir_all(at("usr/bin")).unwrap();
    fs::create_dir_all(at("usr/lib/reprise")).unwrap();
    let copy = |from: &Path, to: &Path| {
        done(Command::new("cp").arg(from).arg(to));
    };
    copy(reprise(), &at("usr/bin/reprise"));
    let cut = |path: &str| {
        let mut command = Command::new(at("usr/bin/reprise"));
        command.args(["cut", "./prog", "--target", "f", "-o", "prog.cut"]);
        let output = command.env("PATH", path).current_dir(stage.folder.path());
        let output = output.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let path = std::env::var("PATH").unwrap();
    let (status, said) = cut("/nowhere");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("clang-19 is not installed"), "{said}");
    assert!(
        said.contains("sudo apt install clang-19 lld-19 llvm-19"),
        "{said}"
    );
    let (_, said) = cut(&path);
    assert!(said.contains("libreprise_c.a is neither in"), "{said}");
    assert!(said.contains("llvm-19-dev"), "{said}");
    for name in ["libreprise_c.a", "reprise-cc"] {
        let to = at("usr/lib/reprise").join(name);
        copy(&reprise().with_file_name(name), &to);
    }
    let (status, said) = cut(&path);
    assert_eq!(status, Some(0), "{said}");
    assert!(at("prog.cut").exists());
}

/// Memory of libraries does not make the program's own theirs, even beside it in a
/// structure: what is logged are results and what libraries have filled.
#[test]
fn memory_that_libraries_lend() {
    let stage = Stage::new("c-lent");
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    let (said, replayed) = stage.whole_way(&["--whole-program"]);
    let events = replayed.split_whitespace().nth(2).unwrap();
    // 600 texts are made and five parts of a list of arguments are read for each; the
    // program reads its own memory tens of thousands of times.
    let events: u64 = events.parse().unwrap();
    assert!(events < 12_000, "{replayed}");
    assert!(!said.contains("\nunknown "), "{said}");
}

/// Lines that are read are in the log once, and what is done with them costs nothing.
#[test]
fn lines_and_their_parts() {
    let stage = Stage::new("c-lines");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        let (_, said) = stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
        assert!(!said.contains("annotation"), "{said}");
        for how in [
            &["--target", "in_parts", "--naive"][..],
            &["--target", "in_read", "--naive"],
            &["--target", "in_*"],
        ] {
            stage.whole_way(how);
        }
        let (said, replayed) = stage.whole_way(&["--whole-program"]);
        assert!(!said.contains("\nunknown "), "{said}");
        // Two calls for each line; hundreds of thousands of letters are looked at.
        let events = replayed.split_whitespace().nth(2).unwrap();
        let events: u64 = events.parse().unwrap();
        assert!((40_000..130_000).contains(&events), "{replayed}");
    }
}

/// What is beside a mutex is inside, and so is the mutex, as far as the program sees it.
#[test]
fn mutexes_in_structures() {
    let stage = Stage::linked("c-held", &["-lpthread"]);
    let (_, said) = stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    assert!(!said.contains("annotation"), "{said}");
    for how in [
        &["--target", "in_take", "--naive"][..],
        &["--target", "in_accounts"],
        &["--target", "in_*"],
    ] {
        stage.whole_way(how);
    }
    let (said, _) = stage.whole_way(&["--whole-program"]);
    assert!(!said.contains("reads queue"), "{said}");
}

/// A function writes to memory of which its annotation says nothing: the weighing run says
/// so, with the place.
#[test]
fn wrong_annotations_are_found() {
    let stage = Stage::new("c-leaps");
    let (_, said) = stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    assert!(!said.contains("annotation"), "{said}");
    let wrong = stage.folder.path().join("wrong.txt");
    fs::write(&wrong, "snprintf: nothing\n").unwrap();
    let (_, said) = stage.run(&[
        "cut",
        "./prog",
        "--weigh",
        "--annotations",
        "wrong.txt",
        "--",
        "./prog",
    ]);
    let expected = "snprintf (main.c:21) writes to memory of which its annotation does not say so";
    assert!(said.contains(expected), "{said}");
}

/// Compilers are missing, sources have changed, and there is assembly in the target.
#[test]
fn bad_sources() {
    let stage = Stage::new("c-figure2");
    let at = |name: &str| stage.folder.path().join(name);
    let mut command = Command::new(reprise());
    command
        .args(["cc", "-c", "main.c"])
        .current_dir(stage.folder.path());
    let output = command.env("PATH", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("run clang-19"), "{said}");
    assert!(said.contains("sudo apt install clang-19"), "{said}");
    // Built anew, with weights of the build before.
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    let source = fs::read_to_string(at("main.c")).unwrap();
    fs::write(
        at("main.c"),
        source.clone() + "int more(void) { return 1; }\n",
    )
    .unwrap();
    let output = stage.try_to(&["cut", "./prog", "--target", "f"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("main.c has changed since"), "{said}");
    let assembly = "int f(void) { int x; __asm__(\"rdtsc\" : \"=a\"(x) : : \"edx\"); return x; }\n\
                    int main(void) { __asm__(\"pause\"); return f() & 0; }\n";
    fs::write(at("main.c"), assembly).unwrap();
    stage.run(&["cc", "-o", "prog", "main.c"]);
    let output = stage.try_to(&["cut", "./prog", "--target", "f"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("f cannot be recorded: it has inline assembly (main.c:1)"),
        "{said}"
    );
    // What only waits does nothing.
    stage.run(&["cut", "./prog", "--target", "main"]);
}

/// A picture on request.
#[test]
fn a_picture() {
    let stage = Stage::new("c-figure2");
    stage.run(&["cut", "./prog", "--target", "f", "--picture", "cut.svg"]);
    let picture = fs::read_to_string(stage.folder.path().join("cut.svg")).unwrap();
    assert!(picture.contains(">rand()</text>"), "{picture}");
}

#[test]
fn a_crash_is_reached() {
    let stage = Stage::new("c-crash");
    stage.run(&[
        "cut",
        "./prog",
        "--target",
        "first_letter",
        "-o",
        "prog.cut",
    ]);
    let recorded = stage.try_to(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
    assert_eq!(recorded.status.code(), Some(139), "{recorded:?}");
    let (_, replayed) = stage.run(&["replay", "x.reprise"]);
    assert!(
        replayed.contains("replayed 101 events to the end, signal 11"),
        "{replayed}"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let stage = Stage::new("c-figure2");
    let wrong = |arguments: &[&str]| {
        let output = stage.try_to(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = wrong(&["cut", "./prog", "--target", "main.c:ff"]);
    assert!(said.contains("no function is meant by main.c:ff"), "{said}");
    assert!(said.contains("--target main.c:f"), "{said}");
    let said = wrong(&["cut", "./main.c", "--target", "f"]);
    assert!(said.contains("was not built by `reprise cc`"), "{said}");
    let said = wrong(&["record", "--", "./prog"]);
    assert!(said.contains("was not built by `reprise cut`"), "{said}");
    let said = wrong(&["cut", "./prog"]);
    assert!(said.contains("nothing says which functions"), "{said}");
    let said = wrong(&["cut", "./prog", "--weigh", "--", "true"]);
    assert!(said.contains("does not run this program itself"), "{said}");
    fs::write(stage.folder.path().join("prog.reprise.weights"), [0; 16]).unwrap();
    let said = wrong(&["cut", "./prog", "--target", "f"]);
    assert!(said.contains("is of another build: weigh again"), "{said}");
    fs::write(stage.folder.path().join("prog.reprise.bc"), "other").unwrap();
    let said = wrong(&["cut", "./prog", "--target", "f"]);
    assert!(said.contains("belongs to another build"), "{said}");
}
