//! Programs that `reprise cut` has built: what crosses the boundary of their inside.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reprise_c_events::SPOOL;
use reprise_c_recorder::{Image, ImageError, Recorder};
use reprise_recording::Ending;

use super::observe::{child, command, not_started};
use super::{Keep, Request, discard, summary};
use crate::doctor::programs;
use crate::failure::{Failure, Status};
use crate::output_name::Values;
use crate::say::say;

/// Runs a program that was cut, and records it.
pub fn run(request: &Request) -> Result<Status, Failure> {
    let name = request.command.first().cloned().unwrap_or_default();
    let program = match Path::new(&name).components().count() {
        1 => name.to_str().and_then(programs::find).unwrap_or_default(),
        _ => PathBuf::from(&name),
    };
    let program = program.canonicalize().unwrap_or(program);
    let image = match Image::read(&program) {
        Ok(image) => image,
        Err(error @ ImageError::NotCut(_)) => {
            return Err(Failure::new("record", error)
                .next("say what to record: --last 10s, --observe PATTERN or --schedule")
                .next("reprise cut --help    for chosen functions of a C program")
                .status(Status::BadInput));
        }
        Err(error) => return Err(Failure::new("record", error).status(Status::BadInput)),
    };
    let reserved = request.output.reserve(&Values {
        program: &name,
        pid: std::process::id(),
        time: Timestamp::now(),
    });
    let mut child = command::plain(&request.command);
    let started = reserved
        .map_err(|error| error.to_string())
        .and_then(|(path, file)| {
            let path = std::path::absolute(&path).unwrap_or(path);
            let recorder = Recorder::start(&path, file, &image, &request.command);
            recorder
                .map(|recorder| (path, recorder))
                .map_err(|error| error.to_string())
        });
    let (path, recorder) = match started {
        Ok(started) => started,
        Err(error) if request.require => {
            return Err(
                Failure::new("record, as --require demands", error).status(Status::NoRecorder)
            );
        }
        Err(error) => {
            say(&format!("not recording: {error}"));
            let ended = child::run(&mut child).map_err(|error| not_started(&name, error))?;
            return Ok(Status::Subject(ended));
        }
    };
    child.env(SPOOL, recorder.spool());
    let ended = child::run(&mut child).map_err(|error| not_started(&name, error))?;
    let ending = match ended {
        status @ 0..=128 => Ending::Exited {
            status: i32::from(status),
        },
        signal => Ending::Killed {
            signal: i32::from(signal) - 128,
        },
    };
    match recorder.finish(ending) {
        Ok(_) if request.keep == Keep::Failures && ended == 0 => discard(&path),
        Ok((bytes, closing)) => say(&summary(&path, bytes, &closing)),
        Err(error) => say(&format!("the recording is not whole: {error}")),
    }
    Ok(Status::Subject(ended))
}
