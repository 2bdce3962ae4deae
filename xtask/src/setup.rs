//! Gets the machine ready: says which system packages a task misses and, where
//! it may, installs them. When nothing is missing it looks at a few files and
//! prints nothing.

mod requirements;

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub(crate) use self::requirements::Task;
use self::requirements::{REQUIREMENTS, Requirement};
use crate::{Failure, command};

/// A component of the Rust toolchain, and the cargo command it brings.
const COMPONENTS: &[(&str, &str)] = &[("rustfmt", "cargo-fmt"), ("clippy", "cargo-clippy")];

/// Sees to it that `task` finds what it needs here, and returns the packages
/// that it has to do without.
pub(crate) fn ensure(task: Task) -> Result<Vec<&'static str>, Failure> {
    let lacking = ensure_packages(task)?;
    if task == Task::Test {
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
    // Another release may not have what a task can do without.
    let stops = |r: &&&Requirement| r.stops.contains(&task);
    let (known, unknown): (Vec<&&Requirement>, Vec<_>) = missing
        .iter()
        .partition(|r| stops(r) || is_known(r.package));
    let mut words = vec!["apt-get", "install", "-y", "--no-install-recommends"];
    words.extend(known.iter().map(|r| r.package));
    if !known.is_empty() {
        command::succeed(&mut as_root(root, &words))?;
    }
    let still = known.iter().filter(|r| !r.is_present());
    let still: Vec<&str> = still.map(|r| r.package).collect();
    if !still.is_empty() {
        return Err(format!(
            "installed {}, but what shows that it is there is still missing",
            still.join(", ")
        ));
    }
    let unknown: Vec<&str> = unknown.iter().map(|r| r.package).collect();
    if !unknown.is_empty() {
        println!(
            "not to be had here: {}; going on without",
            unknown.join(", ")
        );
    }
    Ok(unknown)
}

/// Whether a package can be installed here.
fn is_known(package: &str) -> bool {
    let policy = command::stdout(Command::new("apt-cache").args(["policy", package]));
    policy.is_ok_and(|said| said.contains("Candidate:") && !said.contains("Candidate: (none)"))
}

fn missing_for(task: Task) -> Vec<&'static Requirement> {
    REQUIREMENTS
        .iter()
        .filter(|requirement| requirement.needed_by.contains(&task) && !requirement.is_present())
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
    // `env` because sudo drops the environment it is given. No server is to be started only
    // because it was installed.
    let all = [
        prefix,
        &["env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"],
        words,
    ]
    .concat();
    let mut command = Command::new(all[0]);
    command.args(&all[1..]);
    command
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
    use super::Task::{Fuzz, Tour};
    use super::{REQUIREMENTS, as_root, line_to_run, without_apt};
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
            "sudo -n env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get update"
        );
        assert_eq!(
            line_to_run(&["g++", "gdb"]),
            "sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends g++ gdb'"
        );
    }
}
