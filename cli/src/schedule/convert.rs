//! `reprise schedule convert`: the other format, or the same with exact places.

use std::path::{Path, PathBuf};

use reprise_schedule::{Schedule, resolve};

use super::output::Output;
use super::{made, no_schedule, program, read};
use crate::commands::ScheduleFormat;
use crate::failure::{Failure, Status};

/// Converts a schedule.
pub fn run(
    file: &Path,
    to: ScheduleFormat,
    output: Option<&Path>,
    paths: &[PathBuf],
) -> Result<Status, Failure> {
    let parsed = read(file)?.map_err(|errors| no_schedule(file, &errors))?;
    let mut schedule = parsed.schedule;
    let paths = made::with(file, paths);
    if let Some(program) = program::read(&paths, &schedule, program::release(&[]))? {
        schedule = resolve(&schedule, &program).map_err(|(command, problem)| {
            let line = parsed.lines.get(command).copied().unwrap_or(1);
            let doing = format!("find the place at line {line} of {}", file.display());
            Failure::new(doing, &problem).next(problem.hint())
        })?;
    }
    let converted = match to {
        ScheduleFormat::Messages => schedule.to_messages().map(Schedule::from),
        ScheduleFormat::Switches => schedule.to_switches().map(Schedule::from),
    };
    let converted = converted.map_err(|error| {
        Failure::new(format!("convert {}", file.display()), &error).next(error.hint())
    })?;
    let mut out = Output::create(output)?;
    out.write(&converted.to_string())?;
    out.finish()?;
    Ok(Status::Done)
}
