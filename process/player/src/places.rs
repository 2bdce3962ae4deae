//! Where the pauses of a process were, as numbers of instructions.

use std::collections::BTreeMap;

use reprise_process_events::{PLACES, PLACES_VERSION, Place, wire};
use reprise_recording::{Recording, Source};

use crate::PlayError;

/// By the numbers of their events, how many instructions ran before each pause.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(BTreeMap<u64, u64>);

impl Places {
    /// Those of a process.
    pub(crate) fn of<S: Source>(recording: &Recording<S>, process: u32) -> Result<Self, PlayError> {
        let mut places = Self::default();
        for (stream, info) in recording.streams() {
            let known = info.kind == PLACES && info.version <= PLACES_VERSION;
            if !known || info.process != process {
                continue;
            }
            let mut events = recording.events(stream, 0)?;
            while let Some(event) = events.next()? {
                let (event, payload) = (event.number, event.payload);
                let place = wire::read_place(payload);
                places.add(place.map_err(|error| PlayError::Event { event, error })?);
            }
        }
        Ok(places)
    }

    pub(crate) fn add(&mut self, place: Place) {
        self.0.insert(place.event, place.count);
    }

    /// How many instructions ran before a pause.
    pub(crate) fn before(&self, pause: u64) -> Result<u64, PlayError> {
        self.0.get(&pause).copied().ok_or(PlayError::Unplayable {
            event: pause,
            what: "nobody knows where it was".to_owned(),
        })
    }

    pub(crate) fn all(&self) -> Vec<Place> {
        let all = self.0.iter();
        all.map(|(&event, &count)| Place { event, count }).collect()
    }
}
