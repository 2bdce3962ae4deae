//! `cargo xtask test`: the gate. What passes here may land.
//!
//! An integration test whose file name begins with `e2e` drives the built
//! programs from end to end and runs in a step of its own, with the programs of
//! the dev build, which the other tests need anyway; all others are counted
//! with the unit tests.

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use crate::setup::{self, Task};
use crate::steps::{Outcome, Steps};
use crate::study::LLVM;
use crate::workspace::Workspace;
use crate::{Failure, TaskResult, command, fuzz, repository};

/// How long the whole may take on a build machine that starts from nothing.
const BUDGET: Duration = Duration::from_secs(25 * 60);

/// How long each fuzz target runs: enough to try its seeds and to notice that
/// one no longer builds, not to find what is hard to find.
const FUZZ_SECONDS: u32 = 3;

/// Those of the tests with LLVM that the gate runs: the paper's program with its cuts, under gdb,
/// reads, a file in lines, a crash, threads, signals, what was computed and does not hold, and what is
/// said of bad input.
const C_TESTS: &[&str] = &[
    "a_crash_is_reached",
    "again::reads_that_find_nothing_new",
    "bad_sources",
    "figure_2",
    "lines_and_their_parts",
    "said::what_is_not_looked_at_is_not_there",
    "said::what_was_computed_does_not_hold",
    "turns::handlers_are_inside",
    "turns::threads_take_turns",
    "under_a_debugger",
    "what_is_wrong_is_said",
];

