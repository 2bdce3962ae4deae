//! The agent's options: what follows `=` in `-agentpath:libreprise_jvm.so=…`.
//!
//! Options are `name=value`, separated by commas. They are read strictly: an
//! option that is misspelt and silently ignored would be found out after the
//! failure that should have been recorded.

use std::fmt;
use std::path::PathBuf;

/// Every option there is, with the word that stands for its value in messages.
/// An option without such a word has no value.
const KNOWN: &[(&str, &str)] = &[
    ("probe", "FILE"),
    ("observe", "PATTERN"),
    ("out", "FILE"),
    ("no-oracle", ""),
    ("races", ""),
    ("dry-run", ""),
    ("keep", "failures"),
    ("max-events", "N"),
    ("max-rate", "N"),
    ("min-free", "BYTES"),
    ("report", "FOLDER"),
    ("follow", "FILE"),
    ("verbosity", "N"),
    ("patience", "SECONDS"),
    ("explore", "STRATEGY"),
    ("seed", "N"),
    ("steps", "N"),
    ("guide", "FILE"),
    ("free", "sync|all"),
    ("facts", "FILE"),
    ("made", "FOLDER"),
    ("share", "FILE"),
    ("values", "FILE"),
    ("requests", "FILE"),
    ("answers", "FILE"),
];

/// What the agent was asked to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Write what this JVM can do for a recording to this file, as JSON.
    pub(crate) probe: Option<PathBuf>,
    /// Record the boundary of the classes that these patterns name. Several
    /// are separated by `:`, or the option is repeated.
    pub(crate) observe: Vec<String>,
    /// The recording to make; `%p` in it is the process.
    pub(crate) out: Option<PathBuf>,
    /// Do not record what the inside does, only what is done to it.
    pub(crate) no_oracle: bool,
    /// Keep the order in which threads use plain fields, too.
    pub(crate) races: bool,
    /// Count calls between classes instead of recording.
    pub(crate) dry_run: bool,
    /// Keep the recording only if the JVM does not end with status 0.
    pub(crate) only_failures: bool,
    /// When to stop before the program ends.
    pub(crate) limits: Limits,
    /// Where `reprise` wants to read what there is to say.
    pub(crate) report: Option<PathBuf>,
    /// Follow the schedule in this plan.
    pub(crate) follow: Option<PathBuf>,
    /// Which messages of a schedule are printed.
    pub(crate) verbosity: Option<u64>,
    /// For how many seconds a thread may run that does not come to the next place.
    pub(crate) patience: Option<u64>,
    /// Let this strategy choose the schedule, and write it.
    pub(crate) explore: Option<String>,
    /// What the strategy's choices depend on.
    pub(crate) seed: Option<u64>,
    /// How many places the run is thought to come to.
    pub(crate) steps: Option<u64>,
    /// Who is wished to run, instead of what a strategy chooses.
    pub(crate) guide: Option<PathBuf>,
    /// Let threads run freely, and write down in which order they synchronise, and if
    /// this is true, in which they use what they share.
    pub(crate) free: Option<bool>,
    /// Let threads run freely, and write down who accesses what is in this file.
    pub(crate) share: Option<PathBuf>,
    /// What is known of all classes of the program.
    pub(crate) facts: Option<PathBuf>,
    /// Where classes go that the program makes while it runs.
    pub(crate) made: Option<PathBuf>,
    /// What the program is given instead of what it reads that is another value in every
    /// run.
    pub(crate) values: Option<PathBuf>,
    /// Where it is said what to run, in a JVM that has many runs.
    pub(crate) requests: Option<PathBuf>,
    /// Where it is said how they went.
    pub(crate) answers: Option<PathBuf>,
}

/// When a recording stops although its program goes on.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// After so many events.
    pub(crate) events: Option<u64>,
    /// At more events in a second than this.
    pub(crate) rate: Option<u64>,
    /// When the disk has less room than this, in bytes.
    pub(crate) free: Option<u64>,
}

