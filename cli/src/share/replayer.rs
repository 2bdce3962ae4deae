//! Replays candidates on the real program: vectors in, what came of them out.
//!
//! Candidates share a JVM where the program lets them, since most of them come to nothing, and
//! starting a JVM takes longer than many a run. What fails there as it should is run once more
//! in a JVM of its own, where its schedule is written, and that schedule is followed: nothing
//! that is kept depends on a JVM that others have used.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reprise_coop::log::{Outcome, PartialLog, Spe};
use reprise_recorder::Condition;
use tempfile::TempDir;

use super::program::Shared;
use crate::failure::Failure;
use crate::record::share::outcome;
use crate::replay::schedule::{Following, follow};
use crate::schedule::run::{self, Choice, Clash, Run, Start};
use crate::schedule::shared::Shared as SharedJvm;

/// How often a candidate that failed as it should in a JVM that others have used, too, is
/// replayed in one of its own.
const AGAIN: usize = 3;

/// How often a candidate that clashed is replayed once more since more is known of where threads
/// should let others go first.
const LOOKS: usize = 16;

/// What came of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The program failed as it should, and again under the schedule.
    Reproduced,
    /// It failed once, and not again in another JVM, or under the schedule.
    NotAgain,
    /// It did not fail.
    Passed {
        /// Vectors that were not over, each with what had to do with that.
        unmet: Vec<Vec<Spe>>,
    },
    /// It failed in another way.
    Otherwise(String),
    /// Nobody could go on.
    Clash {
        /// These elements' vectors wait for one another; otherwise for a thread that never
        /// comes.
        circle: bool,
        /// Which.
        spes: Vec<Spe>,
        /// Those and all that had to do with these threads.
        because: Vec<Spe>,
        /// A thread still runs, and comes to nothing.
        doubtful: bool,
    },
    /// It took too long.
    Endless,
    /// It could not be put together.
    Impossible(String),
}

/// A program on which candidates are replayed.
pub struct Replayer<'r> {
    command: &'r [OsString],
    limit: Duration,
    fails_when: &'r [Condition],
    /// The places of all elements, as scheduler and agent read them.
    sites: String,
    folder: TempDir,
    /// The JVM that candidates share; none if each needs its own.
    jvm: Option<SharedJvm<'r>>,
    /// Places at which threads let others go first, and the elements at which they would keep
    /// them out: learnt from candidates that clashed so.
    ahead: BTreeSet<(u32, u32)>,
    /// The last run has added to that.
    has_learnt: bool,
    /// What came of earlier candidates, where several searches may have the same ones.
    known: Option<HashMap<String, Tried>>,
}

impl<'r> Replayer<'r> {
    /// Starts nothing yet.
    pub fn new(
        command: &'r [OsString],
        shared: &Shared,
        limit: Duration,
        fails_when: &'r [Condition],
    ) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("reprise-merge-").tempdir();
        let folder = folder.map_err(|error| Failure::new("make a folder", error))?;
        let sites = shared.elements.sites.write();
        let file = folder.path().join("sites");
        fs::write(&file, &sites).map_err(|error| Failure::new("write what is shared", error))?;
        // What it prints is only heard in a JVM of its own.
        let jvm = fails_when
            .is_empty()
            .then(|| SharedJvm::new(command, Some(file), None).within(limit));
        Ok(Self {
            command,
            limit,
            fails_when,
            sites,
            folder,
            jvm,
            ahead: BTreeSet::new(),
            has_learnt: false,
            known: None,
        })
    }

    /// Replays no candidate twice, whichever search has it.
    #[must_use]
    pub fn remembering(mut self) -> Self {
        self.known = Some(HashMap::new());
        self
    }

    /// The schedule of the candidate that was reproduced last.
    pub fn made(&self) -> PathBuf {
        self.folder.path().join("made.sched")
    }

    /// Replays a complete log, with an order of what runs free; it should fail like this.
    pub fn attempt(
        &mut self,
        complete: &PartialLog,
        order: u32,
        wanted: &Outcome,
    ) -> Result<Tried, Failure> {
        let text = self.guide(complete, order);
        let name = format!("{wanted:?}\n{text}");
        let known = self.known.as_ref().and_then(|known| known.get(&name));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let mut tried = self.replay(&text, wanted)?;
        for _ in 0..LOOKS {
            if !self.has_learnt || !matches!(tried, Tried::Clash { .. }) {
                break;
            }
            tried = self.replay(&text, wanted)?;
        }
        if let Some(known) = &mut self.known {
            known.insert(name, tried.clone());
        }
        Ok(tried)
    }

    fn replay(&mut self, text: &str, wanted: &Outcome) -> Result<Tried, Failure> {
        let failure = |error| Failure::new("put shares together", error);
        let guide = self.folder.path().join("vectors");
        fs::write(&guide, self.with_ahead(text)).map_err(failure)?;
        self.has_learnt = false;
        if let Some(run) = self.in_shared_jvm(&guide) {
            self.learn(&run);
            let tried = judge(&run, wanted);
            if tried != Tried::Reproduced {
                return Ok(tried);
            }
        }
        // A program that depends on chance may need more than one.
        let tries = if self.jvm.is_some() { AGAIN } else { 1 };
        for _ in 1..tries {
            let tried = self.alone(&guide, wanted)?;
            if tried == Tried::Reproduced {
                return Ok(tried);
            }
        }
        match self.alone(&guide, wanted)? {
            tried @ Tried::Reproduced => Ok(tried),
            _ if self.jvm.is_some() => Ok(Tried::NotAgain),
            tried => Ok(tried),
        }
    }

    /// Replays it in a JVM of its own, and then its schedule.
    fn alone(&mut self, guide: &Path, wanted: &Outcome) -> Result<Tried, Failure> {
        let made = self.made();
        let _ = fs::remove_file(&made);
        let start = Start {
            command: self.command,
            values: None,
            quiet: true,
            limit: Some(self.limit),
            fails_when: self.fails_when,
            made: None,
        };
        let run = run::run(start, Choice::Merge(guide), &made)?;
        if run.interrupted {
            return Err(Failure::new("put shares together", "it was interrupted"));
        }
        self.learn(&run);
        match judge(&run, wanted) {
            Tried::Reproduced => self.follow(&made, wanted),
            tried => Ok(tried),
        }
    }

    fn learn(&mut self, run: &Run) {
        let before = self.ahead.len();
        self.ahead.extend(&run.ahead);
        self.has_learnt |= self.ahead.len() > before;
    }

    /// None if each run needs a JVM of its own.
    fn in_shared_jvm(&mut self, guide: &Path) -> Option<Run> {
        let run = self.jvm.as_mut()?.run(Choice::Merge(guide)).ok();
        if run.is_none() {
            self.jvm = None;
        }
        run
    }

    fn follow(&self, made: &Path, wanted: &Outcome) -> Result<Tried, Failure> {
        let followed = follow(&Following {
            file: made,
            program: &[],
            command: self.command,
            values: None,
            limit: Some(self.limit),
            fails_when: self.fails_when,
        })?;
        Ok(match outcome(followed.as_ref()) == *wanted {
            true => Tried::Reproduced,
            false => Tried::NotAgain,
        })
    }

    /// With where threads let others go first.
    fn with_ahead(&self, guide: &str) -> String {
        let mut text = guide.to_owned();
        for (place, element) in &self.ahead {
            let _ = writeln!(text, "ahead\t{place}\t{element}");
        }
        text
    }

    /// What the scheduler and the agent read.
    fn guide(&self, complete: &PartialLog, order: u32) -> String {
        let mut text = self.sites.clone();
        let _ = writeln!(text, "order\t{order}");
        for (spe, vector, _) in complete.vectors() {
            let _ = write!(text, "vector\t{}\t", spe.0);
            for (at, stretch) in vector.stretches().iter().enumerate() {
                let path = complete.threads().path(stretch.thread).unwrap_or_default();
                let path: Vec<String> = path.iter().map(ToString::to_string).collect();
                let space = if at == 0 { "" } else { " " };
                let _ = write!(text, "{space}{}:{}", path.join("."), stretch.count);
            }
            text.push('\n');
        }
        text
    }
}

