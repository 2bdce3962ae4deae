//! `reprise record`: run a command and record it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use reprise_recorder::Condition;

use super::quantity;
use crate::failure::{Failure, Status};
use crate::output_name::{self, Template};
use crate::record::schedule::{self, Strategy};
use crate::record::{Keep, Request, attached, cut, free, last, observe, share};

/// Run a command and record it; the exit status is the command's own
///
/// The command runs as it would have. With --last, a recording is kept when a
/// fatal signal ends it, when --fails-when holds, and when `reprise dump` asks
/// for one. When the recorder cannot do its work, the command runs unrecorded,
/// with a warning.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("kind"), after_help = "\
Examples:
  reprise record --observe 'com.acme.shop.**' -- java -jar shop.jar
  reprise record --observe @classes.txt --keep failures -- ./start-shop.sh
  reprise record --last 10s -- ./server --port 80
  reprise record --last 10s --fails-when 'exit != 0' --fails-when 'stderr ~ panic' -- ./job
  reprise record --last 10s --keep all -o run.reprise -- gzip -k big.txt
  reprise record --last 10s --pid 4711
  reprise record -- ./prog.cut input.txt
  reprise record --schedule -o run.sched -- java -cp app.jar Main
  reprise record --schedule=free -o run.sched -- java -cp app.jar Main
  reprise record --share 0.25 --seed 7 -o 7.share -- java -cp app.jar Main
  reprise record --schedule=pct:3 --runs 1000 --until-failure -o bug.sched -- java -cp app.jar Main

The last moments are kept in memory and written when there is a reason to. With
--last a program runs on one core, and one of its threads at a time; the
processes that it makes are recorded with it.

--observe needs Java 11 or later. A command that is a JDK's own `java` says the
same as without; one that is a script gets the agent through JAVA_TOOL_OPTIONS,
and the JVM says on standard error that it has picked that up.

Exit status:
  that of the command; 128 + N when signal N killed it
  2    bad usage
  125  with --require: the recorder cannot do its work
  126  the command cannot be run
  127  there is no such command")]
pub(super) struct Record {
    /// Record the last moments of any Linux program: this long, as in 500ms, 10s
    /// or 2m.
    ///
    /// What is older is dropped. It may be less where memory does not suffice,
    /// or where a signal came in the middle of a long computation.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, group = "kind")]
    last: Option<Duration>,

    /// Record these classes of a JVM program at their boundary: com.acme.Cart, or
    /// com.acme.* for a package, com.acme.** for all below it, !com.acme.Log to
    /// leave one out, @FILE for a list.
    ///
    /// May be repeated. A nested class goes with its outermost class.
    #[arg(long, value_name = "PATTERN", group = "kind")]
    observe: Vec<String>,

    /// Run a JVM program one thread at a time, and record where threads switch:
    /// random, pos (priorities of accesses, drawn anew where they meet), pct:D
    /// (priorities of threads that change at D - 1 places) or rr:N (in turn, each for N
    /// places). With free, threads run as they would, and the order in which they
    /// synchronise is recorded; with free:all, also that of all they share.
    ///
    /// The recording is a schedule, a text, which `reprise replay FILE -- CMD`
    /// follows.
    #[arg(long, value_name = "STRATEGY", group = "kind", num_args = 0..=1,
          require_equals = true, default_missing_value = "random")]
    schedule: Option<Strategy>,

    /// Record a share of what a JVM program's threads share, from 0 to 1: for each field,
    /// array and monitor in it, in which order threads accessed it.
    ///
    /// Many users' shares are put together by `reprise merge`. What is not in the share
    /// costs nothing.
    #[arg(long, value_name = "N", group = "kind")]
    share: Option<f64>,

    /// The same, with the share that a plan of `reprise share plan` says.
    #[arg(long, value_name = "FILE", group = "kind")]
    share_plan: Option<PathBuf>,

    /// With --schedule and --share: what the choices depend on; another number is another
    /// schedule or share.
    #[arg(long, value_name = "N", conflicts_with_all = ["last", "observe", "share_plan"],
          default_value = "1")]
    seed: u64,

    /// With --schedule: run the command N times, each time with another schedule, and
    /// keep the last.
    #[arg(long, value_name = "N", requires = "schedule", default_value = "1")]
    runs: u64,

    /// With --runs: stop at the first run that fails: a status other than 0, an
    /// exception that nobody catches, a deadlock.
    #[arg(long, requires = "schedule")]
    until_failure: bool,

    /// With --runs: how long one run may take; one that takes longer is ended and passed
    /// over, and the search goes on.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, requires = "schedule",
          default_value = "1m")]
    run_limit: Duration,

    /// With --observe: leave out what the observed classes do, and record only
    /// what is done to them.
    ///
    /// The recording is smaller; a replay compares less.
    #[arg(long, conflicts_with_all = ["last", "schedule", "share", "share_plan"])]
    no_oracle: bool,

    /// With --observe: keep the order in which threads use every field of the
    /// observed classes, not only volatile ones, and elements of arrays.
    ///
    /// For programs whose threads hand things over in plain fields or arrays; slower.
    #[arg(long, conflicts_with_all = ["last", "schedule", "share", "share_plan"])]
    races: bool,

    /// With --observe: record nothing; count the calls that would cross the
    /// boundary, per class and pair of classes, and say which classes would
    /// lower them.
    #[arg(long, conflicts_with_all = ["last", "schedule", "share", "share_plan"])]
    dry_run: bool,

    /// With --observe: stop once N events are recorded; the program runs on.
    #[arg(long, value_name = "N", conflicts_with_all = ["last", "schedule", "share", "share_plan"])]
    max_events: Option<u64>,

    /// With --observe: stop when more than N events come in a second.
    #[arg(long, value_name = "N", conflicts_with_all = ["last", "schedule", "share", "share_plan"])]
    max_rate: Option<u64>,

    /// With --observe: stop when the disk has less room than this, as in 500M.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, conflicts_with_all = ["last", "schedule", "share", "share_plan"])]
    min_free: Option<u64>,

    /// How long a segment is: what is dropped, is dropped in such pieces.
    ///
    /// Each begins with a copy of the program's memory, of which only the pages
    /// that the program writes to take room and time. A quarter of --last unless
    /// given.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    interval: Option<Duration>,

    /// How much memory the last moments may take, as in 200M or 4G.
    ///
    /// It is never more than a quarter of what the control group allows. Where it
    /// does not suffice, less is kept.
    #[arg(long, value_name = "SIZE", value_parser = quantity::size, default_value = "1G")]
    memory: u64,

    /// What counts as a failure beside a fatal signal; may be given more than once.
    ///
    /// 'exit != 0' and 'exit == 3' are about the exit status. 'stderr ~ PATTERN',
    /// 'stdout ~ PATTERN' and 'output ~ PATTERN' are about lines that the program
    /// writes: the last moments are written at once, and the program goes on.
    #[arg(long, value_name = "COND", conflicts_with = "schedule")]
    fails_when: Vec<Condition>,

    /// What is worth keeping [default: failures with --last, all with --observe].
    #[arg(long, value_name = "WHAT", value_enum)]
    keep: Option<Keep>,

    /// Do not run the command if it cannot be recorded.
    #[arg(long)]
    require: bool,

    /// Where the recording goes: %e is the program, %p its process, %t the time.
    ///
    /// Never written over: with a placeholder in it, a name that is taken gets a
    /// number.
    #[arg(short, long, value_name = "FILE", default_value = output_name::DEFAULT)]
    output: OsString,

    /// With --last: attach to a program that runs already, and let it go again when
    /// this is interrupted, or by `reprise stop`.
    ///
    /// The exit status is then 0 when it was recorded.
    #[arg(long, value_name = "N", requires = "last", conflicts_with_all = ["command", "require"])]
    pid: Option<u32>,

    /// The command and its arguments.
    #[arg(last = true, required_unless_present = "pid", value_name = "CMD")]
    command: Vec<OsString>,
}

