//! `cargo xtask study`: the experiments whose results are kept in `studies/`.
//! A study is one entry here and the program it names.

use std::process::ExitCode;

use crate::setup::{self, Task};
use crate::workspace::Workspace;
use crate::{TaskResult, bad_usage, command, results, table};

struct Study {
    name: &'static str,
    about: &'static str,
    environment: &'static [(&'static str, &'static str)],
    /// The arguments to cargo; those of the study's caller follow them.
    cargo: &'static [&'static str],
}

const CUT_FIGURE2: Study = Study {
    name: "cut-figure2",
    about: "the program of the paper's Figure 2: its two cuts, recorded, replayed, under gdb",
    environment: &[("LLVM_SYS_191_PREFIX", "/usr/lib/llvm-19")],
    cargo: &[
        "test",
        "--locked",
        "-p",
        "reprise-cc",
        "--features",
        "llvm",
        "--test",
        "e2e_cut",
        "--",
        "--nocapture",
        "--test-threads=1",
    ],
};

const OBSERVE_NANOXML: Study = Study {
    name: "observe-nanoxml",
    about: "classes of NanoXML, alone and in sets, recorded and replayed over 216 inputs",
    environment: &[("REPRISE_STUDY", "1")],
    cargo: &[
        "test",
        "--release",
        "--locked",
        "-p",
        "reprise-jvm-player",
        "--test",
        "e2e_replay",
        "nanoxml",
        "--",
        "--nocapture",
    ],
};

const OBSERVE_PROGRAMS: Study = Study {
    name: "observe-programs",
    about: "20 sets of classes each of larger programs, recorded and replayed",
    environment: &[("REPRISE_STUDY", "1")],
    cargo: &[
        "test",
        "--locked",
        "-p",
        "reprise-jvm-player",
        "--test",
        "e2e_replay",
        "programs",
        "--",
        "--nocapture",
        "--test-threads=1",
    ],
};

const OBSERVE_LIBRARIES: Study = Study {
    name: "observe-libraries",
    about: "libraries from Maven Central, each inside as a whole, recorded and replayed",
    environment: &[("REPRISE_STUDY", "1")],
    cargo: &[
        "test",
        "--locked",
        "-p",
        "reprise-jvm-player",
        "--test",
        "e2e_replay",
        "libraries",
        "--",
        "--nocapture",
    ],
};

const OBSERVE_COST: Study = Study {
    name: "observe-cost",
    about: "what it costs to observe one class of a program that analyses bytecode",
    environment: &[],
    cargo: &[
        "bench",
        "--locked",
        "-p",
        "reprise-jvm-player",
        "--bench",
        "observe_cost",
        "--",
    ],
};

const SCHEDULE_BUGS: Study = Study {
    name: "schedule-bugs",
    about: "29 small programs with bugs: runs until a failure, replays, switches minimised",
    environment: &[("REPRISE_STUDY", "1")],
    cargo: &[
        "test",
        "--locked",
        "-p",
        "reprise",
        "--test",
        "e2e_search",
        "bugs",
        "--",
        "--nocapture",
    ],
};

/// A study of `cli/tests/e2e_servers`; the variable says which.
const fn servers(
    name: &'static str,
    about: &'static str,
    environment: &'static [(&'static str, &'static str)],
) -> Study {
    Study {
        name,
        about,
        environment,
        cargo: &[
            "test",
            "--release",
            "--locked",
            "-p",
            "reprise",
            "--test",
            "e2e_servers",
            "--",
            "--nocapture",
            "--test-threads=1",
        ],
    }
}

const SCHEDULE_COST: Study = Study {
    name: "schedule-cost",
    about: "kernels of several threads: plain, recorded freely, and following a schedule",
    environment: &[("REPRISE_STUDY", "1")],
    cargo: &[
        "test",
        "--locked",
        "-p",
        "reprise",
        "--test",
        "e2e_search",
        "what_schedules_cost",
        "--",
        "--nocapture",
    ],
};

