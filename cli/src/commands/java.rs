//! `reprise java`: what is done to Java programs before they run.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::record::patterns;
use crate::failure::{Failure, Status};
use crate::instrument;

/// Instrument a jar ahead of time, for JVMs that take no agent
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  reprise java instrument --observe 'com.acme.**' shop.jar -o recorded/shop.jar")]
pub(super) struct Java {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Instrument(Instrument),
}

/// Put what records chosen classes into a jar, so that it records by itself
///
/// The new jar is used in the place of the old one, with reprise-runtime.jar,
/// which is put beside it: no agent, no option of the JVM. It records when a file
/// is named, by the property reprise.out or the variable REPRISE_OUT (%p stands
/// for the process), and only runs otherwise.
///
/// The recording has the events of `reprise record --observe`. What it lacks without
/// an agent stands in it, and `reprise show` says it. The property
/// reprise.max-events ends it after so many events, `reprise stop` at once; there
/// are no other limits. A process that is killed loses what the last milliseconds
/// brought, and one jar of a program can be instrumented.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise java instrument --observe 'com.acme.**' shop.jar -o recorded/shop.jar
  java -Dreprise.out=shop.reprise -cp recorded/shop.jar:lib/util.jar com.acme.Main
  REPRISE_OUT=shop-%p.reprise java -jar recorded/shop.jar

Exit status:
  0  done
  1  failed
  2  bad usage, or a jar that cannot be read or has none of these classes")]
pub(super) struct Instrument {
    /// Record the boundary of these classes: com.acme.Cart, com.acme.*, com.acme.**
    /// with the packages below, !com.acme.Log for none of these, @FILE for a list.
    #[arg(long, value_name = "PATTERN", required = true)]
    observe: Vec<String>,

    /// Leave out what the observed classes do, and record only what replay needs.
    #[arg(long)]
    no_oracle: bool,

    /// Keep the order in which threads use every field of the observed classes,
    /// not only volatile ones, and elements of arrays; slower.
    #[arg(long)]
    races: bool,

    /// Where the new jar goes; nothing is overwritten.
    #[arg(short, long, value_name = "JAR")]
    output: PathBuf,

    /// The jar.
    jar: PathBuf,
}

impl Java {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let Command::Instrument(instrument) = self.command;
        instrument::run(&instrument::Request {
            patterns: patterns(&instrument.observe)?,
            oracle: !instrument.no_oracle,
            races: instrument.races,
            jar: instrument.jar,
            output: instrument.output,
        })
    }
}
