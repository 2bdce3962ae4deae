//! `--dry-run`: what observing a set of classes would cost.
//!
//! The agent has counted the calls between all classes of the program, and from
//! them to the JDK. A call of which one end is inside crosses the boundary, twice:
//! out and back. A class whose adding or removing makes for fewer crossings is
//! suggested.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use reprise_probes::pattern::{Patterns, is_platform};

/// Who calls whom; class 0 is the JVM itself.
#[derive(Debug, Default)]
pub struct Counts {
    names: BTreeMap<u32, String>,
    calls: BTreeMap<(u32, u32), u64>,
}

/// So many lines of each kind are shown.
const SHOWN: usize = 10;

impl Counts {
    /// Reads what the agent of one JVM has written.
    pub fn read(text: &str) -> Self {
        let mut counts = Self::default();
        for line in text.lines() {
            let mut words = line.split(' ');
            let what = words.next();
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            if what == Some("class") {
                let id = number().and_then(|id| u32::try_from(id).ok());
                if let (Some(id), Some(name)) = (id, words.next()) {
                    counts.names.insert(id, name.to_owned());
                }
            } else if let (Some("pair"), Some(from), Some(to), Some(times)) =
                (what, number(), number(), number())
                && let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to))
            {
                *counts.calls.entry((from, to)).or_default() += times;
            }
        }
        counts
    }

    fn name(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) => name.replace('/', "."),
            None => "the JVM".to_owned(),
        }
    }

    /// What a person reads.
    pub fn report(&self, patterns: &Patterns) -> String {
        let inside: BTreeSet<u32> = self
            .names
            .iter()
            .filter(|(_, name)| patterns.is_inside(name))
            .map(|(id, _)| *id)
            .collect();
        let total = self.crossings(&inside);
        let mut text = format!(
            "{total} calls cross the boundary of {} classes; each leaves two events\n",
            inside.len()
        );
        let mut classes = BTreeMap::<u32, u64>::new();
        let mut pairs = BTreeMap::<(u32, u32), u64>::new();
        for (&(from, to), times) in &self.calls {
            if inside.contains(&from) != inside.contains(&to) {
                let class = if inside.contains(&from) { from } else { to };
                *classes.entry(class).or_default() += times;
                *pairs.entry((from, to)).or_default() += times;
            }
        }
        section(&mut text, "Per class", classes, |id| self.name(id));
        section(&mut text, "Per pair of classes", pairs, |(from, to)| {
            format!("{} calls {}", self.name(from), self.name(to))
        });
        let better = self.better(&inside, total);
        if !better.is_empty() {
            text += "\nFewer crossings\n";
            for (crossings, id) in better.into_iter().take(SHOWN) {
                let how = if inside.contains(&id) {
                    "without"
                } else {
                    "with"
                };
                let _ = writeln!(text, "  {crossings:>12}  {how} {}", self.name(id));
            }
        }
        text
    }

    /// How many calls have one end in the set.
    fn crossings(&self, inside: &BTreeSet<u32>) -> u64 {
        let crosses = |(from, to): &(u32, u32)| inside.contains(from) != inside.contains(to);
        let calls = self.calls.iter().filter(|(pair, _)| crosses(pair));
        calls.map(|(_, times)| times).sum()
    }

    /// The classes whose adding or removing lowers the crossings, to what, best
    /// first. A set is not left empty.
    fn better(&self, inside: &BTreeSet<u32>, total: u64) -> Vec<(u64, u32)> {
        // What each class has to do with the inside and with the rest.
        let mut with = BTreeMap::<u32, [u64; 2]>::new();
        for (&(from, to), times) in &self.calls {
            for (class, other) in [(from, to), (to, from)] {
                let side = usize::from(!inside.contains(&other));
                with.entry(class).or_default()[side] += times;
            }
        }
        let mut better = Vec::new();
        for (&id, &[inner, outer]) in &with {
            let Some(name) = self.names.get(&id).filter(|name| !is_platform(name)) else {
                continue;
            };
            debug_assert!(!name.is_empty());
            let (gone, come) = match inside.contains(&id) {
                true if inside.len() == 1 => continue,
                true => (outer, inner),
                false => (inner, outer),
            };
            if gone > come {
                better.push((total - gone + come, id));
            }
        }
        better.sort_unstable();
        better
    }
}

fn section<K: Ord + Copy>(
    text: &mut String,
    heading: &str,
    rows: BTreeMap<K, u64>,
    name: impl Fn(K) -> String,
) {
    if rows.is_empty() {
        return;
    }
    let mut rows: Vec<(K, u64)> = rows.into_iter().collect();
    rows.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let _ = writeln!(text, "\n{heading}");
    for (key, times) in rows.iter().take(SHOWN) {
        let _ = writeln!(text, "  {times:>12}  {}", name(*key));
    }
    if rows.len() > SHOWN {
        let rest: u64 = rows.iter().skip(SHOWN).map(|(_, times)| times).sum();
        let _ = writeln!(text, "  {rest:>12}  {} others", rows.len() - SHOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_lower_the_crossings_is_suggested() {
        let counts = Counts::read(
            "class 1 a/In\nclass 2 a/Busy\nclass 3 b/Out\nclass 4 java/util/List\n\
             pair 0 3 1\npair 3 1 5\npair 1 2 1000\npair 2 4 10\npair 1 4 7\nnonsense\n",
        );
        let patterns = Patterns::parse(["a.In"]).unwrap();
        assert_eq!(
            counts.report(&patterns),
            "1012 calls cross the boundary of 1 classes; each leaves two events\n\n\
             Per class\n          1012  a.In\n\n\
             Per pair of classes\n          1000  a.In calls a.Busy\n             \
             7  a.In calls java.util.List\n             5  b.Out calls a.In\n\n\
             Fewer crossings\n            22  with a.Busy\n          1008  with b.Out\n"
        );
        let patterns = Patterns::parse(["a.In", "b.Out"]).unwrap();
        let report = counts.report(&patterns);
        assert!(report.starts_with("1008 calls"), "{report}");
        assert!(report.contains("            18  with a.Busy"), "{report}");
        assert!(report.contains("             6  without a.In"), "{report}");
    }
}
