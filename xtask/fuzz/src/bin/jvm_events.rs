//! Any bytes as the tables and events of a JVM recording. What is read is
//! written the same way again, and can be put into words.
//!
//! The input is a sequence of payloads: a byte that says what it is (its
//! highest bit: an event; the next: of the second thread) and how long (the
//! rest), then the payload.
#![cfg_attr(fuzzing, no_main)]

use reprise_jvm_events::describe::{describe, describe_entry};
use reprise_jvm_events::event::Event;
use reprise_jvm_events::nesting::Nesting;
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::table::Entry;
use reprise_jvm_events::value::Count;

reprise_fuzz::target!(|data| {
    let mut reader = Reader::bounded(8);
    let mut nesting = Nesting::default();
    let mut rest = data;
    while let Some((head, after)) = rest.split_first() {
        let length = usize::from(head & 63).min(after.len());
        let (payload, next) = after.split_at(length);
        rest = next;
        if head & 128 == 0 {
            let Ok(entry) = Entry::read(payload) else {
                continue;
            };
            let again = Entry::read(&entry.write());
            assert_eq!(again.as_ref(), Ok(&entry), "it is written as it was read");
            let _ = describe_entry(&entry, &reader);
            let _ = reader.entry(entry);
            continue;
        }
        let thread = u64::from(head >> 6 & 1) + 1;
        let Ok(event) = reader.event(thread, payload) else {
            continue;
        };
        let _ = describe(&event, thread, &reader);
        let _ = nesting.step(&event);
        let mut bytes = Vec::new();
        let start = Count { thread, last: 0 };
        let mut count = start;
        let alone = Event::read(payload, reader.tables(), &mut count);
        let Ok(alone) = alone else { continue };
        alone.write(&mut bytes, &mut start.clone());
        assert_eq!(
            Event::read(&bytes, reader.tables(), &mut start.clone()),
            Ok(alone),
            "it is written as it was read"
        );
    }
});
