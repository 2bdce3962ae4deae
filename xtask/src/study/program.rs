//! What a study runs.

/// What runs it: tests at length, or a benchmark.
pub(super) enum Program {
    Tests {
        packages: &'static [&'static str],
        tests: &'static [&'static str],
        /// Those of them whose names have this; all if it is empty.
        filter: &'static str,
        release: bool,
        one_by_one: bool,
    },
    Bench {
        package: &'static str,
        name: &'static str,
    },
}

impl Program {
    /// The arguments to cargo; those of the study's caller follow them.
    pub(super) fn arguments(&self) -> Vec<&'static str> {
        match self {
            Self::Bench { package, name } => {
                vec!["bench", "--locked", "-p", package, "--bench", name, "--"]
            }
            Self::Tests {
                packages,
                tests,
                filter,
                release,
                one_by_one,
            } => {
                let mut arguments = vec!["test", "--locked"];
                arguments.extend(release.then_some("--release"));
                arguments.extend(packages.iter().flat_map(|package| ["-p", package]));
                if packages.contains(&"reprise-cc") {
                    // What it tests is there with LLVM alone.
                    arguments.extend(["--features", "llvm"]);
                }
                arguments.extend(tests.iter().flat_map(|test| ["--test", test]));
                arguments.extend(Some(*filter).filter(|filter| !filter.is_empty()));
                arguments.extend(["--", "--nocapture"]);
                arguments.extend(one_by_one.then_some("--test-threads=1"));
                arguments
            }
        }
    }
}

/// Tests of the player of JVM programs, by name.
pub(super) const fn played(filter: &'static str, release: bool, one_by_one: bool) -> Program {
    Program::Tests {
        packages: &["reprise-jvm-player"],
        tests: &["e2e_replay"],
        filter,
        release,
        one_by_one,
    }
}

/// Tests of searching for schedules, by name, compiled for speed: how fast that is counts.
pub(super) const fn searched(filter: &'static str) -> Program {
    Program::Tests {
        packages: &["reprise"],
        tests: &["e2e_search"],
        filter,
        release: true,
        one_by_one: true,
    }
}

/// All of a file of tests of the command, compiled for speed.
pub(super) const fn measured(tests: &'static [&'static str]) -> Program {
    Program::Tests {
        packages: &["reprise"],
        tests,
        filter: "",
        release: true,
        one_by_one: true,
    }
}

/// Tests of C programs that are cut, by name.
pub(super) const fn cut(filter: &'static str) -> Program {
    Program::Tests {
        packages: &["reprise-cc"],
        tests: &["e2e_cut"],
        filter,
        release: true,
        one_by_one: true,
    }
}
