//! `reprise cut`: compute the boundary of a C program, and build the program that can
//! be recorded there.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use reprise_c_analysis::boundary::Choice;

use crate::cut;
use crate::failure::{Failure, Status};

/// Find where a C program is cheapest to record, and build it to be recorded there
///
/// The program has to be built by `reprise cc`. --weigh runs it with counters;
/// several runs add up. Then --target says which functions have to be replayed:
/// the boundary around them is where the least data enters, and more functions may
/// be inside of it. The program that is built runs as before, and `reprise record`
/// records it.
///
/// Functions with inline assembly, and handlers of signals that the program's own
/// instructions cause, are outside; a target that is one of them is refused, with the
/// place in the source. Of several threads one is inside at a time, and other handlers of
/// signals come inside at crossings.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise cut ./prog --weigh -- ./prog typical.txt
  reprise cut ./prog --target 'parse.c:*' -o prog.cut
  reprise cut ./prog --target parse_line --explain next_token
  reprise cut ./prog --target parse_line --picture cut.svg
  reprise record -- ./prog.cut input.txt
  reprise replay

Exit status:
  0  done
  1  failed; with --weigh, that of the command
  2  bad usage, or a program or target that is none")]
pub(super) struct Cut {
    /// The program, as `reprise cc` has built it.
    program: PathBuf,

    /// Run a command with a program that counts in the place of PROGRAM.
    #[arg(long, group = "what", requires = "command")]
    weigh: bool,

    /// Functions that have to be inside: file.c:*, file.c:name or name; repeatable.
    #[arg(long, value_name = "PATTERN", group = "what")]
    target: Vec<String>,

    /// All functions inside, as far as that is possible.
    #[arg(long, group = "what")]
    whole_program: bool,

    /// The boundary around the target and nothing else.
    #[arg(long, requires = "target")]
    naive: bool,

    /// Where the program that can be recorded goes; without it you are only told.
    #[arg(short, long, value_name = "FILE", conflicts_with = "weigh")]
    output: Option<PathBuf>,

    /// Have debuggers find variables of inside functions in a replay, also where they would be
    /// optimized out; recording costs a little more.
    #[arg(long, requires = "output", conflicts_with = "weigh")]
    variables: bool,

    /// Say on which side this function is, and what of it crosses.
    #[arg(long, value_name = "FUNCTION", conflicts_with = "weigh")]
    explain: Option<String>,

    /// More about functions of libraries, as in c/analysis/annotations; the
    /// same for --weigh and afterwards.
    #[arg(long, value_name = "FILE")]
    annotations: Vec<PathBuf>,

    /// A picture of what crosses the boundary, as SVG.
    #[arg(long, value_name = "FILE", conflicts_with = "weigh")]
    picture: Option<PathBuf>,

    /// The answer as JSON.
    #[arg(long, conflicts_with = "weigh")]
    json: bool,

    /// The command to weigh.
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl Cut {
    pub(super) fn run(self) -> Result<Status, Failure> {
        if self.weigh {
            return cut::weigh(&self.program, &self.annotations, &self.command);
        }
        if self.target.is_empty() && !self.whole_program {
            let wrong = "nothing says which functions have to be inside";
            return Err(
                Failure::new(format!("cut {}", self.program.display()), wrong)
                    .next("reprise cut PROGRAM --target 'file.c:*' -o PROGRAM.cut")
                    .next("reprise cut PROGRAM --whole-program -o PROGRAM.cut")
                    .status(Status::BadInput),
            );
        }
        let choice = match (self.whole_program, self.naive) {
            (true, _) => Choice::Whole,
            (_, true) => Choice::Naive,
            _ => Choice::Cheapest,
        };
        cut::cut(&cut::Request {
            program: self.program,
            targets: self.target,
            choice,
            output: self.output,
            variables: self.variables,
            explain: self.explain,
            annotations: self.annotations,
            picture: self.picture,
            json: self.json,
        })
    }
}
