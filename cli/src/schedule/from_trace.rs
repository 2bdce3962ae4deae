//! `reprise schedule from-trace`: a trace of bytecodes becomes a schedule, line
//! by line.

use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use reprise_schedule::{FromTrace, TraceError, limits, write_commands};

use super::open;
use super::output::Output;
use crate::failure::{Failure, Status};

/// Makes a schedule of a trace.
pub fn run(file: &Path, output: Option<&Path>) -> Result<Status, Failure> {
    let doing = || format!("read the trace {}", file.display());
    let unreadable = |error| Failure::new(doing(), error).status(Status::BadInput);
    let wrong = |error: TraceError| {
        let hint = error.hint();
        Failure::new(doing(), error)
            .next(hint)
            .status(Status::BadInput)
    };
    let mut lines = BufReader::with_capacity(1 << 16, open(file).map_err(unreadable)?);
    let mut out = Output::create(output)?;
    let mut trace = FromTrace::default();
    let (mut line, mut commands, mut text) = (Vec::new(), Vec::new(), String::new());
    loop {
        line.clear();
        // A line that is too long is cut so that it still is.
        let mut limited = (&mut lines).take(limits::LINE as u64 + 2);
        let read = limited.read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        let words = String::from_utf8_lossy(&line);
        let words = words.trim_end_matches(['\n', '\r']);
        trace.line(words, &mut commands).map_err(wrong)?;
        // A string takes everything.
        let _ = write_commands(&mut text, &commands, 0);
        out.write(&text)?;
        commands.clear();
        text.clear();
    }
    trace.finish(&mut commands).map_err(wrong)?;
    let _ = write_commands(&mut text, &commands, 0);
    out.write(&text)?;
    out.finish()?;
    Ok(Status::Done)
}
