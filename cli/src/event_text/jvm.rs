//! The events of a JVM program's boundary.
//!
//! An object's class stands where it is first mentioned, and its number is the
//! count of those before it: so a thread's events mean something only to who
//! has read all of them, and those of the other threads. Everything is read
//! from the start, whatever is shown. What is remembered is bounded: the
//! classes of the first and the last objects, and the beginnings of so many
//! values. What was forgotten is shown as `?`, or by its number.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use reprise_jvm_events::describe::{describe, describe_entry};
use reprise_jvm_events::event::Event as JvmEvent;
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::table::{Constant, Entry};
use reprise_jvm_events::{CALLS, TABLES};
use reprise_recording::{Event, ReadError, Recording, Source, StreamId};

/// Of twice so many objects the class is remembered.
const OBJECTS: usize = 1 << 18;
/// So many values are remembered.
const VALUES: usize = 1 << 20;
/// So many chars of each.
const VALUE_CHARS: usize = 100;

/// Puts the events of a recording into words, each in its turn.
pub struct Jvm {
    reader: Reader,
    threads: BTreeMap<StreamId, Thread>,
    tables: BTreeSet<StreamId>,
}

struct Thread {
    number: u64,
    /// The next event, if all before it have been read.
    next: Option<u64>,
}

/// An event that was read in its turn; its words can wait.
pub enum Read {
    /// An event of this thread.
    Event(u64, JvmEvent),
    /// An entry of the tables.
    Entry(Entry),
}

/// Whether a recording has events that are to be read in their turn.
pub fn is_jvm<S: Source>(recording: &Recording<S>) -> bool {
    recording.streams().any(|(_, info)| info.kind == CALLS)
}

impl Jvm {
    /// Reads the tables.
    pub fn new<S: Source>(recording: &Recording<S>) -> io::Result<Self> {
        let mut reader = Reader::bounded(OBJECTS);
        let mut threads = BTreeMap::new();
        let mut tables = BTreeSet::new();
        for (id, info) in recording.streams() {
            if info.kind == CALLS {
                let number = info.thread;
                let next = Some(0);
                threads.insert(id, Thread { number, next });
            } else if info.kind == TABLES {
                tables.insert(id);
                read_tables(recording, id, &mut reader)?;
            }
        }
        Ok(Self {
            reader,
            threads,
            tables,
        })
    }

    /// Takes the next event; none when it is not one of ours, or when events
    /// before it are missing.
    pub fn read(&mut self, event: &Event<'_>) -> Option<Read> {
        if self.tables.contains(&event.stream) {
            return Entry::read(event.payload).ok().map(Read::Entry);
        }
        let thread = self.threads.get_mut(&event.stream)?;
        if thread.next != Some(event.number) {
            thread.next = None;
            return None;
        }
        let read = self.reader.event(thread.number, event.payload).ok();
        thread.next = read.as_ref().map(|_| event.number + 1);
        read.map(|read| Read::Event(thread.number, read))
    }

    /// What an event says.
    pub fn words(&self, read: &Read) -> String {
        match read {
            Read::Event(thread, event) => describe(event, *thread, &self.reader),
            Read::Entry(entry) => describe_entry(entry, &self.reader),
        }
    }
}

fn read_tables<S: Source>(
    recording: &Recording<S>,
    stream: StreamId,
    reader: &mut Reader,
) -> io::Result<()> {
    let mut events = match recording.events(stream, 0) {
        Err(ReadError::Io(error)) => return Err(error),
        Err(_) => return Ok(()),
        Ok(events) => events,
    };
    loop {
        let event = match events.next() {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(ReadError::Io(error)) => return Err(error),
            Err(_) => continue,
        };
        // What is wrong with an entry shows where it is used.
        match Entry::read(event.payload) {
            Err(_) | Ok(Entry::Bytes { .. } | Entry::Skipped(_)) => {}
            Ok(Entry::Value { .. }) if reader.tables().values.len() >= VALUES => {}
            Ok(mut entry) => {
                if let Entry::Value {
                    constant: Constant::String(chars),
                    ..
                } = &mut entry
                {
                    chars.truncate(VALUE_CHARS);
                    chars.shrink_to_fit();
                }
                let _ = reader.entry(entry);
            }
        }
    }
}
