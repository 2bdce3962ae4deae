//! `reprise java instrument`: a jar with its probes, the runtime beside it, and
//! what to do with both.

use std::fs;
use std::io;
use std::path::PathBuf;

use reprise_ahead::{AheadError, Copied, Plan, RUNTIME, RUNTIME_NAME};
use reprise_probes::pattern::{Builders, Patterns};
use reprise_probes::volatile::Sharing;

use crate::failure::{Failure, Status};
use crate::readable::count;
use crate::record::observe::class_path::unmatched_in;
use crate::say::say;

/// How much of what was left as it was is named.
const SHOWN: usize = 20;

/// What is asked for.
#[derive(Debug)]
pub struct Request {
    /// Which classes are inside, as they were written.
    pub patterns: Vec<String>,
    /// Whether what the inside does is kept.
    pub oracle: bool,
    /// Whether the order of threads is kept at plain fields, too.
    pub races: bool,
    /// The jar.
    pub jar: PathBuf,
    /// Where the new one goes.
    pub output: PathBuf,
}

/// Instruments a jar.
pub fn run(request: &Request) -> Result<Status, Failure> {
    let texts = request.patterns.iter().map(String::as_str);
    let mut patterns = Patterns::parse(texts).map_err(|error| {
        Failure::new("observe classes", error)
            .next("reprise java instrument --observe 'com.acme.**' IN.jar -o OUT.jar")
            .status(Status::BadInput)
    })?;
    patterns.builders = Builders::Followed;
    if request.races {
        patterns.sharing = Sharing::Every;
    }
    let unmatched = unmatched_in(std::slice::from_ref(&request.jar), &patterns);
    let plan = Plan {
        patterns: &patterns,
        oracle: request.oracle,
    };
    let copied = reprise_ahead::instrument(&request.jar, &request.output, &plan)
        .map_err(|error| explain(request, &error, &unmatched))?;
    let runtime = request.output.with_file_name(RUNTIME_NAME);
    fs::write(&runtime, RUNTIME)
        .map_err(|error| Failure::new(format!("write {}", runtime.display()), error))?;
    for line in &unmatched {
        say(line);
    }
    report(request, &copied);
    Ok(Status::Done)
}

fn explain(request: &Request, error: &AheadError, unmatched: &[String]) -> Failure {
    let (jar, output) = (request.jar.display(), request.output.display());
    let failure = Failure::new(format!("instrument {jar}"), error);
    match error {
        AheadError::Write(error) if error.kind() == io::ErrorKind::AlreadyExists => Failure::new(
            format!("write {output}"),
            "it exists, and nothing is overwritten",
        )
        .next("reprise java instrument … -o OTHER.jar")
        .status(Status::BadInput),
        AheadError::Write(error) => Failure::new(format!("write {output}"), error),
        AheadError::NothingInside { .. } => unmatched
            .iter()
            .fold(failure, |failure, line| failure.next(line.clone()))
            .status(Status::BadInput),
        AheadError::Read(_) | AheadError::Jar(_) | AheadError::Already => {
            failure.status(Status::BadInput)
        }
    }
}

fn report(request: &Request, copied: &Copied) {
    for kept in copied.kept.iter().take(SHOWN) {
        say(&format!("{}: {}", kept.what, kept.why));
    }
    if let Some(more @ 1..) = copied.kept.len().checked_sub(SHOWN) {
        say(&format!("and {more} more; a recording names them all"));
    }
    let Copied {
        inside, classes, ..
    } = copied;
    let jar = request.output.display();
    say(&format!(
        "instrumented {inside} of {} into {jar}, with {RUNTIME_NAME} beside it; record with: \
         java -Dreprise.out=x.reprise -cp {jar} MAIN-CLASS",
        count(*classes as u64, "class file")
    ));
}
