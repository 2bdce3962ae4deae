//! `reprise merge`: put shares together until the failure replays.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use reprise_coop::metrics::relevance::Settings;
use reprise_coop::metrics::similarity::Similarity;
use reprise_recorder::Condition;

use super::quantity;
use crate::failure::{Failure, Status};
use crate::share::merge;

/// Put many users' shares together until the failure replays
///
/// Each share has a part of what a user's run did. The command is run again and
/// again, each time with vectors of several shares, until it fails as the users'
/// runs did; the schedule of that run is kept, and `reprise replay` follows it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise merge *.share -o bug.sched -- java -cp app.jar Main
  reprise merge shares/*.share --attempts 500 -o bug.sched -- java -jar app.jar

Shares come from `reprise record --share`. Those of runs that passed count, too:
they tell what has to do with the failure.

Exit status:
  0  reproduced
  1  not reproduced
  2  bad usage, or shares that cannot be put together")]
pub(super) struct Merge {
    /// The shares.
    #[arg(required = true, value_name = "FILE")]
    shares: Vec<PathBuf>,

    /// Where the schedule goes; never written over.
    #[arg(short, long, value_name = "FILE", default_value = "merged.sched")]
    output: PathBuf,

    /// How many candidates are tried.
    #[arg(long, value_name = "N", default_value = "1000")]
    attempts: usize,

    /// How long one may take; what takes longer is ended.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1m")]
    run_limit: Duration,

    /// How shares are compared.
    #[arg(long, value_enum, default_value = "dispersion")]
    similarity: How,

    /// How much covering all elements counts against being alike, from 0 to 1.
    #[arg(long, value_name = "N", default_value = "0.7")]
    alpha: f64,

    /// How many similar shares a share has at most.
    #[arg(long, value_name = "N", default_value = "5")]
    similars: usize,

    /// How similar they have to be [default: 0.3 with plain, 0.01 with dispersion].
    #[arg(long, value_name = "N")]
    threshold: Option<f64>,

    /// What counts as a failure beside an exception and a status other than 0: as the users
    /// gave it to `reprise record --share`.
    #[arg(long, value_name = "COND")]
    fails_when: Vec<Condition>,

    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum How {
    /// All elements count the same.
    Plain,
    /// Elements whose vectors differ much from run to run count more.
    Dispersion,
}

impl Merge {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let mut settings = Settings::new(match self.similarity {
            How::Plain => Similarity::Plain,
            How::Dispersion => Similarity::Dispersion,
        });
        settings.alpha = self.alpha;
        settings.most_similars = self.similars;
        settings.threshold = self.threshold.unwrap_or(settings.threshold);
        merge::run(&merge::Request {
            shares: self.shares,
            output: self.output,
            attempts: self.attempts,
            run_limit: self.run_limit,
            settings,
            fails_when: self.fails_when,
            command: self.command,
        })
    }
}
