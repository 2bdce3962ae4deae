//! What a person reads when shares have been put together, or not.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write as _};

use reprise_coop::causes::causes;
use reprise_coop::log::RunId;
use reprise_coop::population::Population;
use reprise_coop::search::{Candidate, Ended, Origin};

use super::program::Shared;
use super::replayer::Tried;
use crate::escape::{Lines, escape};
use crate::readable;

/// How many lines a list has at most.
const LISTED: usize = 12;

/// All that there is to say.
pub(super) struct Report<'r> {
    population: &'r Population,
    shared: &'r Shared,
    /// What makes success unlikely.
    pub(super) weaknesses: Vec<String>,
    pub(super) tried: Vec<(Candidate, Tried)>,
    /// How many clashes were learnt.
    pub(super) learnt: usize,
    pub(super) seconds: f64,
}

impl<'r> Report<'r> {
    pub(super) fn new(population: &'r Population, shared: &'r Shared) -> Self {
        Self {
            population,
            shared,
            weaknesses: Vec::new(),
            tried: Vec::new(),
            learnt: 0,
            seconds: 0.0,
        }
    }

    /// The candidate that reproduced the failure.
    pub(super) fn found(&self) -> Option<&Candidate> {
        let mut tried = self.tried.iter();
        let found = tried.find(|(_, tried)| *tried == Tried::Reproduced);
        found.map(|(candidate, _)| candidate)
    }

    pub(super) fn clashes(&self) -> usize {
        let tried = self.tried.iter();
        tried
            .filter(|(_, tried)| matches!(tried, Tried::Clash { .. }))
            .count()
    }

    /// Prints it. `file` names the share of a run.
    pub(super) fn print(&self, ended: Option<Ended>, file: &dyn Fn(&RunId) -> String) {
        let mut lines = self.beginning();
        let found = self.found();
        match found {
            Some(candidate) => self.candidate(candidate, file, &mut lines),
            None => lines.push(match ended {
                Some(Ended::Exhausted) => "not reproduced: there is nothing left to try".to_owned(),
                _ => "not reproduced: --attempts is reached".to_owned(),
            }),
        }
        self.attempts(&mut lines);
        self.causes(&mut lines);
        if found.is_none() || !self.weaknesses.is_empty() {
            for weakness in &self.weaknesses {
                lines.push(format!("note: {weakness}"));
            }
        }
        let mut out = io::stdout().lock();
        for line in lines {
            let _ = writeln!(out, "{}", escape(line.as_bytes(), Lines::One));
        }
    }

    fn beginning(&self) -> Vec<String> {
        let population = self.population;
        let failure = population.failure();
        let place = match failure.place.as_str() {
            "" => String::new(),
            place => format!(" at {place}"),
        };
        vec![
            format!("failure    {}{place}", failure.what),
            format!(
                "shares     {}: {} failed so, {} passed; {} shared elements, {} spared",
                population.len(),
                population.failed().len(),
                population.passed(),
                population.spes(),
                self.shared.elements.spared.all()
            ),
            format!(
                "tried      {} in {:.1} s, {} clashes learnt",
                readable::count(self.tried.len() as u64, "candidate"),
                self.seconds,
                self.learnt
            ),
        ]
    }

    /// Which share each vector is of.
    fn candidate(
        &self,
        candidate: &Candidate,
        file: &dyn Fn(&RunId) -> String,
        lines: &mut Vec<String>,
    ) {
        lines.push(format!(
            "found      candidate {}, on {}",
            candidate.number,
            file(&self.population.run(candidate.base))
        ));
        let mut shares: BTreeMap<(u8, String), Vec<String>> = BTreeMap::new();
        for part in &candidate.parts {
            let name = file(&self.population.run(part.log));
            let (rank, why) = match part.origin {
                Origin::Base => (0, "the base".to_owned()),
                Origin::Similar { similarity } => (1, format!("similar by {similarity:.2}")),
                Origin::Important { .. } => (2, "by importance".to_owned()),
            };
            let of = shares.entry((rank, format!("{name} ({why})"))).or_default();
            of.push(self.shared.name(part.spe));
        }
        for ((_, share), elements) in shares {
            lines.push(format!("  from {share}: {}", some(&elements)));
        }
        for (why, spes) in [
            ("in nobody's share", &candidate.missing),
            ("fits to nothing else", &candidate.free),
        ] {
            let names: Vec<String> = spes.iter().map(|spe| self.shared.name(*spe)).collect();
            if !names.is_empty() {
                lines.push(format!("  {why}, ran free: {}", some(&names)));
            }
        }
    }

    /// Why candidates failed, the most usual reason first.
    fn attempts(&self, lines: &mut Vec<String>) {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for (_, tried) in &self.tried {
            if let Some(reason) = self.reason(tried) {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        if !reasons.is_empty() {
            lines.push("candidates that failed:".to_owned());
        }
        for (reason, count) in reasons.iter().take(LISTED) {
            lines.push(format!("  {count:>5} × {reason}"));
        }
        if let Some(more @ 1..) = reasons.len().checked_sub(LISTED) {
            lines.push(format!("  and {more} more reasons"));
        }
    }

    fn reason(&self, tried: &Tried) -> Option<String> {
        Some(match tried {
            Tried::Reproduced => return None,
            Tried::NotAgain => {
                "failed, but not again in another JVM or under its schedule".to_owned()
            }
            Tried::Passed { unmet } => match unmet.is_empty() {
                true => "did not fail".to_owned(),
                false => "did not fail, and did not come as far as the vectors go".to_owned(),
            },
            Tried::Otherwise(how) => format!("failed in another way: {how}"),
            Tried::Endless => "took too long and was ended".to_owned(),
            Tried::Impossible(why) => format!("could not be put together: {why}"),
            Tried::Clash { circle, spes, .. } => {
                let mut seen = HashSet::new();
                let spes = spes.iter().filter(|spe| seen.insert(**spe));
                let names: Vec<String> = spes.map(|spe| self.shared.name(*spe)).collect();
                match circle {
                    true => format!("the vectors of {} do not go together", some(&names)),
                    false => format!("a thread never came to {}", some(&names)),
                }
            }
        })
    }

    /// What separates failing from passing runs.
    fn causes(&self, lines: &mut Vec<String>) {
        let causes = causes(self.population);
        if causes.is_empty() {
            return;
        }
        lines
            .push("likely causes, by how well they separate failing from passing runs:".to_owned());
        for cause in causes.iter().take(LISTED) {
            let counts = cause.correlation;
            lines.push(format!(
                "  {:.2}  {}: a vector of {} failing and {} passing runs",
                counts.importance(),
                self.shared.name(cause.spe),
                counts.failed,
                counts.passed
            ));
        }
    }
}

/// The first of some names, and how many more there are.
fn some(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
    match names.len().checked_sub(LISTED) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}