/// Why the options were not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OptionsError {
    /// There are no options at all, so there is nothing to do.
    Empty,
    /// There is no option of this name.
    Unknown { name: String },
    /// The option needs a value and has none.
    NoValue { name: &'static str },
    /// The option was given more than once.
    Repeated { name: &'static str },
    /// The option has no value and was given one.
    Superfluous { name: &'static str },
    /// The option's value is not what it has to be.
    BadValue { name: &'static str, value: String },
    /// An option is of no use without another.
    Needs {
        name: &'static str,
        other: &'static str,
    },
}

impl Options {
    /// Reads the option string the JVM hands over.
    pub(crate) fn parse(text: &str) -> Result<Self, OptionsError> {
        if text.is_empty() {
            return Err(OptionsError::Empty);
        }
        let mut options = Self::default();
        for option in text.split(',') {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let Some((name, _)) = KNOWN.iter().find(|(known, _)| *known == name) else {
                return Err(OptionsError::Unknown { name: name.into() });
            };
            options.set(name, option.contains('=').then_some(value))?;
        }
        options.check()
    }

    /// Takes one option; its value is what stands behind the equals sign.
    fn set(&mut self, name: &'static str, value: Option<&str>) -> Result<(), OptionsError> {
        if matches!(name, "no-oracle" | "races" | "dry-run") {
            match name {
                "no-oracle" => self.no_oracle = true,
                "races" => self.races = true,
                _ => self.dry_run = true,
            }
            return match value {
                None => Ok(()),
                Some(_) => Err(OptionsError::Superfluous { name }),
            };
        }
        let value = value.unwrap_or_default();
        if value.is_empty() {
            return Err(OptionsError::NoValue { name });
        }
        let bad = || OptionsError::BadValue {
            name,
            value: value.to_owned(),
        };
        let again = match name {
            "observe" => {
                self.observe.extend(value.split(':').map(str::to_owned));
                false
            }
            "keep" => {
                let keep = match value {
                    "failures" => true,
                    "all" => false,
                    _ => return Err(bad()),
                };
                std::mem::replace(&mut self.only_failures, keep)
            }
            "free" => {
                let all = match value {
                    "all" => true,
                    "sync" => false,
                    _ => return Err(bad()),
                };
                self.free.replace(all).is_some()
            }
            "explore" => self.explore.replace(value.to_owned()).is_some(),
            "max-events" | "max-rate" | "min-free" | "verbosity" | "patience" | "seed"
            | "steps" => {
                let place = match name {
                    "seed" => &mut self.seed,
                    "steps" => &mut self.steps,
                    "verbosity" => &mut self.verbosity,
                    "patience" => &mut self.patience,
                    "max-events" => &mut self.limits.events,
                    "max-rate" => &mut self.limits.rate,
                    _ => &mut self.limits.free,
                };
                let number = value.parse().map_err(|_| bad())?;
                place.replace(number).is_some()
            }
            _ => {
                let place = match name {
                    "out" => &mut self.out,
                    "report" => &mut self.report,
                    "follow" => &mut self.follow,
                    "guide" => &mut self.guide,
                    "facts" => &mut self.facts,
                    "made" => &mut self.made,
                    "share" => &mut self.share,
                    "values" => &mut self.values,
                    "requests" => &mut self.requests,
                    "answers" => &mut self.answers,
                    _ => &mut self.probe,
                };
                place.replace(value.into()).is_some()
            }
        };
        match again {
            true => Err(OptionsError::Repeated { name }),
            false => Ok(()),
        }
    }

    /// Options that belong together are there together.
    fn check(self) -> Result<Self, OptionsError> {
        let observes = !self.observe.is_empty();
        let explores = self.explore.is_some() || self.free.is_some() || self.share.is_some();
        let needs = |name, other| Err(OptionsError::Needs { name, other });
        match self.out {
            None if observes => needs("observe", "out"),
            None if explores && self.requests.is_none() => needs("explore", "out"),
            Some(_) if !observes && !explores => needs("out", "observe"),
            _ if self.follow.is_some() && observes => needs("follow", "report"),
            _ if self.requests.is_some() && !explores => needs("requests", "explore"),
            _ if self.requests.is_some() != self.answers.is_some() => needs("requests", "answers"),
            _ if self.facts.is_some() && self.free.is_none() => needs("facts", "free"),
            _ if self.made.is_some() && self.free.is_none() && self.explore.is_none() => {
                needs("made", "explore")
            }
            _ if self.values.is_some() && self.follow.is_none() && self.explore.is_none() => {
                needs("values", "follow")
            }
            _ if self.guide.is_some() && !explores => needs("guide", "explore"),
            _ if self.verbosity.is_some() && self.follow.is_none() => needs("verbosity", "follow"),
            _ if self.patience.is_some() && self.follow.is_none() => needs("patience", "follow"),
            _ if self.no_oracle && !observes => needs("no-oracle", "observe"),
            _ if self.races && !observes => needs("races", "observe"),
            _ if self.dry_run && !observes => needs("dry-run", "observe"),
            _ if self.only_failures && !observes => needs("keep", "observe"),
            _ if self.limits != Limits::default() && !observes => needs("max-events", "observe"),
            _ => Ok(self),
        }
    }
}

impl fmt::Display for OptionsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                let known: Vec<String> = KNOWN.iter().map(spelled).collect();
                write!(
                    out,
                    "the agent was given no option and has nothing to do (it knows {})",
                    known.join(", ")
                )
            }
            Self::Unknown { name } => {
                let nearest = spelled(&nearest(name));
                let name = name.escape_debug();
                write!(
                    out,
                    "the agent has no option '{name}' (the nearest is {nearest})"
                )
            }
            Self::NoValue { name } => {
                let (_, value) = nearest(name);
                write!(
                    out,
                    "the agent's option '{name}' needs a value: {name}={value}"
                )
            }
            Self::Repeated { name } => {
                write!(out, "the agent's option '{name}' was given twice")
            }
            Self::Superfluous { name } => {
                write!(out, "the agent's option '{name}' takes no value")
            }
            Self::BadValue { name, value } => {
                let (_, wanted) = nearest(name);
                let value = value.escape_debug();
                write!(
                    out,
                    "the agent's option '{name}' cannot be '{value}': {name}={wanted}"
                )
            }
            Self::Needs { name, other } => {
                let other = spelled(&nearest(other));
                write!(out, "the agent's option '{name}' needs {other} beside it")
            }
        }
    }
}

