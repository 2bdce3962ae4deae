//! The probes: each tries one thing that a kind of recording needs.
//!
//! A probe that traces or restricts a process has an *inner* part, which runs
//! in a process of its own (`reprise __probe NAME`), so that `doctor` itself is
//! never restricted and a probe that hangs can be stopped.

mod counters;
pub mod debugger;
pub mod jdk;
mod landlock;
pub mod llvm;
pub mod machine;
mod namespaces;
mod ptrace;
mod seccomp;
mod seize;
mod settings;
mod tracee;
mod written;

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use clap::ValueEnum;

use super::child;
use super::finding::Finding;

/// The first argument of this program when it is to run an inner part.
pub const COMMAND: &str = "__probe";

/// Longer than any inner part takes on a machine that is merely busy.
const LIMIT: Duration = Duration::from_secs(20);

/// The probes with an inner part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Inner {
    /// Trace a child.
    Ptrace,
    /// Count a child's cycles.
    Counters,
    /// Find out what a child has written.
    Written,
    /// Filter system calls.
    Seccomp,
    /// Deny files.
    Landlock,
    /// Leave the namespaces.
    Namespaces,
    /// Attach to the process whose id follows.
    Seize,
    /// Be the child that others trace: wait until standard input ends.
    Wait,
}

impl Inner {
    /// The part that runs in the process of its own.
    pub fn run(self, pid: Option<u32>) -> Option<Finding> {
        match self {
            Self::Ptrace => Some(ptrace::probe()),
            Self::Counters => Some(counters::probe()),
            Self::Written => Some(written::probe()),
            Self::Seccomp => Some(seccomp::probe()),
            Self::Landlock => Some(landlock::probe()),
            Self::Namespaces => Some(namespaces::probe()),
            Self::Seize => Some(seize::probe(pid?)),
            Self::Wait => {
                tracee::wait();
                None
            }
        }
    }

    /// Runs the inner part from outside and returns what it found.
    pub fn examine(self) -> Finding {
        self.examine_with(None)
    }

    /// The same for a probe that is about a process.
    pub fn examine_with(self, pid: Option<u32>) -> Finding {
        let mut command = inner(self);
        command.args(pid.map(|pid| pid.to_string()));
        match child::run(&mut command, LIMIT) {
            Err(error) => Finding::fails(format!("the probe did not run: {error}")),
            Ok(ended) => serde_json::from_str(&ended.stdout).unwrap_or_else(|_| {
                Finding::fails(format!(
                    "the probe ended early ({}) {}",
                    ended.how(),
                    ended.first_line()
                ))
            }),
        }
    }

    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_string())
    }
}

/// The command that runs an inner part: this very program, even if its file
/// was replaced or deleted meanwhile.
fn inner(what: Inner) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("reprise").arg(COMMAND).arg(what.name());
    command
}