impl Record {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let output = Template::parse(&self.output).map_err(|error| {
            let doing = format!("use the name {}", self.output.display());
            Failure::new(doing, error).status(Status::BadInput)
        })?;
        let observes = !self.observe.is_empty();
        let shares = self.share.is_some() || self.share_plan.is_some();
        let cuts = !(observes || shares || self.last.is_some() || self.schedule.is_some());
        let usual = match observes || cuts {
            true => Keep::All,
            false => Keep::Failures,
        };
        let request = Request {
            command: self.command,
            output,
            keep: self.keep.unwrap_or(usual),
            require: self.require,
        };
        if cuts {
            let of_others = [
                ("--no-oracle", self.no_oracle),
                ("--races", self.races),
                ("--dry-run", self.dry_run),
                ("--max-events", self.max_events.is_some()),
                ("--max-rate", self.max_rate.is_some()),
                ("--min-free", self.min_free.is_some()),
                ("--interval", self.interval.is_some()),
                ("--fails-when", !self.fails_when.is_empty()),
            ];
            if let Some((option, _)) = of_others.iter().find(|(_, given)| *given) {
                let wrong = format!("{option} means nothing without --last or --observe");
                return Err(Failure::new("record", wrong).status(Status::BadInput));
            }
            return cut::run(&request);
        }
        if let Some(all) = self.schedule.as_ref().and_then(Strategy::free) {
            if self.runs > 1 || self.until_failure {
                return Err(Failure::new(
                    "search for a failing schedule",
                    "with free nobody chooses one, so there is nothing to search",
                )
                .next("--schedule=random --runs 1000 --until-failure")
                .status(Status::BadInput));
            }
            return free::run(&request, all);
        }
        if let Some(strategy) = self.schedule {
            let search = schedule::Search {
                strategy,
                seed: self.seed,
                runs: self.runs.max(1),
                until_failure: self.until_failure,
                run_limit: self.run_limit,
            };
            return schedule::run(&request, &search);
        }
        let seed = self.seed;
        let selection = match (self.share, self.share_plan) {
            (Some(share), _) => Some(share::Selection::Random { share, seed }),
            (None, plan) => plan.map(share::Selection::Plan),
        };
        if let Some(selection) = selection {
            return share::run(&request, &selection, &self.fails_when);
        }
        if let Some(last) = self.last {
            let bounds = last::Bounds {
                last,
                interval: self.interval.unwrap_or(last / 4),
                memory: self.memory,
                fails_when: self.fails_when,
            };
            return match self.pid {
                Some(pid) => attached::run(&request, &bounds, pid),
                None => last::run(&request, &bounds),
            };
        }
        let observe = observe::Observe {
            patterns: patterns(&self.observe)?,
            no_oracle: self.no_oracle,
            races: self.races,
            dry_run: self.dry_run,
            max_events: self.max_events,
            max_rate: self.max_rate,
            min_free: self.min_free,
        };
        observe::run(&request, &observe)
    }
}

/// The patterns, with the lines of `@FILE` in its place.
pub(super) fn patterns(texts: &[String]) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for text in texts {
        let Some(file) = text.strip_prefix('@') else {
            all.push(text.clone());
            continue;
        };
        let list = std::fs::read_to_string(file).map_err(|error| {
            Failure::new(format!("read the list of patterns {file}"), error)
                .status(Status::BadInput)
        })?;
        all.extend(reprise_probes::pattern::lines(&list).map(str::to_owned));
    }
    Ok(all)
}