/// An option as it is written, with the word for its value.
fn spelled((name, value): &(&str, &str)) -> String {
    match *value {
        "" => (*name).to_owned(),
        value => format!("{name}={value}"),
    }
}

/// The known option that takes the fewest edits to get to from `name`.
fn nearest(name: &str) -> (&'static str, &'static str) {
    *KNOWN
        .iter()
        .min_by_key(|(known, _)| distance(name, known))
        .unwrap_or(&KNOWN[0])
}

/// Levenshtein's distance. The agent has no other use for a crate that has it.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Options::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_probe_names_its_file() {
        let options = Options::parse("probe=/tmp/answer=1.json").unwrap();
        assert_eq!(options.probe, Some("/tmp/answer=1.json".into()));
    }

    #[test]
    fn an_unknown_option_is_answered_with_the_nearest_one() {
        assert_eq!(
            message("prob=x"),
            "the agent has no option 'prob' (the nearest is probe=FILE)"
        );
        assert_eq!(
            message("probe=x,\u{1b}[2J"),
            "the agent has no option '\\u{1b}[2J' (the nearest is out=FILE)"
        );
        assert_eq!(
            message("probe=x,"),
            "the agent has no option '' (the nearest is out=FILE)"
        );
    }

    #[test]
    fn an_option_without_a_value_is_refused() {
        let expected = "the agent's option 'probe' needs a value: probe=FILE";
        assert_eq!(message("probe"), expected);
        assert_eq!(message("probe="), expected);
    }

    #[test]
    fn an_option_given_twice_is_refused() {
        assert_eq!(
            message("probe=a,probe=b"),
            "the agent's option 'probe' was given twice"
        );
    }

    #[test]
    fn patterns_are_collected() {
        let options = Options::parse("observe=a.**:!a.B,out=x.reprise,observe=c.D").unwrap();
        assert_eq!(options.observe, ["a.**", "!a.B", "c.D"]);
        assert_eq!(options.out, Some("x.reprise".into()));
        assert!(!options.no_oracle);
        assert!(
            Options::parse("observe=a,out=x,no-oracle")
                .unwrap()
                .no_oracle
        );
    }

    #[test]
    fn what_belongs_together_is_asked_for() {
        for (text, expected) in [
            (
                "observe=a",
                "the agent's option 'observe' needs out=FILE beside it",
            ),
            (
                "out=a",
                "the agent's option 'out' needs observe=PATTERN beside it",
            ),
            (
                "no-oracle",
                "the agent's option 'no-oracle' needs observe=PATTERN beside it",
            ),
            (
                "no-oracle=1",
                "the agent's option 'no-oracle' takes no value",
            ),
            (
                "observe=",
                "the agent's option 'observe' needs a value: observe=PATTERN",
            ),
            ("out=a,out=b", "the agent's option 'out' was given twice"),
            (
                "observe=a,out=b,keep=failure",
                "the agent's option 'keep' cannot be 'failure': keep=failures",
            ),
            (
                "observe=a,out=b,max-events=1e6",
                "the agent's option 'max-events' cannot be '1e6': max-events=N",
            ),
            (
                "max-event=1",
                "the agent has no option 'max-event' (the nearest is max-events=N)",
            ),
        ] {
            assert_eq!(message(text), expected);
        }
    }

    #[test]
    fn no_options_is_a_mistake_too() {
        assert!(message("").starts_with("the agent was given no option"));
    }

    #[test]
    fn the_distance_counts_single_edits() {
        for (a, b, expected) in [
            ("", "", 0),
            ("probe", "probe", 0),
            ("prbe", "probe", 1),
            ("propes", "probe", 2),
            ("", "probe", 5),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} to {b}");
            assert_eq!(distance(b, a), expected, "{b} to {a}");
        }
    }
}
