//! How often each object is mentioned, so that the JVM that plays can let go of it after the last
//! time: a program that makes objects for short use would otherwise need room for all of them at
//! once.
//!
//! An object that got its number silently (see `COUNT` in `jvm/events/src/event.rs`) has no first
//! mention that could say how many are to come. So that is said with the event before it: what a
//! thread numbers silently stands between what two of its events number.
//!
//! Eight bytes for each object that is mentioned, in blocks, since a thread counts its objects one
//! by one: about 9 MB for a million of them. What was only counted takes none.

use std::collections::{BTreeMap, HashMap};

use reprise_jvm_events::event::Event;
use reprise_jvm_events::reader::each_reference;
use reprise_jvm_events::value::{ObjectId, Reference};

/// How many objects a block is for.
const BLOCK: usize = 32;

/// The mentions of all objects of a recording.
#[derive(Debug, Default)]
pub(crate) struct Mentions {
    /// By thread, blocks by number.
    threads: HashMap<u64, BTreeMap<u64, Box<Block>>>,
}

type Block = [Known; BLOCK];

/// What is known of an object.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Its class, which the first mention says; 0 when it got its number silently.
    class: u32,
    times: u32,
}

fn place(number: u64) -> (u64, usize) {
    let block = BLOCK as u64;
    (
        number / block,
        usize::try_from(number % block).unwrap_or_default(),
    )
}

impl Mentions {
    /// Takes an event.
    pub(crate) fn add(&mut self, event: &Event) {
        each_reference(event, |reference| {
            let Reference::Object(object) = reference else {
                return;
            };
            let (block, at) = place(object.id.number);
            let blocks = self.threads.entry(object.id.thread).or_default();
            if let Some(known) = blocks.entry(block).or_default().get_mut(at) {
                known.times = known.times.saturating_add(1);
                if let Some(first) = object.first {
                    known.class = first.class;
                }
            }
        });
    }

    fn known(&self, id: ObjectId) -> Known {
        let (block, at) = place(id.number);
        let blocks = self.threads.get(&id.thread);
        let block = blocks.and_then(|blocks| blocks.get(&block));
        let known = block.and_then(|block| block.get(at));
        known.copied().unwrap_or_default()
    }

    /// The class of an object whose first mention was taken.
    pub(crate) fn class(&self, id: ObjectId) -> Option<u32> {
        Some(self.known(id).class).filter(|class| *class != 0)
    }

    /// How often an object is mentioned after the first time.
    pub(crate) fn more(&self, id: ObjectId) -> u32 {
        self.known(id).times.saturating_sub(1)
    }

    /// Of the objects that a thread numbers silently after this number, those that are mentioned,
    /// and how often; and the last number that was looked at.
    pub(crate) fn silent(&self, thread: u64, after: u64) -> (Vec<(u64, u32)>, u64) {
        let mut found = Vec::new();
        let mut last = after;
        let (from, _) = place(after);
        let blocks = self.threads.get(&thread);
        for (block, known) in blocks.iter().flat_map(|blocks| blocks.range(from..)) {
            for (at, known) in (0..BLOCK as u64).zip(known.iter()) {
                let number = block.saturating_mul(BLOCK as u64).saturating_add(at);
                if number <= after {
                    continue;
                }
                if known.class != 0 {
                    return (found, last);
                }
                if known.times != 0 {
                    found.push((number, known.times));
                }
                last = number;
            }
        }
        (found, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_jvm_events::value::{First, Object, Space};

    fn mention(mentions: &mut Mentions, number: u64, class: u32) {
        let object = Object {
            space: Space::Outside,
            id: ObjectId { thread: 1, number },
            first: (class != 0).then_some(First { class, length: 0 }),
        };
        mentions.add(&Event::ExcIn {
            throwable: Reference::Object(object),
        });
    }

    #[test]
    fn what_is_to_come_is_known_for_said_and_silent_objects() {
        let mut mentions = Mentions::default();
        // 1 is said and comes again twice; 2 to 199 are silent, two of them mentioned; 200 is said.
        for (number, class) in [(1, 7), (1, 0), (100, 0), (1, 0), (3, 0), (100, 0), (200, 9)] {
            mention(&mut mentions, number, class);
        }
        let id = |number| ObjectId { thread: 1, number };
        assert_eq!(mentions.class(id(1)), Some(7));
        assert_eq!(mentions.class(id(100)), None);
        assert_eq!(mentions.more(id(1)), 2);
        assert_eq!(mentions.more(id(200)), 0);
        assert_eq!(mentions.silent(1, 0), (vec![], 0));
        assert_eq!(mentions.silent(1, 1), (vec![(3, 1), (100, 2)], 199));
        assert_eq!(mentions.silent(1, 199), (vec![], 199));
        assert_eq!(mentions.silent(2, 0), (vec![], 0));
    }

    #[test]
    fn numbers_that_make_no_sense_take_no_more_room_than_others() {
        let mut mentions = Mentions::default();
        for number in [u64::MAX, u64::MAX / 2, 1 << 60] {
            mention(&mut mentions, number, 0);
        }
        assert_eq!(mentions.silent(1, 5).0.len(), 3);
    }
}
