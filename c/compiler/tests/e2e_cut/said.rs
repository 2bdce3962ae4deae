//! What is said to people: why something is where it is, what cannot be recorded and where
//! that is, and what a replay has done differently.

use std::fs;
use std::process::Command;

use reprise_c_events::{Before, Crossing, read, write};
use reprise_recording::{Closing, Recording, Writer};

use super::stage::{Stage, done};

impl Stage {
    /// What is said about something that cannot be done, with a status.
    fn wrong(&self, arguments: &[&str], status: i32) -> String {
        let output = self.try_to(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{said}");
        said
    }

    /// Another recording, in which some events are others; nothing in it is damaged.
    fn changed(&self, mut change: impl FnMut(&mut Crossing)) {
        /// Whose pages are the program's code and data.
        const PROGRAM: u32 = 1;
        let at = |name: &str| self.folder.path().join(name);
        let _ = fs::remove_file(at("y.reprise"));
        let from = Recording::open(at("x.reprise")).unwrap();
        let to = Writer::create(at("y.reprise"), from.manifest()).unwrap();
        let mut pages = from.pages();
        let mut map = to.page_map(PROGRAM, 0);
        for address in pages.addresses(PROGRAM, 0).unwrap() {
            let page = pages.get(PROGRAM, 0, address).unwrap();
            map.insert(address, &page.unwrap()).unwrap();
        }
        map.finish().unwrap();
        for (stream, info) in from.streams() {
            let mut out = to.stream(info).unwrap();
            let mut events = from.events(stream, 0).unwrap();
            while let Some(event) = events.next().unwrap() {
                let mut crossing = read(event.payload).unwrap();
                change(&mut crossing);
                let mut bytes = Vec::new();
                write(&crossing, &mut bytes);
                out.append(&bytes).unwrap();
            }
            out.flush().unwrap();
        }
        let closing = from.closing().cloned().unwrap_or_else(Closing::default);
        to.finish(closing).unwrap();
    }
}

/// A function's side, and what crosses because of it; names that there are not.
#[test]
fn why_a_function_is_where_it_is() {
    let stage = Stage::new("c-figure2");
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    let explained = |function: &str, how: &[&str]| {
        let explain = ["cut", "./prog", "--target", "f", "--explain", function];
        let (said, _) = stage.run(&[&explain, how].concat());
        said
    };
    let said = explained("g", &[]);
    assert!(said.starts_with("g (main.c:6) is inside\n"), "{said}");
    super::says(&said, "8 bytes 2 rand returns to g");
    assert!(!said.contains("printf"), "{said}");
    let said = explained("main", &[]);
    assert!(said.starts_with("main (main.c:19) is outside\n"), "{said}");
    assert!(said.contains("main calls f"), "{said}");
    // With another boundary it is on the other side.
    let said = explained("g", &["--naive"]);
    assert!(said.starts_with("g (main.c:6) is outside\n"), "{said}");
    assert!(!said.contains("rand"), "{said}");
    let explain = ["cut", "./prog", "--target", "f", "--explain", "h"];
    let said = stage.wrong(&explain, 2);
    assert!(said.contains("explain h of ./prog"), "{said}");
    assert!(said.contains("there is no such function"), "{said}");
}

/// What cannot be inside is refused as a target, with the line; beside a target it stays
/// outside.
#[test]
fn what_cannot_be_recorded() {
    let stage = Stage::new("c-figure2");
    let source = "#include <signal.h>\n\
        #include <stdarg.h>\n\
        #include <stdio.h>\n\
        #include <unistd.h>\n\
        struct large { long words[9]; };\n\
        static volatile int seen;\n\
        static void handler(int number) { seen = number; }\n\
        static int fork_twice(void) {\n\
        int child = vfork(); if (child == 0) _exit(0); return child > 0; }\n\
        static long take(int count, ...) { va_list all; va_start(all, count);\n\
        struct large one = va_arg(all, struct large); va_end(all); return one.words[8]; }\n\
        static long give(void) { struct large one = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};\n\
        return take(1, one); }\n\
        static float shared;\n\
        static float exchanged(void) {\n\
        float one = 1, before; __atomic_exchange(&shared, &one, &before, 5); return before; }\n\
        static long fence(void) { long x = 1;\n\
        __asm__ volatile(\"xchg %0, %0\" : \"+r\"(x)); return x; }\n\
        int main(void) { signal(SIGFPE, handler); raise(SIGFPE);\n\
        printf(\"%d %d %ld %ld %g\\n\", seen, fork_twice(), give(), fence(), exchanged());\n\
        return 0; }\n";
    fs::write(stage.folder.path().join("main.c"), source).unwrap();
    stage.run(&["cc", "-O0", "-o", "prog", "main.c"]);
    for (function, why) in [
        (
            "handler",
            "it handles a signal that the program's own instructions cause (main.c:19)",
        ),
        ("fork_twice", "it comes back twice (main.c:9)"),
        ("fence", "it has inline assembly (main.c:18)"),
        (
            "give",
            "it passes a structure by value as a variable argument (main.c:13)",
        ),
    ] {
        let said = stage.wrong(&["cut", "./prog", "--target", function], 2);
        let expected = format!("{function} cannot be recorded: {why}");
        assert!(said.contains(&expected), "{expected}\n{said}");
    }
    // Everything else is recorded as a whole.
    let (_, replayed) = stage.whole_way(&["--whole-program"]);
    assert!(replayed.contains("the same"), "{replayed}");
}

/// A replay that does something else says where, what was recorded and what it did.
#[test]
fn what_a_replay_does_differently() {
    let stage = Stage::new("c-mixed");
    stage.whole_way(&["--target", "in_*", "--naive"]);
    // Nothing is changed by copying it.
    stage.changed(|_| {});
    stage.run(&["replay", "y.reprise"]);
    // Another call than the one that the inside makes returns.
    let (shown, _) = stage.run(&["show", "--events", "x.reprise"]);
    let results: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains(" returns"))
        .collect();
    assert!(results.len() > 2, "{shown}");
    let (mut at, mut other) = (0, None);
    let mut before = Before::default();
    stage.changed(|event| {
        // None is said by another one.
        *event = before.complete(event.clone()).unwrap();
        if let Crossing::Result { site, .. } = event
            && other.is_none()
        {
            other = Some(at);
            *site += 1;
        }
        at += 1;
    });
    let said = stage.wrong(&["replay", "y.reprise"], 3);
    let event = other.unwrap();
    assert!(
        said.contains(&format!("diverged at event {event}: expected ")),
        "{said}"
    );
    // The place that it came to is that of the recorded call: "printf in in_work (main.c:91)".
    let text = results[0].split_once(" returns").unwrap();
    let name = text.0.split_whitespace().last().unwrap();
    let (_, place) = text.1.split_once(" to ").unwrap();
    let place = place.split_once(')').unwrap().0;
    let expected = format!("got a call to return at {name} in {place})");
    assert!(said.contains(&expected), "{expected}\n{said}");
    // Memory is not the same at the end.
    stage.changed(|event| {
        if let Crossing::End { sum, .. } = event {
            *sum ^= 1;
        }
    });
    let said = stage.wrong(&["replay", "y.reprise"], 3);
    let expected = "the memory of the inside is not the same at the end";
    assert!(said.contains(expected), "{said}");
}

