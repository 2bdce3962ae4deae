//! What the events of a C program's boundary say: the functions and places that they
//! name by numbers are in the manifest.

use reprise_c_events::{DETAILS, KIND, Program, Subject};
use reprise_recording::{Recording, Source};
use serde::Deserialize as _;

/// The names of a recording's functions and places.
#[derive(Debug, Default)]
pub struct Names(Program);

impl Names {
    /// Those of a recording; none if it is of another kind.
    pub fn of<S: Source>(recording: &Recording<S>) -> Option<Self> {
        let subject = recording.manifest().details.get(DETAILS)?;
        let subject = Subject::deserialize(subject).ok()?;
        Some(Self(subject.program))
    }

    /// What an event says; none if it is of another kind. The words need not be
    /// escaped.
    pub fn words(&self, kind: &str, payload: &[u8]) -> Option<String> {
        let event = reprise_c_events::read(payload).ok();
        let event = event.filter(|_| kind == KIND)?;
        Some(reprise_c_events::describe(&event, &self.0))
    }
}
