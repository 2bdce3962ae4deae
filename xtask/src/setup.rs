//! Gets the machine ready: says which system packages a task misses and, where
//! it may, installs them. When nothing is missing it looks at a few files and
//! prints nothing.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Failure, command};

/// The tasks that need something of the machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Tour,
    Test,
    Bench,
    Fuzz,
    Study,
    /// A study of C programs.
    StudyOfC,
    /// A study on other kernels.
    StudyOfKernels,
}
use Task::{Bench, Fuzz, Study, StudyOfC, StudyOfKernels, Test, Tour};

/// A system package and what shows that it, or its like, is there.
struct Requirement {
    /// The name in Debian.
    package: &'static str,
    present: fn() -> bool,
    purpose: &'static str,
    needed_by: &'static [Task],
    /// The tasks that can do nothing at all without it.
    stops: &'static [Task],
}

const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        package: "gcc",
        present: || command::on_path("gcc"),
        purpose: "compiles and links the subjects written in C, and zstd",
        needed_by: &[Tour, Test, Bench, Fuzz, Study, StudyOfC],
        stops: &[Tour, Test, Bench, Fuzz, Study, StudyOfC],
    },
    // Debian's gcc only recommends the headers, and recommendations are not installed.
    Requirement {
        package: "libc6-dev",
        present: || Path::new("/usr/include/stdio.h").exists(),
        purpose: "the C headers for the subjects and zstd",
        needed_by: &[Tour, Test, Bench, Fuzz, Study, StudyOfC],
        stops: &[Tour, Test, Bench, Fuzz, Study, StudyOfC],
    },
    Requirement {
        package: "llvm-19-dev",
        present: || Path::new("/usr/lib/llvm-19/include/llvm-c/Core.h").exists(),
        purpose: "LLVM, which cuts C programs",
        needed_by: &[StudyOfC],
        stops: &[StudyOfC],
    },
    Requirement {
        package: "clang-19",
        present: || command::on_path("clang-19"),
        purpose: "the compiler of C programs that are cut",
        needed_by: &[StudyOfC],
        stops: &[StudyOfC],
    },
    Requirement {
        package: "lld-19",
        present: || Path::new("/usr/lib/llvm-19/bin/ld.lld").exists(),
        purpose: "links them with their bitcode",
        needed_by: &[StudyOfC],
        stops: &[StudyOfC],
    },
    Requirement {
        package: "make",
        present: || command::on_path("make"),
        purpose: "builds programs from Debian's sources",
        needed_by: &[StudyOfC],
        stops: &[StudyOfC],
    },
    Requirement {
        package: "xz-utils",
        present: || command::on_path("xz"),
        purpose: "unpacks them",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "bzip2",
        present: || command::on_path("bzip2"),
        purpose: "unpacks them, too",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "ed",
        present: || command::on_path("ed"),
        purpose: "edits a file while bc is built",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "zlib1g-dev",
        present: || Path::new("/usr/include/zlib.h").exists(),
        purpose: "compression in httpd",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "libexpat1-dev",
        present: || Path::new("/usr/include/expat.h").exists(),
        purpose: "a library of httpd's",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "wrk",
        present: || command::on_path("wrk"),
        purpose: "asks httpd as often as it answers",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "qemu-system-x86",
        present: || command::on_path("qemu-system-x86_64"),
        purpose: "boots other kernels, on a processor that it emulates",
        needed_by: &[StudyOfKernels],
        stops: &[StudyOfKernels],
    },
    Requirement {
        package: "busybox-static",
        present: || command::on_path("busybox"),
        purpose: "what such a kernel starts",
        needed_by: &[StudyOfKernels],
        stops: &[StudyOfKernels],
    },
    Requirement {
        package: "cpio",
        present: || command::on_path("cpio"),
        purpose: "packs that for it",
        needed_by: &[StudyOfKernels],
        stops: &[StudyOfKernels],
    },
    Requirement {
        package: "tcl",
        present: || command::on_path("tclsh"),
        purpose: "makes the sources of SQLite",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "g++",
        present: || command::on_path("g++"),
        purpose: "compiles libFuzzer",
        needed_by: &[Test, Fuzz],
        stops: &[Fuzz],
    },
    Requirement {
        package: "gdb",
        present: || command::on_path("gdb"),
        purpose: "the debugger that `replay --debug` opens",
        needed_by: &[Tour, Test, StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "bc",
        present: || command::on_path("bc"),
        purpose: "a program that nobody here wrote, to record and replay",
        needed_by: &[Test],
        stops: &[],
    },
    Requirement {
        package: "sqlite3",
        present: || command::on_path("sqlite3"),
        purpose: "another, with files and locks",
        needed_by: &[Test],
        stops: &[],
    },
    Requirement {
        package: "python3",
        present: || Path::new("/usr/bin/python3").exists(),
        purpose: "another, with many libraries and a thread",
        needed_by: &[Test],
        stops: &[],
    },
    Requirement {
        package: "maven",
        present: || command::on_path("mvn"),
        purpose: "fetches Java programs that nobody here wrote",
        needed_by: &[Test, Study],
        stops: &[],
    },
    Requirement {
        package: "default-jdk-headless",
        present: || command::on_path("javac") && jvmti_header(),
        purpose: "a JDK: javac for the Java parts, jvmti.h for the agent",
        needed_by: &[Tour, Test, Bench, Study],
        stops: &[],
    },
];

/// A component of the Rust toolchain, and the cargo command it brings.
const COMPONENTS: &[(&str, &str)] = &[("rustfmt", "cargo-fmt"), ("clippy", "cargo-clippy")];

