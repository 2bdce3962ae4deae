//! Talking to a recorder that is running, for `dump`, `status` and `stop`.

use std::fmt;
use std::io::{self, Write as _};

use reprise_recorder::{ControlError, Request};

use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::readable::size;

/// Tells the recorder of a process something.
pub fn tell(process: u32, request: Request, word: &str) -> Result<String, Failure> {
    reprise_recorder::tell(process, request).map_err(|error| {
        let failure = Failure::new(format!("{word} {process}"), &error);
        match error {
            ControlError::None(_) => failure
                .next("reprise status    lists the recorders that run")
                .status(Status::BadInput),
            _ => failure,
        }
    })
}

/// Prints a line that a recorder said.
pub fn line(text: &str) -> Result<Status, Failure> {
    let text = escape(text.as_bytes(), Lines::One);
    writeln!(io::stdout(), "{text}").map_err(Failure::output)?;
    Ok(Status::Done)
}

/// How a recorder is.
#[derive(Debug, serde::Deserialize)]
pub struct Report {
    subject: u32,
    program: String,
    recording: bool,
    reaches_ms: u64,
    segments: u64,
    segment_takes_us: u64,
    events: u64,
    memory: u64,
    memory_allowed: u64,
}

impl Report {
    /// Reads what the recorder says about itself.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, program) = (self.subject, &self.program);
        if !self.recording {
            return write!(out, "{subject} {program}: no longer recorded");
        }
        let seconds = self.reaches_ms as f64 / 1000.0;
        let takes = self.segment_takes_us as f64 / 1000.0;
        write!(
            out,
            "{subject} {program}: the last {seconds:.1} s, {} events in {} segments of which one takes \
             {takes:.1} ms to begin, {} of {}",
            self.events,
            self.segments,
            size(self.memory),
            size(self.memory_allowed),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_for_people() {
        let json = r#"{"subject":7,"program":"d","recording":true,"reaches_ms":2500,"segments":3,
            "segment_takes_us":1250,"events":99,"memory":5000000,"memory_allowed":1000000000}"#;
        let report = Report::read(json).unwrap().to_string();
        let expected = "7 d: the last 2.5 s, 99 events in 3 segments of which one takes 1.2 ms to \
                        begin, 4.7 MB of 953 MB";
        assert_eq!(report, expected);
        assert!(Report::read("nonsense").is_none());
    }
}
