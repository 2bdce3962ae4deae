//! `cargo xtask fuzz`: coverage-guided fuzzing with the stable toolchain.
//!
//! The targets are the programs of the package `reprise-fuzz`, one file each in
//! `xtask/fuzz/src/bin`. What cargo-fuzz needs a nightly compiler for is the
//! address sanitizer; the instrumentation that guides libFuzzer is an LLVM pass
//! that stable rustc runs when it is named.
//!
//! The inputs tried so far are kept in `target/fuzz-corpus/NAME`, which starts
//! with copies of
//! - `xtask/fuzz/seeds/NAME/*`, and
//! - the golden files of the package whose folder is called NAME, or whose
//!   extension is NAME.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::repository::files;
use crate::setup::{self, Task};
use crate::workspace::Workspace;
use crate::{Failure, TaskResult, bad_usage, command};

const PACKAGE: &str = "reprise-fuzz";

/// Counters and a table of the places they count guide the search; the
/// comparisons seen let it find the constants that a parser compares with.
const RUSTFLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    --cfg fuzzing -Ccodegen-units=1 -Cdebug-assertions";

/// What a parser of untrusted bytes may take for one input.
/// An input that takes long hangs; how long is long must not depend on what else the
/// machine does, so nothing is made of one that is slow and ends.
const LIMITS: &[&str] = &[
    "-rss_limit_mb=2048",
    "-timeout=120",
    "-report_slow_units=120",
    "-max_len=65536",
];

pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let workspace = Workspace::load()?;
    let targets = targets(&workspace);
    let (name, seconds) = match arguments {
        [] => {
            for target in targets {
                println!("{target}");
            }
            return Ok(ExitCode::SUCCESS);
        }
        [name, seconds] => (name, seconds.parse::<u32>()),
        _ => return bad_usage("Fuzzing takes a target and a number of seconds"),
    };
    if !targets.contains(name) {
        return bad_usage(&format!("There is no fuzz target `{name}`"));
    }
    let Ok(seconds @ 1..) = seconds else {
        return bad_usage("The number of seconds is a whole number above 0");
    };
    setup::ensure(Task::Fuzz)?;
    let programs = build(&workspace)?;
    let done = campaign(&workspace, &programs, name, seconds, |line| {
        eprintln!("{line}");
    })?;
    println!("fuzz: {name}: {done}");
    Ok(ExitCode::SUCCESS)
}

/// The names of the fuzz targets.
pub(crate) fn targets(workspace: &Workspace) -> Vec<String> {
    let bins = workspace
        .package(PACKAGE)
        .map(|package| package.targets("bin"));
    let mut names: Vec<String> = bins.into_iter().flatten().map(str::to_owned).collect();
    names.sort();
    names
}

/// Builds all targets and returns the folder they are in.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let host = command::stdout(Command::new("rustc").args(["--print", "host-tuple"]))?;
    let host = host.trim();
    let folder = workspace.target.join("fuzz");
    // With an explicit target, the flags are not for build scripts.
    let mut cargo = command::cargo(&["build", "--release", "--locked", "-p", PACKAGE, "--bins"]);
    cargo.args(["--target", host]);
    cargo
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTFLAGS", RUSTFLAGS);
    cargo.env_remove("CARGO_ENCODED_RUSTFLAGS");
    command::succeed(&mut cargo)?;
    Ok(folder.join(host).join("release"))
}

/// Fuzzes one target and says how far it came. A crash is a failure whose
/// message says how to see it again.
pub(crate) fn campaign(
    workspace: &Workspace,
    programs: &Path,
    name: &str,
    seconds: u32,
    mut line: impl FnMut(&str),
) -> Result<String, Failure> {
    let corpus = workspace.target.join("fuzz-corpus").join(name);
    let crashes = workspace.target.join("fuzz-crashes").join(name);
    seed(&workspace.root, name, &corpus)
        .and_then(|()| fs::create_dir_all(&crashes))
        .map_err(|error| format!("cannot fill {}: {error}", corpus.display()))?;
    let mut fuzzer = Command::new(programs.join(name));
    fuzzer
        .args(LIMITS)
        .arg(format!("-max_total_time={seconds}"));
    fuzzer
        .arg(format!("-artifact_prefix={}/", crashes.display()))
        .arg(&corpus);
    let mut progress = Progress::default();
    let status = command::error_lines(fuzzer.stdout(Stdio::null()), |text| {
        progress.note(text);
        line(text);
    })?;
    progress.verdict(name, status.success(), &status.to_string())
}

