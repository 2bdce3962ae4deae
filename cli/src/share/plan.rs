//! Who records what: plans as texts, and `reprise share plan`, which hands them out.
//!
//! ```text
//! program NAME
//! version HEX              of the program's code
//! elements N               how many there are
//! user K of N
//! cost N                   accesses that this user is expected to log, with a profile
//! log NUMBER  # NAME       an element that is logged
//! # TEXT                   a comment
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use reprise_coop::log::{Program, Spe};
use reprise_coop::plan as deal;

use super::file;
use super::program::Shared;
use crate::failure::{Failure, Status};
use crate::say::say;

/// The largest text that is read.
const MOST: u64 = 64 << 20;

/// What one user records.
#[derive(Debug, Default)]
pub struct Plan {
    program: String,
    version: String,
    elements: u32,
    share: BTreeSet<Spe>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Plan {
    /// Reads a plan.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let failure = |wrong: String| {
            Failure::new(format!("read the plan {}", path.display()), wrong)
                .status(Status::BadInput)
        };
        let size = fs::metadata(path)
            .map_err(|error| failure(error.to_string()))?
            .len();
        if size > MOST {
            return Err(failure(format!("it is longer than {MOST} bytes")));
        }
        let bytes = fs::read(path).map_err(|error| failure(error.to_string()))?;
        Self::parse(&String::from_utf8_lossy(&bytes)).map_err(failure)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut plan = Self::default();
        for (number, line) in text.lines().enumerate() {
            let line = line
                .split_once('#')
                .map_or(line, |(before, _)| before)
                .trim();
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let wrong = |what: &str| format!("line {}: {what}", number + 1);
            match word {
                "" | "user" | "cost" => {}
                "program" => rest.clone_into(&mut plan.program),
                "version" => rest.clone_into(&mut plan.version),
                "elements" => {
                    let count = rest.parse();
                    plan.elements = count.map_err(|_| wrong("'elements' wants a number"))?;
                }
                "log" => {
                    let spe = rest.parse().map(Spe);
                    let spe = spe.map_err(|_| wrong("'log' wants the number of an element"))?;
                    plan.share.insert(spe);
                }
                _ => {
                    let known = "program, version, elements, user, cost, log";
                    return Err(wrong(&format!("there is no '{word}' ({known})")));
                }
            }
        }
        Ok(plan)
    }

    /// The elements, if the plan is for this program.
    pub fn share(self, program: &Program, path: &Path) -> Result<BTreeSet<Spe>, Failure> {
        let failure = |wrong: String| {
            Failure::new(format!("record by the plan {}", path.display()), wrong)
                .next("reprise share plan --users 100 --share 0.25 app.jar    makes new ones")
                .status(Status::BadInput)
        };
        if self.version != hex(&program.version) || self.elements != program.spes {
            return Err(failure(format!(
                "it was made for another version of {}, or for another program",
                self.program
            )));
        }
        match self.share.last() {
            Some(spe) if spe.0 >= program.spes => Err(failure(format!(
                "it names element {}, and there are {}",
                spe.0, program.spes
            ))),
            _ => Ok(self.share),
        }
    }
}

/// How shares are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Each user logs a random share.
    Random,
    /// Each user logs a common part, by which shares can be compared, and a random rest.
    Fixed,
    /// Each user has about the same number of accesses to log; needs a profile.
    Balanced,
}

/// What is asked for.
#[derive(Debug)]
pub struct Request {
    /// How many plans.
    pub users: usize,
    /// How much each logs.
    pub share: f64,
    /// How shares are dealt.
    pub kind: Option<Kind>,
    /// With a common part: how much of a share it is.
    pub common: f64,
    /// What it depends on.
    pub seed: u64,
    /// Shares of everything, whose accesses are counted.
    pub profile: Vec<PathBuf>,
    /// Where the plans go.
    pub output: PathBuf,
    /// Where the program's classes are.
    pub program: Vec<PathBuf>,
}

/// Hands out plans.
pub fn run(request: &Request) -> Result<Status, Failure> {
    let bad = |wrong: String| Failure::new("make plans", wrong).status(Status::BadInput);
    if request.users == 0 {
        return Err(bad(
            "there is nobody to hand them to: --users is 0".to_owned()
        ));
    }
    let name = request.program.last().and_then(|path| path.file_name());
    let name = name.map(|name| name.to_string_lossy().into_owned());
    if let Some(path) = request.program.iter().find(|path| !path.exists()) {
        return Err(bad(format!("there is no {}", path.display())));
    }
    let shared = Shared::of_places(&request.program, &name.unwrap_or_default()).map_err(bad)?;
    let profile = profile(request, &shared)?;
    let dealt = deal(request, &shared, profile.as_deref()).map_err(bad)?;
    let costs = profile.as_deref().map(|profile| dealt.costs(profile));
    write(request, &shared, &dealt, costs.as_deref())
        .map_err(|error| Failure::new(format!("write {}", request.output.display()), error))?;
    let coverage = dealt.coverage();
    let least = coverage.iter().min().copied().unwrap_or_default();
    let spared = shared.elements.spared;
    say(&format!(
        "{} plans in {}: {} shared elements ({} spared: {} never change, {} are the main \
         thread's alone, {} stay in their threads), each logged by {least} users or more",
        request.users,
        request.output.display(),
        shared.program.spes,
        spared.all(),
        spared.constant,
        spared.main_only,
        spared.local
    ));
    if let (Some(costs), Some(profile)) = (costs, profile) {
        let all: u64 = profile.iter().sum();
        let (least, most) = (costs.iter().min(), costs.iter().max());
        let percent = |cost: Option<&u64>| match all {
            0 => 0.0,
            all => *cost.unwrap_or(&0) as f64 * 100.0 / all as f64,
        };
        say(&format!(
            "expected cost per user: {:.1} % to {:.1} % of {all} accesses",
            percent(least),
            percent(most)
        ));
    }
    Ok(Status::Done)
}