const STUDIES: &[Study] = &[
    CUT_FIGURE2,
    SCHEDULE_BUGS,
    SCHEDULE_COST,
    OBSERVE_NANOXML,
    OBSERVE_PROGRAMS,
    OBSERVE_LIBRARIES,
    OBSERVE_COST,
    Study {
        name: "moving",
        about: "how long it takes to move through the replay of a process, in both directions",
        environment: &[("MOVING", "long")],
        cargo: &[
            "test",
            "--release",
            "--locked",
            "-p",
            "reprise",
            "--test",
            "e2e_moving",
            "--",
            "--nocapture",
            "--test-threads=1",
        ],
    },
    Study {
        name: "last-moments",
        about: "the last second of programs as a file: its size by kind, and what it costs",
        environment: &[("LAST_MOMENTS", "long")],
        cargo: &[
            "test",
            "--release",
            "--locked",
            "-p",
            "reprise",
            "--test",
            "e2e_sizes",
            "--",
            "--nocapture",
            "--test-threads=1",
        ],
    },
    Study {
        name: "last-bugs",
        about: "ten bugs of known programs, captured at their crash and found backwards in gdb",
        environment: &[("LAST_BUGS", "long")],
        cargo: &[
            "test",
            "--release",
            "--locked",
            "-p",
            "reprise",
            "--test",
            "e2e_bugs",
            "--",
            "--nocapture",
        ],
    },
    servers(
        "last-load",
        "httpd under load, recorded for 10 minutes, with a dump every 30 s (LAST_LOAD: seconds)",
        &[("LAST_LOAD", "600")],
    ),
    servers(
        "last-contained",
        "recording and replaying as an ordinary user in a place like a container",
        &[("LAST_CONTAINED", "1")],
    ),
    servers(
        "last-peers",
        "the last second side by side with CRIU, gdb's record full and rr",
        &[("LAST_PEERS", "1")],
    ),
    Study {
        name: "recording-faults",
        about: "what is still readable of a recording that was cut short or damaged, at length",
        environment: &[("RECORDING_FAULTS", "long")],
        cargo: &[
            "test",
            "--release",
            "--locked",
            "-p",
            "reprise-recording",
            "--test",
            "faults",
            "--",
            "--nocapture",
        ],
    },
    Study {
        name: "jvms",
        about: "every subject recorded and played on JVMs of 11, 17, 21 and 25, and on the Zero VM",
        environment: &[("REPRISE_JVMS", "all")],
        cargo: &[
            "test",
            "--locked",
            "-p",
            "reprise-jvm",
            "-p",
            "reprise-jvm-player",
            "--test",
            "e2e_observe",
            "--test",
            "e2e_replay",
            "jvms",
            "--",
            "--nocapture",
        ],
    },
];

pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let Some((name, arguments)) = arguments.split_first() else {
        let rows = STUDIES
            .iter()
            .map(|s| vec![s.name.to_owned(), s.about.to_owned()]);
        print!("{}", table::aligned(&rows.collect::<Vec<_>>(), ""));
        return Ok(ExitCode::SUCCESS);
    };
    let Some(study) = STUDIES.iter().find(|study| study.name == name) else {
        return bad_usage(&format!("There is no study `{name}`"));
    };
    setup::ensure(match study.name.starts_with("cut-") {
        true => Task::StudyOfC,
        false => Task::Study,
    })?;
    let workspace = Workspace::load()?;
    let mut cargo = command::cargo(study.cargo);
    cargo.args(arguments).current_dir(&workspace.root);
    // What the caller has set counts.
    let environment = study.environment.iter().copied();
    cargo.envs(environment.filter(|(name, _)| std::env::var_os(name).is_none()));
    let mut output = String::new();
    let status = command::lines(&mut cargo, |line| {
        println!("{line}");
        output.push_str(line);
        output.push('\n');
    })?;
    if output.contains("test result: ok. 0 passed") {
        return Err(format!(
            "the study `{name}` ran no test: mend its entry in xtask/src/study.rs"
        ));
    }
    // What could not run to its end is a bug to fix, not a result to keep.
    if !status.success() {
        return Err(format!(
            "`{}` failed ({status}); no result was kept",
            command::shown(&cargo)
        ));
    }
    if output.trim().is_empty() {
        return Err("the study wrote nothing, so there is no result to keep".to_owned());
    }
    let typed = format!("cargo xtask study {name} {}", arguments.join(" "));
    let file = results::keep(&workspace.root, name, typed.trim_end(), &output)?;
    println!("kept in {}", file.display());
    Ok(ExitCode::SUCCESS)
}
