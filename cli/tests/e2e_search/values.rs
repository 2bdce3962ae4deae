//! What is another value in every run, though the program does not ask for it: identity hashes
//! in tables of the JDK, what the JDK draws for itself, in how many pieces input comes, and
//! when waits run out.

use std::ffi::OsStr;
use std::process::{Command, Output};

use reprise_jvm_testing::{agent_library, jdks, limited};

use crate::stage::{Stage, said};

#[test]
fn tables_that_go_by_identity_hashes_have_the_same_order() {
    let stage = Stage::new("schedule-hashes");
    for (number, java) in jdks().into_iter().enumerate() {
        let strategies = match number {
            0 => &["free", "random"][..],
            _ => &["free"],
        };
        for strategy in strategies {
            let option = format!("--schedule={strategy}");
            let name = format!("{number}{strategy}.sched");
            let (file, recorded) = stage.record(&java, &name, &[&option]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

/// What the JDK has drawn is in code that was compiled before the program began: a JVM with this
/// collector goes through so many sets while it starts that there is some.
#[test]
fn what_was_drawn_is_the_same_in_code_that_is_compiled_already() {
    let stage = Stage::new("schedule-hashes");
    let java = &jdks()[0];
    let words = ["-XX:+UseSerialGC", "-Xbatch", "-cp", ".", "Main"];
    let run = |arguments: &[&str]| {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let output = stage.jvm(java, &arguments, &words);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let recorded = run(&["record", "--schedule=random", "-o", "x.sched"]);
    // Two ways to go through a set: one replay of two has the right one by chance.
    for _ in 0..4 {
        assert_eq!(run(&["replay", "x.sched"]), recorded);
    }
}

/// Runs the program with input from a shell's pipe.
fn with_input(stage: &Stage, input: &str, words: &str) -> Output {
    let mut command = Command::new("sh");
    command
        .env("REPRISE_AGENT", agent_library())
        .env("REPRISE", env!("CARGO_BIN_EXE_reprise"))
        .env("JAVA", &jdks()[0])
        .current_dir(stage.folder.path())
        .args([
            "-c",
            &format!("({input}) | \"$REPRISE\" {words} -- \"$JAVA\" -cp . Main"),
        ]);
    limited::output(&mut command)
}

/// What came at once is read at once again, though it comes in three pieces. (The other way
/// round the machine would have to be fast enough to see pieces in the first place.)
#[test]
fn input_is_read_in_the_pieces_in_which_it_came() {
    let stage = Stage::new("schedule-pieces");
    let slowly = "printf abc; sleep 1; printf de; sleep 1; printf fghi";
    for strategy in ["random", "free"] {
        let record = format!("record --schedule={strategy} -o {strategy}.sched");
        let recorded = with_input(&stage, "printf abcdefghi", &record);
        assert_eq!(recorded.stdout, b"pieces 9\n", "{recorded:?}");
        let replay = format!("replay {strategy}.sched");
        let played = with_input(&stage, slowly, &replay);
        assert_eq!(played.stdout, recorded.stdout, "{played:?}");
        assert_eq!(played.status.code(), Some(0), "{played:?}");
    }
}

/// A wait runs out although the monitor it needs then is taken, and although another thread
/// looks for its end in a loop; a read that runs out does so once.
#[test]
fn waits_run_out_in_every_case() {
    let stage = Stage::new("schedule-timeouts");
    let java = &jdks()[0];
    let (file, recorded) = stage.record(java, "x.sched", &["--schedule"]);
    let text = String::from_utf8_lossy(&recorded.stdout);
    assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
    assert!(
        text.ends_with("done\nRead timed out\nread 1\n"),
        "{}{}",
        text,
        said(&recorded)
    );
    stage.follow(java, &file, &recorded, "ended with status 0");
}

/// Who waits until its time has run out, and nobody else could go on meanwhile, has been there once
/// more than a schedule says that it blocks.
#[test]
fn who_blocks_again_after_its_time_ran_out_is_followed() {
    let stage = Stage::new("schedule-delays");
    let java = &jdks()[0];
    for strategy in ["random", "pos", "rr:5"] {
        for seed in ["1", "2"] {
            let name = format!("{strategy}{seed}.sched").replace(':', "-");
            let option = format!("--schedule={strategy}");
            let options = [option.as_str(), "--seed", seed];
            let (file, recorded) = stage.record(java, &name, &options);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            stage.follow(java, &file, &recorded, "ended with status 0");
        }
    }
}

/// What the garbage collector has taken away is away in a replay, and nothing else is, although
/// there it has so little memory for what is new that it would take everything.
#[test]
fn the_garbage_collector_takes_what_it_took() {
    let stage = Stage::new("schedule-references");
    for (number, java) in jdks().into_iter().enumerate() {
        let cases = match number {
            0 => &[("random", ""), ("free", "collect")][..],
            _ => &[("random", "collect")],
        };
        for &(strategy, argument) in cases {
            let run = |arguments: &[&str], young: &str| {
                let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
                let mut words = vec!["-Xms600m", "-Xmx600m", young, "-cp", ".", "Main"];
                words.extend((!argument.is_empty()).then_some(argument));
                let output = stage.jvm(&java, &arguments, &words);
                let told = format!("{strategy} {argument} {output:?}");
                assert_eq!(output.status.code(), Some(0), "{told}");
                String::from_utf8(output.stdout).unwrap()
            };
            let option = format!("--schedule={strategy}");
            let file = format!("{number}.{strategy}.sched");
            let recorded = run(&["record", &option, "-o", &file], "-Xmn300m");
            let nothing = recorded.starts_with("taken 0 one 0 0");
            assert_eq!(nothing, argument.is_empty(), "{recorded}");
            assert_eq!(run(&["replay", &file], "-Xmn2m"), recorded);
        }
    }
}

/// So it is with keys of tables and with what cleaners clean, of which the program has no references.
#[test]
fn the_garbage_collector_takes_from_tables_what_it_took() {
    let stage = Stage::new("schedule-collected");
    for (number, java) in jdks().into_iter().enumerate() {
        for strategy in ["random", "free"] {
            let run = |arguments: &[&str], young: &str| {
                let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
                let words = ["-Xms300m", "-Xmx300m", young, "-cp", ".", "Main"];
                let output = stage.jvm(&java, &arguments, &words);
                assert_eq!(output.status.code(), Some(0), "{strategy} {output:?}");
                String::from_utf8(output.stdout).unwrap()
            };
            let option = format!("--schedule={strategy}");
            let file = format!("{number}.{strategy}.sched");
            let recorded = run(&["record", &option, "-o", &file], "-Xmn3m");
            assert!(!recorded.contains("cleaned 0/0 left 600"), "{recorded}");
            assert_eq!(run(&["replay", &file], "-Xmn3m"), recorded);
            // With so much for what is new, nothing is taken away but by what was recorded.
            assert_eq!(run(&["replay", &file], "-Xmn250m"), recorded);
        }
    }
}

/// When finalizers run is not recorded, which the recording says, and so does the last line.
#[test]
fn finalizers_are_named() {
    let stage = Stage::new("schedule-collected");
    let java = &jdks()[0];
    for strategy in ["random", "free"] {
        let name = format!("{strategy}.sched");
        let option = format!("--schedule={strategy}");
        let record = ["record", &option, "-o", &name].map(OsStr::new);
        let recorded = stage.reprise_with(java, &record, &["finalizes"]);
        let lacks = "not recorded: when the garbage collector has Main$Finalized.finalize run";
        assert!(said(&recorded).contains(lacks), "{recorded:?}");
        let text = std::fs::read_to_string(stage.folder.path().join(&name)).unwrap();
        assert!(text.starts_with(&format!("# {lacks}")), "{text}");
        let replay = ["replay", &name].map(OsStr::new);
        let played = stage.reprise_with(java, &replay, &["finalizes"]);
        assert_eq!(played.status.code(), Some(0), "{played:?}");
    }
}
