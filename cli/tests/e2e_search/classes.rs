//! Classes that come into being while a program runs: made by it, and initialised.

use std::ffi::OsStr;

use reprise_jvm_testing::jdks;

use crate::stage::{Stage, said};

/// Places in classes that a program makes are in no jar; a schedule names them, and is followed,
/// checked and told.
#[test]
fn places_in_classes_that_a_program_makes_are_found() {
    let stage = Stage::new("schedule-made");
    for (number, java) in jdks().into_iter().enumerate() {
        for strategy in ["free", "random"] {
            let name = format!("{strategy}{number}.sched");
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option, "--seed", "1"]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            let text = std::fs::read_to_string(&file).unwrap();
            // In which of them depends on who met whom.
            assert!(text.contains(" Made000"), "{text}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
            for arguments in [
                &["schedule", "check", &name, "--program", "."][..],
                &["show", &name, "--program", "."],
            ] {
                let output = stage.command(arguments);
                assert_eq!(output.status.code(), Some(0), "{output:?}");
            }
        }
    }
    // Without them, the schedule is one for another program.
    let file = stage.folder.path().join("random0.sched.classes");
    std::fs::remove_file(file).unwrap();
    let arguments = ["replay", "random0.sched"].map(OsStr::new);
    let refused = stage.reprise(&jdks()[0], &arguments);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(said(&refused).contains("there is no class Made000"));
}

/// Which thread the JVM lets load a class is by chance, and what a loader of the program does then is no
/// part of a schedule.
#[test]
fn whoever_loads_a_class_does_so_unseen() {
    let stage = Stage::new("schedule-loaders");
    for (number, java) in jdks().into_iter().enumerate() {
        for strategy in ["free", "free:all", "random"] {
            let name = format!("{}{number}.sched", strategy.replace(':', "-"));
            let option = format!("--schedule={strategy}");
            let (file, recorded) = stage.record(&java, &name, &[&option, "--seed", "1"]);
            assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(!text.contains("Main$Loader findClass"), "{text}");
            stage.follow(&java, &file, &recorded, "ended with status 0");
        }
    }
}

/// Who initialises a class and needs a monitor for that goes on before others who need the class:
/// they would wait with the turn, and the run would come to no end.
#[test]
fn nobody_waits_unseen_for_the_initialiser_of_a_class() {
    let stage = Stage::new("schedule-initialisers");
    let java = &jdks()[0];
    for seed in 1..=10 {
        let (name, seed) = (format!("{seed}.sched"), seed.to_string());
        let options = ["--schedule=random", "--seed", &seed];
        let (file, recorded) = stage.record(java, &name, &options);
        assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
        stage.follow(java, &file, &recorded, "ended with status 0");
    }
}
