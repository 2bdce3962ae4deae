//! Every event, one line each, in memory that does not grow with the recording.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use reprise_recording::{Damaged, Event, Events, ReadError, Recording, StreamId, Timeline};
use serde::{Serialize, Serializer};

use super::last::Row;
use crate::event_text::cut::Names;
use crate::event_text::jvm::{self, Jvm};
use crate::event_text::{self, hex_digits};
use crate::json_text;

/// Which events are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    /// Only those of this stream.
    pub stream: Option<StreamId>,
    /// Of one stream: from this number on. Of all: without so many at first.
    pub from: u64,
    /// At most so many.
    pub limit: Option<u64>,
}

/// How an event is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// Why not every event was written.
#[derive(Debug)]
pub enum EventsError {
    /// The recording cannot be read.
    Read(io::Error),
    /// The output cannot be written.
    Write(io::Error),
}

/// How wide the columns of an event's line are.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    number: usize,
    stamp: usize,
    private: bool,
}

impl Columns {
    /// For events that are not known yet.
    pub const WIDE: Self = Self {
        number: 10,
        stamp: 10,
        private: true,
    };

    /// As narrow as these events allow.
    pub fn of(rows: &[Row]) -> Self {
        let digits = |number: u64| number.to_string().len();
        Self {
            number: rows
                .iter()
                .map(|row| digits(row.number))
                .fold(5, usize::max),
            stamp: rows.iter().map(|row| digits(row.stamp)).fold(5, usize::max),
            private: rows.iter().any(|row| row.private),
        }
    }

    /// The line above the events.
    pub fn heading(self) -> String {
        let Self { number, stamp, .. } = self;
        let private = if self.private { "private  " } else { "" };
        let (event, place) = ("event", "stamp");
        format!("stream  {event:>number$}  {place:>stamp$}  segment  {private}what")
    }

    /// The line of an event, for people.
    pub fn line(self, row: &Row) -> String {
        let (number, stamp) = (self.number, self.stamp);
        let private = match (self.private, row.private) {
            (true, true) => "private  ",
            (true, false) => "         ",
            (false, _) => "",
        };
        format!(
            "{:<6}  {:>number$}  {:>stamp$}  {:>7}  {private}{}",
            row.stream.0, row.number, row.stamp, row.segment, row.text
        )
    }
}

/// Writes the events that are wanted, and calls `damaged` for each part that
/// cannot be read.
pub fn write(
    recording: &Recording,
    selection: Selection,
    format: Format,
    out: &mut impl Write,
    mut damaged: impl FnMut(&Damaged),
) -> Result<(), EventsError> {
    let kinds: BTreeMap<StreamId, &str> = recording
        .streams()
        .map(|(id, info)| (id, info.kind.as_str()))
        .collect();
    let mut jvm = match jvm::is_jvm(recording) {
        true => Some(Jvm::new(recording).map_err(EventsError::Read)?),
        false => None,
    };
    let names = Names::of(recording);
    let (mut walk, mut skip) = match selection.stream {
        // Events that mean something only in their turn are all read.
        Some(_) if jvm.is_some() => (Walk::All(recording.timeline()), 0),
        None => (Walk::All(recording.timeline()), selection.from),
        Some(stream) => match recording.events(stream, selection.from) {
            Ok(events) => (Walk::One(events), 0),
            // The caller has looked whether there is such a stream.
            Err(_) => return Ok(()),
        },
    };
    let mut left = selection.limit.unwrap_or(u64::MAX);
    while left > 0 {
        let event = match walk.next() {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(ReadError::Io(error)) => return Err(EventsError::Read(error)),
            Err(ReadError::NoStream(_)) => break,
            Err(ReadError::Damaged(place)) => {
                damaged(&place);
                if format == Format::Json {
                    let line = serde_json::json!({
                        "damaged_at": place.offset,
                        "what": place.what.to_string(),
                    });
                    json_text::write_line(out, &line).map_err(EventsError::Write)?;
                }
                continue;
            }
        };
        let read = jvm.as_mut().and_then(|jvm| jvm.read(&event));
        if jvm.is_some()
            && let Some(stream) = selection.stream
            && (event.stream != stream || event.number < selection.from)
        {
            continue;
        }
        if skip > 0 {
            skip -= 1;
            continue;
        }
        left -= 1;
        let kind = kinds.get(&event.stream).copied().unwrap_or_default();
        let says = match (&jvm, read) {
            (Some(jvm), Some(read)) => Some(jvm.words(&read)),
            _ => names
                .as_ref()
                .and_then(|names| names.words(kind, event.payload)),
        };
        match format {
            Format::Text => {
                let row = match says {
                    Some(says) => Row::with(&event, event_text::words(&says)),
                    None => Row::new(kind, &event),
                };
                writeln!(out, "{}", Columns::WIDE.line(&row))
            }
            Format::Json => json_text::write_line(out, &line(kind, &event, says)),
        }
        .map_err(EventsError::Write)?;
    }
    out.flush().map_err(EventsError::Write)
}

/// All streams in global order, or one.
enum Walk<'r> {
    All(Timeline<'r>),
    One(Events<'r>),
}

impl Walk<'_> {
    fn next(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        match self {
            Self::All(timeline) => timeline.next(),
            Self::One(events) => events.next(),
        }
    }
}

/// An event's line for programs.
#[derive(Serialize)]
struct JsonLine<'a> {
    stream: u32,
    number: u64,
    stamp: u64,
    segment: u32,
    private: bool,
    kind: &'a str,
    payload: Payload<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Payload<'a> {
    Text(&'a str),
    Hex(Hex<'a>),
}

/// Bytes that are written as hex digits without a copy of all of them.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = String::with_capacity(1 << 10);
        for bytes in self.0.chunks(1 << 9) {
            digits.clear();
            digits.extend(bytes.iter().flat_map(|byte| hex_digits(*byte)));
            out.write_str(&digits)?;
        }
        Ok(())
    }
}

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn line<'a>(kind: &'a str, event: &Event<'a>, says: Option<String>) -> JsonLine<'a> {
    JsonLine {
        stream: event.stream.0,
        number: event.number,
        stamp: event.stamp,
        segment: event.segment,
        private: event.replaced,
        kind,
        payload: match std::str::from_utf8(event.payload) {
            Ok(text) => Payload::Text(text),
            Err(_) => Payload::Hex(Hex(event.payload)),
        },
        says,
    }
}