/// Sees to it that `task` finds what it needs here, and returns the packages
/// that it has to do without.
pub(crate) fn ensure(task: Task) -> Result<Vec<&'static str>, Failure> {
    let lacking = ensure_packages(task)?;
    if task == Test {
        ensure_components()?;
    }
    Ok(lacking)
}

fn ensure_packages(task: Task) -> Result<Vec<&'static str>, Failure> {
    let missing = missing_for(task);
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    for requirement in &missing {
        println!("missing: {} ({})", requirement.package, requirement.purpose);
    }
    if !command::on_path("apt-get") {
        return without_apt(task, &missing);
    }
    let packages: Vec<&str> = missing.iter().map(|r| r.package).collect();
    let Some(root) = way_to_root() else {
        return Err(format!(
            "this needs packages that only root can install; run\n    {}",
            line_to_run(&packages)
        ));
    };
    let mut update = as_root(root, &["apt-get", "update"]);
    command::succeed(&mut update)?;
    let mut words = vec!["apt-get", "install", "-y", "--no-install-recommends"];
    words.extend(&packages);
    command::succeed(&mut as_root(root, &words))?;
    let still: Vec<&str> = missing_for(task).iter().map(|r| r.package).collect();
    if still.is_empty() {
        Ok(still)
    } else {
        Err(format!(
            "installed {}, but what shows that it is there is still missing",
            still.join(", ")
        ))
    }
}

fn missing_for(task: Task) -> Vec<&'static Requirement> {
    REQUIREMENTS
        .iter()
        .filter(|requirement| requirement.needed_by.contains(&task) && !(requirement.present)())
        .collect()
}

/// On another distribution the names of the packages are not known, so the
/// purposes have to do; the task goes on with what it can do without them.
fn without_apt(task: Task, missing: &[&Requirement]) -> Result<Vec<&'static str>, Failure> {
    if missing
        .iter()
        .any(|requirement| requirement.stops.contains(&task))
    {
        return Err("install the programs named above and run this again".to_owned());
    }
    println!("There is no apt-get here: going on, and what needs these will fail.");
    Ok(missing
        .iter()
        .map(|requirement| requirement.package)
        .collect())
}

fn line_to_run(packages: &[&str]) -> String {
    format!(
        "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends {}'",
        packages.join(" ")
    )
}

/// What to put before a command so that it runs as root, if anything does.
fn way_to_root() -> Option<&'static [&'static str]> {
    if command::stdout(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0") {
        return Some(&[]);
    }
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "true"]).stderr(Stdio::null());
    matches!(sudo.status(), Ok(status) if status.success()).then_some(&["sudo", "-n"])
}

fn as_root(prefix: &[&str], words: &[&str]) -> Command {
    // `env` because sudo drops the environment it is given.
    let all = [prefix, &["env", "DEBIAN_FRONTEND=noninteractive"], words].concat();
    let mut command = Command::new(all[0]);
    command.args(&all[1..]);
    command
}

/// Whether some JDK here has the header that agents are compiled against.
fn jvmti_header() -> bool {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    if let Ok(entries) = fs::read_dir("/usr/lib/jvm") {
        homes.extend(entries.flatten().map(|entry| entry.path()));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    for folder in env::split_paths(&path) {
        if let Ok(javac) = folder.join("javac").canonicalize() {
            // HOME/bin/javac.
            homes.extend(javac.ancestors().nth(2).map(Path::to_owned));
        }
    }
    homes
        .iter()
        .any(|home| home.join("include/jvmti.h").exists())
}

/// rustup puts the cargo commands of a component beside cargo itself; the
/// programs of the same names on the search path only say what is missing.
fn ensure_components() -> Result<(), Failure> {
    let beside_cargo = env::var_os("CARGO").map(PathBuf::from).unwrap_or_default();
    for (component, program) in COMPONENTS {
        if beside_cargo.with_file_name(program).exists() || works(program) {
            continue;
        }
        println!("missing: the Rust component {component}");
        let mut add = Command::new("rustup");
        add.args(["component", "add", component]);
        if let Err(failure) = command::succeed(&mut add) {
            return Err(format!(
                "{failure}; install {component} for this Rust toolchain"
            ));
        }
    }
    Ok(())
}

fn works(program: &str) -> bool {
    command::stdout(Command::new(program).arg("--version")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{Fuzz, REQUIREMENTS, Tour, as_root, line_to_run, without_apt};
    use crate::command;

    #[test]
    fn what_stops_a_task_is_needed_by_it() {
        for requirement in REQUIREMENTS {
            for task in requirement.stops {
                assert!(
                    requirement.needed_by.contains(task),
                    "{}",
                    requirement.package
                );
            }
        }
    }

    #[test]
    fn without_apt_only_what_a_task_cannot_do_without_stops_it() {
        let compiler = REQUIREMENTS.iter().find(|r| r.package == "g++").unwrap();
        let debugger = REQUIREMENTS.iter().find(|r| r.package == "gdb").unwrap();
        assert!(without_apt(Fuzz, &[compiler]).is_err());
        assert_eq!(without_apt(Tour, &[debugger]), Ok(vec!["gdb"]));
    }

    #[test]
    fn the_commands_are_those_one_would_type() {
        assert_eq!(
            command::shown(&as_root(&["sudo", "-n"], &["apt-get", "update"])),
            "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get update"
        );
        assert_eq!(
            line_to_run(&["g++", "gdb"]),
            "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends g++ gdb'"
        );
    }
}