pub(crate) fn run(filters: &[String]) -> TaskResult {
    let mut steps = Steps::new(filters);
    if steps.run("set-up", set_up) {
        checks(&mut steps)?;
    }
    if filters.is_empty() && env::var("CI").is_ok_and(|ci| ci == "true") {
        let took = steps.elapsed();
        steps.run("time budget", || within(took, BUDGET));
    }
    if steps.is_empty() {
        return Err(format!(
            "no step is called {}; `cargo xtask test` runs them all",
            filters.join(" or ")
        ));
    }
    println!("{}", steps.summary("test"));
    Ok(if steps.failed() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn set_up() -> Outcome {
    match setup::ensure(Task::Test) {
        Ok(lacking) if lacking.is_empty() => Outcome::Passed(String::new()),
        Ok(lacking) => Outcome::Skipped(format!("going on without {}", lacking.join(", "))),
        Err(failure) => Outcome::Failed(failure),
    }
}

fn checks(steps: &mut Steps) -> Result<(), Failure> {
    let workspace = Workspace::load()?;
    steps.run("format", || cargo(&["fmt", "--all", "--check"]));
    steps.run("clippy", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ])
    });
    let built = steps.run("build", || cargo(&["build", "--workspace", "--locked"]));
    let (end_to_end, others) = integration_tests(&workspace);
    steps.run("tests", || {
        if built {
            tests(&others).into()
        } else {
            unbuilt()
        }
    });
    steps.run("end-to-end", || match (built, end_to_end.is_empty()) {
        (false, _) => unbuilt(),
        (_, true) => Outcome::Skipped("no package has a test called e2e*".to_owned()),
        _ => cargo_test(&selecting(&end_to_end)).into(),
    });
    steps.run(
        "C programs",
        || if built { c_programs() } else { unbuilt() },
    );
    steps.run("docs", || {
        let mut doc = command::cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
        run_shown(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    steps.run("repository", || repository::check(&workspace));
    steps.run("fuzz", || fuzz_all(&workspace));
    Ok(())
}

/// What needs LLVM, which not every machine has and may get: the lints of that code, and those of
/// its tests that take seconds. All of them are studies.
fn c_programs() -> Outcome {
    match setup::ensure(Task::TestOfC) {
        Ok(lacking) if lacking.is_empty() => {}
        Ok(lacking) => return Outcome::Skipped(format!("without {}", lacking.join(", "))),
        Err(why) => return Outcome::Skipped(format!("LLVM 19 cannot be had here: {why}")),
    }
    let with_llvm = |arguments: &[&str]| {
        // The features of the whole workspace, so that nothing is compiled a second time.
        let features = ["--workspace", "--locked", "--features", "reprise-cc/llvm"];
        let mut cargo = command::cargo(&[&arguments[..1], &features, &arguments[1..]].concat());
        cargo.env(LLVM.0, env::var_os(LLVM.0).unwrap_or_else(|| LLVM.1.into()));
        println!("{}", command::shown(&cargo));
        cargo
    };
    let lints = ["clippy", "--all-targets", "--", "-D", "warnings"];
    if let Err(failure) = command::succeed(&mut with_llvm(&lints)) {
        return Outcome::Failed(failure);
    }
    let tests = [&["test", "--test", "e2e_cut", "--", "--exact"], C_TESTS].concat();
    let expected = all_passed(C_TESTS.len());
    let mut have_passed = false;
    let status = command::lines(&mut with_llvm(&tests), |line| {
        println!("{line}");
        have_passed |= line.starts_with(&expected);
    });
    match status {
        Ok(status) if status.success() && have_passed => {
            Outcome::Passed(format!("{} tests", C_TESTS.len()))
        }
        Ok(status) if status.success() => {
            Outcome::Failed("a test of `C_TESTS` in xtask/src/test.rs is not there".to_owned())
        }
        Ok(status) => Outcome::Failed(format!("the tests failed ({status})")),
        Err(failure) => Outcome::Failed(failure),
    }
}

/// How the line begins that says that so many tests have passed, and none has not. Names of tests
/// that there are not would be no failure.
fn all_passed(count: usize) -> String {
    format!("test result: ok. {count} passed; 0 failed; 0 ignored;")
}

fn unbuilt() -> Outcome {
    Outcome::Skipped("the build failed".to_owned())
}

/// The names of all integration tests: those from end to end, and the others.
fn integration_tests(workspace: &Workspace) -> (Vec<&str>, Vec<&str>) {
    let mut names: Vec<&str> = workspace
        .packages
        .iter()
        .flat_map(|p| p.targets("test"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().partition(|name| name.starts_with("e2e"))
}

fn selecting<'a>(tests: &[&'a str]) -> Vec<&'a str> {
    tests.iter().flat_map(|&test| ["--test", test]).collect()
}

fn tests(integration: &[&str]) -> Result<(), Failure> {
    let mut arguments = vec!["--lib", "--bins"];
    arguments.extend(selecting(integration));
    let outcome = cargo_test(&arguments);
    // Both kinds run even when the first fails, as all steps do.
    outcome.and(cargo_test(&["--doc"]))
}

fn cargo_test(selection: &[&str]) -> Result<(), Failure> {
    cargo(
        &[
            &["test", "--workspace", "--locked", "--no-fail-fast"],
            selection,
        ]
        .concat(),
    )
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    run_shown(&mut command::cargo(arguments))
}

fn run_shown(command: &mut std::process::Command) -> Result<(), Failure> {
    println!("{}", command::shown(command));
    command::succeed(command)
}

fn fuzz_all(workspace: &Workspace) -> Outcome {
    let targets = fuzz::targets(workspace);
    if targets.is_empty() {
        return Outcome::Skipped("there is no fuzz target".to_owned());
    }
    let programs = match fuzz::build(workspace) {
        Ok(programs) => programs,
        Err(failure) => return Outcome::Failed(failure),
    };
    let mut failures = Vec::new();
    for name in &targets {
        // Thousands of lines, of interest only when the target crashes.
        let mut said = String::new();
        let keep = |line: &str| {
            said.push_str(line);
            said.push('\n');
        };
        match fuzz::campaign(workspace, &programs, name, FUZZ_SECONDS, keep) {
            Ok(done) => println!("{name}: {done}"),
            Err(failure) => {
                print!("{said}");
                failures.push(failure);
            }
        }
    }
    if failures.is_empty() {
        Outcome::Passed(format!("{}, {FUZZ_SECONDS} s each", targets.join(", ")))
    } else {
        Outcome::Failed(failures.join("\n"))
    }
}

fn within(took: Duration, budget: Duration) -> Result<(), Failure> {
    if took <= budget {
        Ok(())
    } else {
        Err(format!(
            "the gate took {} minutes, over its budget of {}",
            took.as_secs() / 60,
            budget.as_secs() / 60
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BUDGET, all_passed, selecting, within};

    #[test]
    fn the_time_budget_is_kept_or_not() {
        assert!(within(Duration::from_secs(60), BUDGET).is_ok());
        assert_eq!(
            within(Duration::from_secs(26 * 60), BUDGET).unwrap_err(),
            "the gate took 26 minutes, over its budget of 25"
        );
    }

    #[test]
    fn all_tests_that_are_named_have_to_pass() {
        let said = "test result: ok. 11 passed; 0 failed; 0 ignored; 0 measured; 49 filtered out";
        assert!(said.starts_with(&all_passed(11)));
        assert!(!said.starts_with(&all_passed(12)));
        assert!(!said.starts_with(&all_passed(1)));
    }

    #[test]
    fn tests_are_selected_by_name() {
        assert_eq!(selecting(&["a", "b"]), ["--test", "a", "--test", "b"]);
    }
}
