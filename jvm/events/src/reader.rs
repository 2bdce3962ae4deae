//! From the streams of a recording to events.
//!
//! Fed with the payloads of the table streams first and then with those of the
//! threads, each in its order. It knows how far every thread has counted its
//! objects and what they were.

use crate::bytes::FormatError;
use crate::event::Event;
use crate::table::{Entry, Tables};
use crate::value::{Count, First, Object, ObjectId, Reference, Value};
use std::collections::HashMap;

/// What has been read so far.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    tables: Tables,
    counts: HashMap<u64, u64>,
    objects: HashMap<ObjectId, First>,
}

impl Reader {
    /// Takes the next entry of a table stream.
    pub fn table(&mut self, payload: &[u8]) -> Result<(), FormatError> {
        self.tables.add(Entry::read(payload)?)
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Takes the next event of a thread.
    pub fn event(&mut self, thread: u64, payload: &[u8]) -> Result<Event, FormatError> {
        let last = self.counts.entry(thread).or_default();
        let mut count = Count {
            thread,
            last: *last,
        };
        let event = Event::read(payload, &self.tables, &mut count)?;
        *last = count.last;
        let objects = &mut self.objects;
        each_reference(&event, |reference| {
            if let Reference::Object(Object {
                id,
                first: Some(first),
                ..
            }) = reference
            {
                objects.insert(*id, *first);
            }
        });
        Ok(event)
    }

    /// What an object was, once its first mention has been read.
    #[must_use]
    pub fn object(&self, id: ObjectId) -> Option<First> {
        self.objects.get(&id).copied()
    }
}

/// Calls `visit` with every reference of an event.
pub fn each_reference(event: &Event, mut visit: impl FnMut(&Reference)) {
    let mut value = |value: &Value| {
        if let Value::Reference(reference) = value {
            visit(reference);
        }
    };
    match event {
        Event::InCall {
            receiver,
            arguments,
            ..
        }
        | Event::OutCall {
            receiver,
            arguments,
            ..
        } => {
            let receiver = receiver.map(Value::Reference);
            receiver.iter().chain(arguments).for_each(value);
        }
        Event::InCallRet { value: result } | Event::OutCallRet { value: result } => {
            result.iter().for_each(value);
        }
        Event::OutRead(access) | Event::OutWrite(access) | Event::InWrite(access) => {
            let receiver = access.receiver.map(Value::Reference);
            receiver.iter().for_each(&mut value);
            value(&access.value);
        }
        Event::ExcIn { throwable } | Event::ExcOut { throwable } => visit(throwable),
        Event::Array {
            array, elements, ..
        } => {
            value(&Value::Reference(*array));
            elements.iter().for_each(value);
        }
        Event::Adopt { object, fields } => {
            value(&Value::Reference(*object));
            fields.iter().for_each(|field| value(&field.value));
        }
        Event::Touch { .. } | Event::Touched | Event::Count { .. } => {}
    }
}
