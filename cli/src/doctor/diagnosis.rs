//! The verdicts: what the probes found, held against what each kind needs.

use serde::{Serialize, Serializer};

use super::Examination;
use super::finding::{Finding, State};
use super::kinds::{Attach, Demand, KINDS, Kind, Need};
use super::process::Process;

/// A verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// It works.
    Yes,
    /// It works, with a restriction.
    But,
    /// It does not work.
    No,
}

impl Word {
    /// As people read it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::But => "yes, but",
            Self::No => "no",
        }
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::Yes => "yes",
            Self::But => "but",
            Self::No => "no",
        })
    }
}

/// Why a verdict is not simply yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What was found.
    pub what: String,
    /// What that costs; empty when `what` says it.
    pub costs: String,
    /// What to do about it, best first.
    pub fixes: Vec<String>,
}

/// The verdict on recording or replaying one kind.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// In one word.
    pub word: Word,
    /// What stands against it.
    pub reasons: Vec<Reason>,
}

impl Verdict {
    fn add(&mut self, word: Word, finding: &Finding, costs: &str) {
        self.word = self.word.max(word);
        // What fixes several things is said once.
        let mut fixes = finding.fixes.clone();
        let before = self.reasons.iter().flat_map(|reason| &reason.fixes);
        let before: Vec<&String> = before.collect();
        fixes.retain(|fix| !before.contains(&fix));
        self.reasons.push(Reason {
            what: finding.detail.clone(),
            costs: costs.into(),
            fixes,
        });
    }
}

/// Everything `doctor` has to say.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// What was found out.
    pub examination: Examination,
    /// The process that was asked about.
    pub process: Option<Process>,
    /// The verdicts on recording and replaying each kind.
    pub kinds: Vec<(Kind, Verdict, Verdict)>,
}

impl Diagnosis {
    /// Judges an examination. With a process, recording is judged for that
    /// process.
    pub fn of(examination: Examination, process: Option<Process>) -> Self {
        let kinds = KINDS
            .iter()
            .map(|kind| {
                let mut record = judge(kind.record, &examination.findings);
                if let Some(process) = &process {
                    judge_process(&mut record, kind.attach, process);
                }
                let replay = judge(kind.replay, &examination.findings);
                (*kind, record, replay)
            })
            .collect();
        Self {
            examination,
            process,
            kinds,
        }
    }

    /// Whether at least one kind can be recorded here.
    pub fn something_can_be_recorded(&self) -> bool {
        let mut records = self.kinds.iter().map(|(_, record, _)| record);
        records.any(|record| record.word != Word::No)
    }
}

fn judge(demands: &[Demand], findings: &[(Need, Finding)]) -> Verdict {
    let mut verdict = Verdict {
        word: Word::Yes,
        reasons: Vec::new(),
    };
    for demand in demands {
        let mut findings = findings.iter().filter(|(need, _)| *need == demand.need);
        let Some((_, finding)) = findings.next() else {
            continue;
        };
        match finding.state {
            State::Works => {}
            State::Limited => verdict.add(Word::But, finding, ""),
            State::Fails if demand.indispensable => verdict.add(Word::No, finding, demand.costs),
            State::Fails => verdict.add(Word::But, finding, demand.costs),
        }
    }
    verdict
}

fn judge_process(verdict: &mut Verdict, attach: Attach, process: &Process) {
    let findings: &[&Finding] = match attach {
        Attach::Never => &[
            &Finding::fails("only a program that cut has built can be recorded")
                .fix("reprise cut PROG --target … and start the program it builds"),
        ],
        Attach::Jvm => &[&process.jvm],
        Attach::Ptrace => &[&process.architecture, &process.tracing, &process.rings],
    };
    for finding in findings {
        match finding.state {
            State::Works => {}
            State::Limited => verdict.add(Word::But, finding, ""),
            State::Fails => verdict.add(Word::No, finding, ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::probes::machine::Machine;

    fn examination(findings: Vec<(Need, Finding)>) -> Examination {
        Examination {
            machine: Machine {
                kernel: "6.1".into(),
                cores: 1,
                memory_available: None,
                memory_limit: None,
                disk_free: None,
            },
            jdks: Vec::new(),
            findings,
            counters: Finding::works(""),
        }
    }

    fn check(findings: Vec<(Need, Finding)>, name: &str, record: Word, replay: Word) {
        let diagnosis = Diagnosis::of(examination(findings), None);
        let mut kinds = diagnosis.kinds.iter();
        let (_, r, p) = kinds.find(|(kind, ..)| kind.name == name).unwrap();
        assert_eq!((r.word, p.word), (record, replay), "{name}");
    }

    #[test]
    fn what_is_indispensable_decides() {
        let no = || Finding::fails("x");
        check(vec![], "last", Word::Yes, Word::Yes);
        check(vec![(Need::Ptrace, no())], "last", Word::No, Word::No);
        check(vec![(Need::Ptrace, no())], "observe", Word::Yes, Word::Yes);
        check(vec![(Need::Jdk, no())], "observe", Word::No, Word::No);
        check(vec![(Need::Landlock, no())], "observe", Word::Yes, Word::No);
        check(
            vec![(Need::Landlock, no())],
            "schedule",
            Word::Yes,
            Word::Yes,
        );
        check(vec![(Need::Llvm, no())], "cut", Word::No, Word::Yes);
    }

    #[test]
    fn what_is_useful_only_restricts() {
        let no = || Finding::fails("x");
        check(vec![(Need::Memory, no())], "last", Word::But, Word::Yes);
        check(vec![(Need::Gdb, no())], "last", Word::Yes, Word::But);
        check(
            vec![(Need::Jdk, Finding::limited("x"))],
            "observe",
            Word::But,
            Word::But,
        );
        // The worst of several reasons counts, whatever their order.
        let findings = vec![(Need::Namespaces, no()), (Need::Seccomp, no())];
        check(findings, "last", Word::Yes, Word::No);
    }

    #[test]
    fn nothing_can_be_recorded_where_all_lack_something() {
        let no = |need| (need, Finding::fails("x"));
        let some = vec![no(Need::Jdk), no(Need::Ptrace)];
        assert!(Diagnosis::of(examination(some), None).something_can_be_recorded());
        let all = vec![no(Need::Jdk), no(Need::Ptrace), no(Need::Cc)];
        assert!(!Diagnosis::of(examination(all), None).something_can_be_recorded());
    }
}