/// Copies what is known to be a good start into the corpus.
fn seed(root: &Path, name: &str, corpus: &Path) -> std::io::Result<()> {
    fs::create_dir_all(corpus)?;
    let seeds = Path::new("xtask/fuzz/seeds").join(name);
    for file in files::tracked(root) {
        let path = Path::new(&file);
        if path.starts_with(&seeds) || is_golden_for(&file, name) {
            fs::copy(root.join(path), corpus.join(file.replace('/', "-")))?;
        }
    }
    Ok(())
}

fn is_golden_for(file: &str, name: &str) -> bool {
    let (folders, file) = file.rsplit_once('/').unwrap_or(("", file));
    let mut folders = folders.split('/');
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    folders.clone().any(|folder| folder == "golden")
        && (extension == Some(name) || folders.any(|folder| folder == name))
}

/// What libFuzzer's lines say about how it goes.
#[derive(Default)]
struct Progress {
    first_coverage: Option<u64>,
    coverage: u64,
    runs: u64,
    crash: Option<String>,
}

impl Progress {
    fn note(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next().is_some_and(|first| first.starts_with('#')) {
            if let Some(coverage) = number_after(line, "cov: ") {
                self.first_coverage.get_or_insert(coverage);
                self.coverage = coverage;
            }
        } else if let Some((_, file)) = line.split_once("Test unit written to ") {
            self.crash = Some(file.to_owned());
        } else if let Some(runs) = number_after(line, "Done ") {
            self.runs = runs;
        }
    }

    fn verdict(&self, name: &str, success: bool, status: &str) -> Result<String, Failure> {
        if let Some(file) = &self.crash {
            return Err(format!(
                "{name} crashed; see it again with\n    cargo run -p {PACKAGE} --bin {name} -- {file}"
            ));
        }
        if !success {
            return Err(format!(
                "{name} stopped with no input to show for it ({status})"
            ));
        }
        match self.first_coverage {
            Some(first) => Ok(format!(
                "no crash in {} runs, coverage {first} → {}",
                self.runs, self.coverage
            )),
            // It ran, but as a blind search, and that is not what was asked for.
            None => Err(format!(
                "{name} reports no coverage: it was built without counters"
            )),
        }
    }
}

fn number_after(line: &str, label: &str) -> Option<u64> {
    let (_, rest) = line.split_once(label)?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Progress, is_golden_for};

    fn verdict(lines: &[&str], success: bool) -> Result<String, String> {
        let mut progress = Progress::default();
        for line in lines {
            progress.note(line);
        }
        progress.verdict("spool", success, "exit status: 77")
    }

    #[test]
    fn a_campaign_reports_how_far_it_came() {
        let lines = [
            "INFO: Loaded 1 modules   (208 inline 8-bit counters)",
            "#2\tINITED cov: 8 ft: 8 corp: 1/1b exec/s: 0 rss: 27Mb",
            "#17\tNEW    cov: 19 ft: 9 corp: 2/3b lim: 4 exec/s: 0 rss: 27Mb",
            "Done 5897321 runs in 4 second(s)",
        ];
        assert_eq!(
            verdict(&lines, true).unwrap(),
            "no crash in 5897321 runs, coverage 8 → 19"
        );
    }

    #[test]
    fn a_crash_says_how_to_see_it_again() {
        let line = "artifact_prefix='/t/'; Test unit written to /t/crash-da39";
        let failure = verdict(&[line], false).unwrap_err();
        assert!(failure.ends_with("cargo run -p reprise-fuzz --bin spool -- /t/crash-da39"));
        assert!(verdict(&[], false).is_err());
    }

    #[test]
    fn a_blind_search_is_a_failure() {
        let line = "#2\tINITED exec/s: 0 rss: 27Mb";
        assert!(verdict(&[line, "Done 9 runs in 4 second(s)"], true).is_err());
    }

    #[test]
    fn golden_files_belong_to_targets_by_folder_or_extension() {
        assert!(is_golden_for(
            "core/recording/tests/golden/v1.reprise",
            "recording"
        ));
        assert!(is_golden_for(
            "core/recording/tests/golden/v1.spool",
            "spool"
        ));
        assert!(!is_golden_for(
            "core/recording/tests/golden/v1.reprise",
            "spool"
        ));
        assert!(!is_golden_for("core/recording/src/lib.rs", "recording"));
    }
}
