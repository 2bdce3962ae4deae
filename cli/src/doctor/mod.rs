//! What can be recorded and replayed here.
//!
//! [`probes`] try things and return [`finding::Finding`]s; [`kinds`] is the
//! table of what each kind of recording needs, promises and costs without;
//! [`diagnosis`] puts the two together; [`report`] and [`json`] show the result
//! to people and to programs.

pub(crate) mod child;
pub mod diagnosis;
pub mod finding;
pub mod json;
pub mod kinds;
pub mod probes;
pub mod process;
pub(crate) mod programs;
pub mod report;

pub(crate) use programs::find as find_program;

use crate::cut;
use finding::Finding;
use kinds::Need;
use probes::jdk::{self, Jdk};
use probes::machine::{self, Machine};
use probes::{Inner, debugger, llvm};

/// What all probes found out about this machine.
#[derive(Clone, Debug)]
pub struct Examination {
    /// Cores, memory, disk.
    pub machine: Machine,
    /// Every JDK that was found.
    pub jdks: Vec<Jdk>,
    /// What was found out about each need, in the order it is shown.
    pub findings: Vec<(Need, Finding)>,
    /// Hardware counters, which nothing here needs.
    pub counters: Finding,
}

/// Runs all probes, one after the other.
pub fn examine() -> Examination {
    let machine = machine::look();
    let (jdks, jdk) = jdk::probe();
    let findings = vec![
        (Need::Jdk, jdk),
        (Need::Ptrace, Inner::Ptrace.examine()),
        (Need::Written, Inner::Written.examine()),
        (Need::Seccomp, Inner::Seccomp.examine()),
        (Need::Landlock, Inner::Landlock.examine()),
        (Need::Namespaces, Inner::Namespaces.examine()),
        (Need::Gdb, debugger::probe()),
        (Need::Llvm, llvm::probe()),
        (Need::Cc, cut::probe()),
        (Need::Memory, machine::memory(&machine)),
        (Need::Disk, machine::disk(&machine)),
    ];
    Examination {
        machine,
        jdks,
        findings,
        counters: Inner::Counters.examine(),
    }
}
