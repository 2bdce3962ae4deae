//! `reprise share`: hand out shares.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::{Failure, Status};
use crate::share::plan::{self, Kind};

/// Hand out shares: who records which part of what a program's threads share
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise share plan --users 100 --share 0.25 app.jar
  reprise share plan --users 100 --share 0.25 --kind fixed -o plans app.jar
  reprise share plan --users 100 --share 0.25 --profile all.share -o plans app.jar
  reprise record --share-plan plans/007.plan -- java -jar app.jar")]
pub(super) struct Share {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plan(Plan),
}

/// Write a plan for each user, and say what each is expected to cost
#[derive(Debug, Args)]
struct Plan {
    /// How many users there are.
    #[arg(long, value_name = "N")]
    users: usize,

    /// How much of what is shared each records, from 0 to 1.
    #[arg(long, value_name = "N", default_value = "0.25")]
    share: f64,

    /// How shares are dealt [default: balanced with --profile, else random].
    #[arg(long, value_enum)]
    kind: Option<Kind>,

    /// With --kind fixed: how much of each share everybody records, from 0 to 1.
    #[arg(long, value_name = "N", default_value = "0.5")]
    common: f64,

    /// What the plans depend on; another number gives others.
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// A share of everything, from `reprise record --share 1`, that says how often
    /// each element is accessed; may be repeated.
    #[arg(long, value_name = "FILE")]
    profile: Vec<PathBuf>,

    /// The folder for the plans.
    #[arg(short, long, value_name = "FOLDER", default_value = "plans")]
    output: PathBuf,

    /// The program: jars and folders of classes.
    #[arg(required = true, value_name = "PROGRAM")]
    program: Vec<PathBuf>,
}

impl Share {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Command::Plan(plan) = self.command;
        plan::run(&plan::Request {
            users: plan.users,
            share: plan.share,
            kind: plan.kind,
            common: plan.common,
            seed: plan.seed,
            profile: plan.profile,
            output: plan.output,
            program: plan.program,
        })
    }
}