fn judge(run: &Run, wanted: &Outcome) -> Tried {
    if run.endless {
        return Tried::Endless;
    }
    let ended = outcome(run.fault().as_ref());
    match &run.clash {
        // Whoever has failed does not clash.
        Some(clash) if !run.uncaught() => clashed(clash),
        _ if ended == *wanted => Tried::Reproduced,
        _ => match ended {
            Outcome::Passed => Tried::Passed {
                unmet: run.unmet.iter().map(|(of, by)| spes(of, by)).collect(),
            },
            Outcome::Failed(other) => Tried::Otherwise(match other.place.as_str() {
                "" => other.what,
                place => format!("{} at {place}", other.what),
            }),
        },
    }
}

fn clashed(clash: &Clash) -> Tried {
    Tried::Clash {
        circle: clash.circle,
        spes: clash.elements.iter().copied().map(Spe).collect(),
        because: spes(&clash.elements, &clash.because),
        doubtful: clash.doubtful,
    }
}

fn spes(some: &[u32], more: &[u32]) -> Vec<Spe> {
    let all: BTreeSet<u32> = some.iter().chain(more).copied().collect();
    all.into_iter().map(Spe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_coop::log::Failure as Fails;

    fn run(lines: &[&str], status: u8) -> Run {
        let mut run = Run::endless();
        (run.status, run.endless) = (status, false);
        for line in lines {
            run.add(line);
        }
        run
    }

    fn wanted() -> Outcome {
        Outcome::Failed(Fails {
            what: "E".to_owned(),
            place: "M.java:3".to_owned(),
        })
    }

    #[test]
    fn what_a_run_reports_is_judged() {
        let spe = |numbers: &[u32]| numbers.iter().copied().map(Spe).collect::<Vec<_>>();
        let check = |lines: &[&str], status, expected: Tried| {
            assert_eq!(judge(&run(lines, status), &wanted()), expected, "{lines:?}");
        };
        check(&["uncaught 1 E M.java:3"], 1, Tried::Reproduced);
        let other = Tried::Otherwise("E at M.java:4".to_owned());
        check(&["uncaught 1 E M.java:4"], 1, other);
        check(&[], 0, Tried::Passed { unmet: Vec::new() });
        let unmet = vec![spe(&[2, 5]), spe(&[7])];
        check(&["unmet 5 / 2", "unmet 7 /"], 0, Tried::Passed { unmet });
        let circle = Tried::Clash {
            circle: true,
            spes: spe(&[3, 1]),
            because: spe(&[1, 3, 4]),
            doubtful: false,
        };
        check(&["clash circle 3 1 / 3 4"], 3, circle);
        let end = Tried::Clash {
            circle: false,
            spes: spe(&[3]),
            because: spe(&[0, 3]),
            doubtful: false,
        };
        check(&["clash end 3 / 0"], 3, end);
        // It had failed before the others could not go on.
        check(
            &["uncaught 1 E M.java:3", "clash end 3 / 0"],
            3,
            Tried::Reproduced,
        );
    }
}