fn deal(request: &Request, shared: &Shared, profile: Option<&[u64]>) -> Result<deal::Plan, String> {
    let Request {
        users, share, seed, ..
    } = *request;
    let spes = shared.program.spes;
    let usual = match profile {
        Some(_) => Kind::Balanced,
        None => Kind::Random,
    };
    let dealt = match (request.kind.unwrap_or(usual), profile) {
        (Kind::Random, _) => deal::random(spes, users, share, seed),
        (Kind::Fixed, _) => {
            let wanted = (f64::from(spes) * share * request.common).round();
            // The same for everybody, so one deal of that size.
            let common = match wanted >= 1.0 {
                true => {
                    let part = (share * request.common).min(1.0);
                    let dealt = deal::random(spes, 1, part, seed);
                    let dealt = dealt.map_err(|error| error.to_string())?;
                    dealt.shares().first().cloned().unwrap_or_default()
                }
                false => Vec::new(),
            };
            deal::fixed(spes, users, share, &common, seed)
        }
        (Kind::Balanced, Some(profile)) => deal::balanced(profile, users, share, seed),
        (Kind::Balanced, None) => {
            return Err("shares that cost the same need --profile".to_owned());
        }
    };
    dealt.map_err(|error| error.to_string())
}

/// How often each element was accessed, in the mean of the runs; none without any.
fn profile(request: &Request, shared: &Shared) -> Result<Option<Vec<u64>>, Failure> {
    if request.profile.is_empty() {
        return Ok(None);
    }
    let mut sums = vec![(0_u64, 0_u64); shared.program.spes as usize];
    for path in &request.profile {
        let failure = |wrong: String| {
            Failure::new(format!("use the profile {}", path.display()), wrong)
                .next("reprise record --share 1 -o profile.share -- java -jar app.jar")
                .status(Status::BadInput)
        };
        let (log, _) = file::read(path).map_err(|unread| failure(unread.to_string()))?;
        if log.program().version != shared.program.version {
            return Err(failure(format!(
                "it is of another version of {}, or of another program",
                log.program().name
            )));
        }
        for (spe, vector, _) in log.vectors() {
            if let Some((sum, runs)) = sums.get_mut(spe.0 as usize) {
                *sum = sum.saturating_add(vector.accesses());
                *runs += 1;
            }
        }
    }
    let mean = |(sum, runs): &(u64, u64)| sum.checked_div(*runs).unwrap_or_default();
    Ok(Some(sums.iter().map(mean).collect()))
}

fn write(
    request: &Request,
    shared: &Shared,
    dealt: &deal::Plan,
    costs: Option<&[u64]>,
) -> std::io::Result<()> {
    fs::create_dir_all(&request.output)?;
    let users = request.users;
    let digits = users.to_string().len();
    for (at, share) in dealt.shares().iter().enumerate() {
        let user = at + 1;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "program {}",
            shared.program.name.replace(char::is_control, "?")
        );
        let _ = writeln!(text, "version {}", hex(&shared.program.version));
        let _ = writeln!(text, "elements {}", shared.program.spes);
        let _ = writeln!(text, "user {user} of {users}");
        if let Some(cost) = costs.and_then(|costs| costs.get(at)) {
            let _ = writeln!(text, "cost {cost}");
        }
        for spe in share {
            let _ = writeln!(text, "log {}  # {}", spe.0, shared.name(*spe));
        }
        let path = request.output.join(format!("{user:0digits$}.plan"));
        fs::write(path, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_and_held_against_the_program() {
        let text = "# x\nprogram app.jar\nversion 0101\nelements 4\nuser 1 of 2\nlog 3  # a.b\n";
        let plan = Plan::parse(text).unwrap();
        assert_eq!(plan.share, [Spe(3)].into());
        let mut program = Program {
            name: "app.jar".to_owned(),
            version: [1; 16],
            spes: 4,
        };
        assert!(plan.share(&program, Path::new("x")).is_err());
        let text = text.replace("0101", &"01".repeat(16));
        let plan = Plan::parse(&text).unwrap();
        assert!(plan.share(&program, Path::new("x")).is_ok());
        program.spes = 3;
        let plan = Plan::parse(&text).unwrap();
        assert!(plan.share(&program, Path::new("x")).is_err());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = Plan::parse("program x\nlogs 3\n").unwrap_err();
        assert!(wrong.starts_with("line 2: there is no 'logs'"), "{wrong}");
        assert!(Plan::parse("log x").is_err());
        assert!(Plan::parse("elements -1").is_err());
    }
}
