//! `cargo xtask study`: the experiments whose results are kept in `studies/`.
//! A study is one entry here and the program it names.

mod program;

use std::process::ExitCode;

use self::program::{Program, cut, measured, played, searched};
use crate::setup::{self, Task};
use crate::workspace::Workspace;
use crate::{TaskResult, bad_usage, command, results, table};

struct Study {
    name: &'static str,
    about: &'static str,
    environment: &'static [(&'static str, &'static str)],
    program: Program,
    /// Tests that are run and kept one by one, because all of them take long.
    parts: &'static [&'static str],
}

/// Where LLVM is.
pub(crate) const LLVM: (&str, &str) = ("LLVM_SYS_191_PREFIX", "/usr/lib/llvm-19");

const AT_LENGTH: &[(&str, &str)] = &[("REPRISE_STUDY", "1")];

const STUDIES: &[Study] = &[
    Study {
        name: "cut-figure2",
        about: "the program of the paper's Figure 2: its cuts, recorded, replayed, under gdb",
        environment: &[LLVM],
        program: cut("figure_2"),
        parts: &[],
    },
    Study {
        name: "cut-programs",
        about: "gzip, bc, wget, neon, httpd and Berkeley DB from Debian's sources: boundaries, logs, \
                times, replays (in parts; name one to run it alone)",
        environment: &[LLVM, ("REPRISE_STUDY", "1")],
        program: cut(""),
        parts: &[
            "debian_gzip",
            "debian_bc",
            "debian_wget",
            "debian_neon",
            "debian_httpd",
            "debian_instructions",
            "debian_logs",
            "debian_replicas",
        ],
    },
    Study {
        name: "cut-computing",
        about: "six programs that compute, from Debian's sources, as a whole; a search function \
                (in parts; name one to run it alone)",
        environment: &[LLVM, ("REPRISE_STUDY", "1")],
        program: cut(""),
        parts: &[
            "computing_bzip2",
            "computing_cliquer",
            "computing_phalanx",
            "computing_expat",
            "computing_lua",
            "computing_sqlite",
        ],
    },
    Study {
        name: "cut-large",
        about: "the minimum cut of a graph of 80 million edges: time and memory",
        environment: &[],
        program: Program::Bench {
            package: "reprise-flow",
            name: "large",
        },
        parts: &[],
    },
    Study {
        name: "schedule-bugs",
        about: "29 small programs with bugs: runs until a failure, replays, switches minimised",
        environment: AT_LENGTH,
        program: searched("bugs"),
        parts: &[],
    },
    Study {
        name: "schedule-cost",
        about: "kernels of several threads: plain, recorded freely, and following a schedule",
        environment: AT_LENGTH,
        program: searched("what_schedules_cost"),
        parts: &[],
    },
    Study {
        name: "share-bugs",
        about: "12 programs with bugs and a library: how often users' shares are put together",
        environment: AT_LENGTH,
        program: searched("how_often_shares"),
        parts: &[],
    },
    Study {
        name: "share-cost",
        about: "kernels of several threads: what recording a quarter costs, and what all does",
        environment: AT_LENGTH,
        program: searched("what_shares_cost"),
        parts: &[],
    },
    Study {
        name: "observe-nanoxml",
        about: "classes of NanoXML, alone and in sets, recorded and replayed over 216 inputs",
        environment: AT_LENGTH,
        program: played("nanoxml", true, false),
        parts: &[],
    },
    Study {
        name: "observe-programs",
        about: "20 sets of classes each of larger programs, recorded and replayed",
        environment: AT_LENGTH,
        program: played("programs", false, true),
        parts: &[],
    },
    Study {
        name: "observe-libraries",
        about: "libraries from Maven Central, each inside as a whole (REPRISE_RACES: with --races)",
        environment: AT_LENGTH,
        program: played("libraries::as_a_whole", false, false),
        parts: &[],
    },
    Study {
        name: "observe-parts",
        about: "nine sets of classes each of the same libraries, drawn by lot (REPRISE_SEED)",
        environment: AT_LENGTH,
        program: played("libraries::in_parts", false, false),
        parts: &[],
    },
    Study {
        name: "observe-cost",
        about: "what it costs to observe one class of a program that analyses bytecode",
        environment: &[],
        program: Program::Bench {
            package: "reprise-jvm-player",
            name: "observe_cost",
        },
        parts: &[],
    },
    Study {
        name: "moving",
        about: "how long it takes to move through the replay of a process, in both directions",
        environment: &[("MOVING", "long")],
        program: measured(&["e2e_moving"]),
        parts: &[],
    },
    Study {
        name: "last-bugs",
        about: "ten bugs of known programs, captured at their crash and found backwards in gdb",
        environment: &[("LAST_BUGS", "long")],
        program: measured(&["e2e_bugs"]),
        parts: &[],
    },
    // These are of one file: the variable says which is meant.
    Study {
        name: "last-moments",
        about: "the paper's programs and others with segments of six lengths, forced to fail: what \
                recording costs, sizes by kind, replays elsewhere (LAST_ROOT: another system's root)",
        environment: &[("LAST_MOMENTS", "1")],
        program: measured(&["e2e_servers"]),
        parts: &[],
    },
    Study {
        name: "last-load",
        about: "httpd under load, recorded for 10 minutes, with a dump every 30 s (LAST_LOAD: seconds)",
        environment: &[("LAST_LOAD", "600")],
        program: measured(&["e2e_servers"]),
        parts: &[],
    },
    Study {
        name: "last-contained",
        about: "recording and replaying as an ordinary user in a place like a container",
        environment: &[("LAST_CONTAINED", "1")],
        program: measured(&["e2e_servers"]),
        parts: &[],
    },
    Study {
        name: "last-peers",
        about: "the last second side by side with CRIU, gdb's record full and rr",
        environment: &[("LAST_PEERS", "1")],
        program: measured(&["e2e_servers"]),
        parts: &[],
    },
    Study {
        name: "last-programs",
        about: "programs from Debian and from compilers, recorded, and replayed in an empty root",
        environment: &[("LAST_PROGRAMS", "1")],
        program: measured(&["e2e_servers"]),
        parts: &[],
    },
    Study {
        name: "kernels",
        about: "recordings of here replayed on other kernels and another processor, and the \
                other way (LAST_KERNELS: a folder of kernels to boot instead of Debian's)",
        environment: &[("LAST_KERNELS", "1")],
        program: Program::Tests {
            packages: &["reprise"],
            tests: &["e2e_servers"],
            filter: "kernels",
            release: false,
            one_by_one: true,
        },
        parts: &[],
    },
    Study {
        name: "recording-faults",
        about: "what is still readable of a recording that was cut short or damaged, at length",
        environment: &[("RECORDING_FAULTS", "long")],
        program: Program::Tests {
            packages: &["reprise-recording"],
            tests: &["faults"],
            filter: "",
            release: true,
            one_by_one: false,
        },
        parts: &[],
    },
    Study {
        name: "jvms",
        about: "every subject recorded and played, and schedules followed, on JVMs of 11, 17, 21 and 25, and on the Zero VM",
        environment: &[("REPRISE_JVMS", "all")],
        program: Program::Tests {
            packages: &["reprise-jvm", "reprise-jvm-player", "reprise"],
            tests: &["e2e_observe", "e2e_replay", "e2e_search"],
            filter: "jvms",
            release: false,
            one_by_one: false,
        },
        parts: &[],
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
    setup::ensure(match study.name {
        name if name.starts_with("cut-") && name != "cut-large" => Task::StudyOfC,
        "kernels" => Task::StudyOfKernels,
        "last-programs" => Task::StudyOfPrograms,
        name if name.starts_with("last-") => Task::StudyOfProcesses,
        _ => Task::Study,
    })?;
    let workspace = Workspace::load()?;
    if study.parts.is_empty() {
        return run_one(study, &workspace, arguments).map(|()| ExitCode::SUCCESS);
    }
    if arguments == ["--table"] {
        put_together(study, &workspace)?;
        return Ok(ExitCode::SUCCESS);
    }
    let parts: Vec<&str> = match arguments {
        [] => study.parts.to_vec(),
        named => named.iter().map(String::as_str).collect(),
    };
    if let Some(no) = parts.iter().find(|part| !study.parts.contains(part)) {
        return bad_usage(&format!("The study `{name}` has no part `{no}`"));
    }
    let mut failed = Vec::new();
    for part in &parts {
        let typed = format!("cargo xtask study {name} {part}");
        if results::is_kept(&workspace.root, name, &typed)? {
            println!("{part}: a result of today and of this revision is kept already");
            continue;
        }
        if let Err(error) = run_one(study, &workspace, &[(*part).to_owned()]) {
            eprintln!("{error}");
            failed.push(*part);
        }
    }
    if arguments.is_empty() {
        put_together(study, &workspace)?;
    }
    match failed.is_empty() {
        true => Ok(ExitCode::SUCCESS),
        false => Err(format!("no result of {}", failed.join(", "))),
    }
}

/// One table of what was kept today of each part.
fn put_together(study: &Study, workspace: &Workspace) -> Result<(), String> {
    let typed = format!("cargo xtask study {}", study.name);
    let of = study.parts.iter().map(|part| format!("{typed} {part}"));
    let of: Vec<String> = of.collect();
    if let Some(file) = results::keep_together(&workspace.root, study.name, &typed, &of)? {
        println!("one table of all parts in {}", file.display());
    }
    Ok(())
}

/// Runs a study, or a part of it, and keeps what it says.
fn run_one(study: &Study, workspace: &Workspace, arguments: &[String]) -> Result<(), String> {
    let name = study.name;
    let revision = results::revision(&workspace.root);
    let mut cargo = command::cargo(&study.program.arguments());
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
    let file = results::keep(&workspace.root, name, &revision, typed.trim_end(), &output)?;
    println!("kept in {}", file.display());
    Ok(())
}