/// Inside memory gets to where it was computed that it does not: the recording ends there, or
/// its replay says that memory is not the same. Nobody is shown a wrong replay.
#[test]
fn what_was_computed_does_not_hold() {
    let stage = Stage::new("c-figure2");
    let at = |name: &str| stage.folder.path().join(name);
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(root.join("subjects/c-smuggled/main.c"), at("main.c")).unwrap();
    fs::write(at("u.c"), "void unknown(char *text) { text[3] = '!'; }\n").unwrap();
    let library = ["-shared", "-fPIC", "-o", "libunknown.so", "u.c"];
    let mut gcc = Command::new("gcc");
    done(gcc.args(library).current_dir(stage.folder.path()));
    let run_path = format!("-Wl,-rpath,{}", stage.folder.path().display());
    let linked = ["-L.", "-lunknown", &run_path];
    stage.run(&[&["cc", "-O0", "-o", "prog", "main.c"][..], &linked].concat());
    stage.whole_way(&["--target", "in_*", "--naive"]);
    let said = stage.as_far_as_recorded(&["1"]);
    assert_eq!(said, "iNS!de out!?de\n");
    let (shown, _) = stage.run(&["show", "--events", "y.reprise"]);
    let expected = "is not recorded any more: inside memory was given to a function of which \
                    nothing is known, in in_gives (main.c:36)";
    assert!(shown.contains(expected), "{shown}");
    fs::remove_file(at("y.reprise")).unwrap();
    let (said, _) = stage.run(&["record", "-o", "y.reprise", "--", "./prog.cut", "1", "2"]);
    assert_eq!(said, "iNSi?e out!ide\n");
    let said = stage.wrong(&["replay", "y.reprise"], 3);
    let expected = "the memory of the inside is not the same at the end";
    assert!(said.contains(expected), "{said}");
}

/// An inside function reads outside memory where nobody looks, since it was computed that it does not:
/// the replay ends there, and does not go on with what the variable held at first.
#[test]
fn what_is_not_looked_at_is_not_there() {
    let stage = Stage::new("c-hidden");
    let (said, _) = stage.whole_way(&["--target", "in_*", "--naive"]);
    super::says(&said, "checks 1 of 2 loads and stores of inside functions");
    let (said, _) = stage.run(&["record", "-o", "y.reprise", "--", "./prog.cut", "1"]);
    assert_eq!(said, "42\n");
    let said = stage.wrong(&["replay", "y.reprise"], 3);
    assert!(said.contains("got SIGSEGV"), "{said}");
    let expected = "the inside uses memory of the outside that it was computed not to use";
    assert!(said.contains(expected), "{said}");
}

/// Functions that are called at the end, with the boundary in different places.
#[test]
fn at_the_end_of_the_program() {
    let stage = Stage::new("c-endings");
    for level in ["-O0", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
        for how in [
            &["--target", "in_*", "--naive"][..],
            &["--target", "in_*"],
            &["--target", "in_last", "--naive"],
            &["--whole-program"],
        ] {
            stage.whole_way(how);
            let (said, _) = stage.run(&["record", "-o", "z.reprise", "--", "./prog.cut"]);
            fs::remove_file(stage.folder.path().join("z.reprise")).unwrap();
            assert_eq!(said, "24321\n", "{how:?}");
        }
    }
}
