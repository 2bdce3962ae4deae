//! From the streams of a recording to events.
//!
//! Fed with the payloads of the table streams first and then with those of the
//! threads, each in its order. It knows how far every thread has counted its
//! objects and what they were.

use crate::bytes::FormatError;
use crate::event::Event;
use crate::table::{Entry, Tables};
use crate::value::{Count, First, Object, ObjectId, Reference, Value};
use std::collections::{HashMap, VecDeque};

/// What has been read so far.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    tables: Tables,
    counts: HashMap<u64, u64>,
    objects: HashMap<ObjectId, First>,
    bound: Option<Bound>,
}

/// Of how many objects a reader remembers the class.
#[derive(Debug, Clone)]
struct Bound {
    most: usize,
    /// Those that are forgotten first. The earliest objects of a run live
    /// longest and are not among them.
    passing: VecDeque<ObjectId>,
}

impl Reader {
    /// A reader that remembers the classes of the first `most` objects and of
    /// the last `most`, and so takes memory that does not grow with a
    /// recording.
    #[must_use]
    pub fn bounded(most: usize) -> Self {
        let passing = VecDeque::new();
        Self {
            bound: Some(Bound { most, passing }),
            ..Self::default()
        }
    }

    /// Takes an entry of the tables that has been read already.
    pub fn entry(&mut self, entry: Entry) -> Result<(), FormatError> {
        self.tables.add(entry)
    }

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
        let bound = &mut self.bound;
        each_reference(&event, |reference| {
            if let Reference::Object(Object {
                id,
                first: Some(first),
                ..
            }) = reference
            {
                objects.insert(*id, *first);
                if let Some(Bound { most, passing }) = bound
                    && objects.len() > *most
                {
                    passing.push_back(*id);
                    if passing.len() > *most
                        && let Some(oldest) = passing.pop_front()
                    {
                        objects.remove(&oldest);
                    }
                }
            }
        });
        Ok(event)
    }

    /// Whether an object has its number already. What is known of an object that
    /// got its number silently is no more than that.
    #[must_use]
    pub fn is_numbered(&self, id: ObjectId) -> bool {
        let last = self.counts.get(&id.thread).copied().unwrap_or(0);
        (1..=last).contains(&id.number)
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
        Event::Order { .. } | Event::Begin { .. } | Event::Same { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Space;

    #[test]
    fn a_bounded_reader_knows_the_first_and_the_last() {
        let mut reader = Reader::bounded(2);
        for _ in 0..10 {
            let object = Object {
                space: Space::Outside,
                id: ObjectId {
                    thread: 1,
                    number: 0,
                },
                first: Some(First {
                    class: 7,
                    length: 0,
                }),
            };
            let event = Event::ExcIn {
                throwable: Reference::Object(object),
            };
            let mut bytes = Vec::new();
            let mut count = Count { thread: 1, last: 0 };
            event.write(&mut bytes, &mut count);
            reader.event(1, &bytes).unwrap();
        }
        let known = |number| reader.object(ObjectId { thread: 1, number }).is_some();
        let known: Vec<u64> = (1..=11).filter(|number| known(*number)).collect();
        assert_eq!(known, [1, 2, 9, 10]);
    }
}
