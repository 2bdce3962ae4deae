//! What a recording says: for people, and for programs.
//!
//! [`open`] finds the file, completes it from its spool and explains what cannot
//! be opened; [`check`] finds out what of it is missing; [`last`] has the last
//! events without reading the others; [`page`] and [`json`] show all that, and
//! [`events`] shows every event.
//!
//! [`schedule`] tells a schedule, which is a text, as a story.
//!
//! Nothing here is an error but a file that cannot be opened: a recording that
//! is damaged or cut off is shown as far as it goes.

pub mod check;
pub mod events;
pub mod json;
pub mod last;
mod look_alike;
pub mod open;
pub mod page;
mod processes;
pub mod schedule;

use check::Health;
use last::Last;
use open::Opened;
use reprise_recording::StreamId;

/// What the view of a whole recording shows.
pub struct Overview<'a> {
    /// The recording, and how it was opened.
    pub opened: &'a Opened,
    /// What of it cannot be read.
    pub health: Health,
    /// Its last events.
    pub last: Last,
}

impl Overview<'_> {
    /// How many events of a stream can be read, as far as is known.
    pub fn events(&self, stream: StreamId) -> u64 {
        let all = self.opened.recording.event_count(stream);
        all.saturating_sub(self.health.lost(stream))
    }
}
