//! What is in memory that processes share and that is too much to be compared: a copy of
//! it, brought up to date by those who write to it, and for each process what it has not
//! seen of that.
//!
//! ```text
//!   A writes to page 7, and then B takes the token:
//!       the mirror's page 7   is what is there now
//!       B, C have not seen    page 7, which was like this when they last saw it
//! ```
//! Pages are kept once for all who need them: the mirror, the starts of segments, and
//! those who have not seen what came after.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use nix::unistd::Pid;
use reprise_process_events::PAGE;

use crate::log::Page;
use crate::purse::{Common, Purse};

/// How many pages share a place in a view.
const CHUNK: usize = 64;

/// What is shared, whoever maps it: device and number of a file, of which there may be
/// none that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Object {
    pub(crate) device: String,
    pub(crate) inode: u64,
    /// Memory for `shmat` has numbers of its own.
    pub(crate) attached: bool,
}

/// A page that several may have.
pub(crate) struct Held {
    bytes: Page,
    _counted: Common,
}

type Chunk = [Option<Arc<Held>>; CHUNK];

/// What an object held at one moment, by the numbers of its pages. What is not there is
/// zero.
#[derive(Clone, Default)]
pub(crate) struct View {
    chunks: BTreeMap<u64, Arc<Chunk>>,
    /// How many pages are there.
    count: u64,
}

impl View {
    pub(crate) fn page(&self, number: u64) -> Option<&Page> {
        self.held(number).map(|held| &held.bytes)
    }

    fn held(&self, number: u64) -> Option<&Arc<Held>> {
        let chunk = self.chunks.get(&(number / CHUNK as u64))?;
        chunk.get(number as usize % CHUNK)?.as_ref()
    }

    fn set(&mut self, number: u64, page: Option<Arc<Held>>) {
        let empty = || Arc::new([const { None }; CHUNK]);
        let chunk = self
            .chunks
            .entry(number / CHUNK as u64)
            .or_insert_with(empty);
        if let Some(place) = Arc::make_mut(chunk).get_mut(number as usize % CHUNK) {
            self.count -= u64::from(place.is_some());
            self.count += u64::from(page.is_some());
            *place = page;
        }
    }

    /// The pages from one number to another that are not all zero.
    pub(crate) fn pages(&self, first: u64, end: u64) -> impl Iterator<Item = (u64, &Page)> {
        let chunks = self.chunks.range(first / CHUNK as u64..=end / CHUNK as u64);
        let all = chunks.flat_map(|(chunk, pages)| {
            let numbers = chunk * CHUNK as u64..;
            numbers.zip(pages.iter())
        });
        all.filter(move |(number, _)| (first..end).contains(number))
            .filter_map(|(number, page)| Some((number, &page.as_ref()?.bytes)))
    }
}

/// What a page was like when somebody last saw it.
#[derive(Clone)]
enum Before {
    Known(Option<Arc<Held>>),
    /// Parts of what has changed may have been seen before.
    Unknown,
}

/// A change that somebody has not seen.
pub(crate) struct Change<'a> {
    pub(crate) page: u64,
    /// `None` if it is not known.
    pub(crate) before: Option<&'a Page>,
    pub(crate) now: &'a Page,
}

#[derive(Default)]
struct Mirror {
    now: View,
    unseen: BTreeMap<Pid, BTreeMap<u64, Before>>,
    /// Somebody who wrote to it is gone, and it is not known where.
    doubted: bool,
    /// Pages that the kernel writes to when a process is gone: locks that it held.
    late: BTreeMap<u64, Pid>,
}

/// All of them.
pub(crate) struct Mirrors {
    all: HashMap<Object, Mirror>,
    purse: Purse,
    /// How many have ever been made.
    made: u64,
    /// There was too much to keep.
    given_up: bool,
}

const ZERO: &Page = &[0; PAGE as usize];

impl Mirrors {
    pub(crate) fn new(purse: Purse) -> Self {
        Self {
            all: HashMap::new(),
            purse,
            made: 0,
            given_up: false,
        }
    }

    pub(crate) fn has(&self, object: &Object) -> bool {
        self.all.contains_key(object)
    }

    /// Whether there is so much in them that too little memory is left for anything else.
    pub(crate) fn is_too_much(&self) -> bool {
        let pages: u64 = self.all.values().map(|mirror| mirror.now.count).sum();
        pages * PAGE > self.purse.allowed() / 2
    }

    /// There are none from here on.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
        self.all.clear();
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// How many there have ever been: one that has been made since may have to be
    /// followed by those that have mapped the same.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// A process maps these and no others. Those that nobody maps are gone. What it has
    /// not seen of the others stays so.
    pub(crate) fn maps(&mut self, process: Pid, objects: &BTreeSet<Object>) {
        for (object, mirror) in &mut self.all {
            if !objects.contains(object) {
                mirror.unseen.remove(&process);
            }
        }
        for object in objects {
            if !self.has(object) {
                self.made += 1;
            }
            let mirror = self.all.entry(object.clone()).or_default();
            mirror.unseen.entry(process).or_default();
        }
        self.all.retain(|_, mirror| !mirror.unseen.is_empty());
    }

    /// A page is like this now, by what a process has written. `seen_by_none` says that
    /// no other process can have seen any of it before.
    pub(crate) fn wrote(
        &mut self,
        (object, number): (&Object, u64),
        page: &Page,
        by: Pid,
        seen_by_none: bool,
    ) {
        let Some(mirror) = self.all.get_mut(object) else {
            return;
        };
        let known = mirror.now.held(number).cloned();
        let changed = known.as_ref().map_or(ZERO, |held| &held.bytes) != page;
        if !changed && seen_by_none {
            return;
        }
        if changed {
            let bytes = *page;
            let held = (page != ZERO).then(|| {
                let _counted = self.purse.count(PAGE);
                Arc::new(Held { bytes, _counted })
            });
            mirror.now.set(number, held);
        }
        // What each of them knows takes memory, too.
        let short = self.purse.is_overdrawn();
        for (_, unseen) in mirror.unseen.iter_mut().filter(|(one, _)| **one != by) {
            let before = unseen
                .entry(number)
                .or_insert_with(|| Before::Known(known.clone()));
            if !seen_by_none || short {
                *before = Before::Unknown;
            }
        }
    }

    /// What a process has not seen of an object.
    pub(crate) fn unseen(&self, object: &Object, process: Pid) -> impl Iterator<Item = Change<'_>> {
        let mirror = self.all.get(object);
        let unseen = mirror.and_then(|mirror| Some((mirror, mirror.unseen.get(&process)?)));
        unseen.into_iter().flat_map(|(mirror, unseen)| {
            unseen.iter().map(|(&page, before)| Change {
                page,
                before: match before {
                    Before::Known(None) => Some(ZERO),
                    Before::Known(Some(held)) => Some(&held.bytes),
                    Before::Unknown => None,
                },
                now: mirror.now.page(page).unwrap_or(ZERO),
            })
        })
    }

    /// A process has seen everything.
    pub(crate) fn saw(&mut self, process: Pid) {
        for mirror in self.all.values_mut() {
            if let Some(unseen) = mirror.unseen.get_mut(&process) {
                unseen.clear();
            }
        }
    }

    /// What an object holds now.
    pub(crate) fn view(&self, object: &Object) -> View {
        let mirror = self.all.get(object);
        mirror.map(|mirror| mirror.now.clone()).unwrap_or_default()
    }

    /// It is not known what somebody has written.
    pub(crate) fn doubt(&mut self, object: &Object) {
        if let Some(mirror) = self.all.get_mut(object) {
            mirror.doubted = true;
        }
    }

    /// Whether an object is in doubt, which it is not any more.
    pub(crate) fn settle(&mut self, object: &Object) -> bool {
        let mirror = self.all.get_mut(object);
        mirror.is_some_and(|mirror| std::mem::take(&mut mirror.doubted))
    }
}

impl Mirrors {
    /// The kernel writes to a page when a process has ended.
    pub(crate) fn changes_late(&mut self, object: &Object, page: u64, process: Pid) {
        if let Some(mirror) = self.all.get_mut(object) {
            mirror.late.insert(page, process);
        }
    }

    /// The pages that have to be looked at for that; those of processes that are gone for
    /// the last time.
    pub(crate) fn late(&mut self, object: &Object) -> Vec<u64> {
        let Some(mirror) = self.all.get_mut(object) else {
            return Vec::new();
        };
        let pages = mirror.late.keys().copied().collect();
        let unseen = &mirror.unseen;
        mirror
            .late
            .retain(|_, process| unseen.contains_key(process));
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Pid = Pid::from_raw(1);
    const B: Pid = Pid::from_raw(2);

    fn object() -> Object {
        Object {
            device: "00:01".to_owned(),
            inode: 7,
            attached: false,
        }
    }

    fn page(first: u8) -> Page {
        let mut page = *ZERO;
        page[0] = first;
        page
    }

    fn shared(purse: &Purse) -> Mirrors {
        let mut mirrors = Mirrors::new(purse.clone());
        let objects = BTreeSet::from([object()]);
        mirrors.maps(A, &objects);
        mirrors.maps(B, &objects);
        mirrors
    }

    fn unseen(mirrors: &Mirrors, process: Pid) -> Vec<(u64, Option<u8>, u8)> {
        let object = object();
        let all = mirrors.unseen(&object, process);
        all.map(|change| {
            (
                change.page,
                change.before.map(|page| page[0]),
                change.now[0],
            )
        })
        .collect()
    }

    #[test]
    fn what_one_writes_the_other_has_not_seen() {
        let purse = Purse::new(1 << 20);
        let mut mirrors = shared(&purse);
        mirrors.wrote((&object(), 7), &page(1), A, true);
        mirrors.wrote((&object(), 7), &page(2), A, true);
        mirrors.wrote((&object(), 200), &page(0), A, true);
        assert_eq!(unseen(&mirrors, A), []);
        // From what it saw last, and not from what was between.
        assert_eq!(unseen(&mirrors, B), [(7, Some(0), 2)]);
        mirrors.saw(B);
        assert_eq!(unseen(&mirrors, B), []);
        mirrors.wrote((&object(), 7), &page(3), B, true);
        assert_eq!(unseen(&mirrors, A), [(7, Some(2), 3)]);
    }

    #[test]
    fn what_may_have_been_seen_in_part_is_told_as_a_whole() {
        let mut mirrors = shared(&Purse::new(1 << 20));
        mirrors.wrote((&object(), 7), &page(1), A, true);
        mirrors.wrote((&object(), 7), &page(1), A, false);
        assert_eq!(unseen(&mirrors, B), [(7, None, 1)]);
    }

    #[test]
    fn a_view_stays_as_it_was_and_pages_are_kept_once() {
        let purse = Purse::new(1 << 20);
        let mut mirrors = shared(&purse);
        mirrors.wrote((&object(), 63), &page(1), A, true);
        mirrors.wrote((&object(), 64), &page(2), A, true);
        let before = mirrors.view(&object());
        mirrors.wrote((&object(), 64), &page(3), A, true);
        mirrors.saw(B);
        assert_eq!(purse.common(), 3 * PAGE);
        let numbers = |view: &View, first, end| -> Vec<(u64, u8)> {
            let pages = view.pages(first, end);
            pages.map(|(number, page)| (number, page[0])).collect()
        };
        assert_eq!(numbers(&before, 0, 1000), [(63, 1), (64, 2)]);
        assert_eq!(numbers(&mirrors.view(&object()), 64, 65), [(64, 3)]);
        drop(before);
        assert_eq!(purse.common(), 2 * PAGE);
        mirrors.maps(A, &BTreeSet::new());
        mirrors.maps(B, &BTreeSet::new());
        assert!(!mirrors.has(&object()));
        assert_eq!(purse.common(), 0);
    }

    #[test]
    fn what_changes_late_is_looked_at_until_its_process_is_gone() {
        let mut mirrors = shared(&Purse::new(1 << 20));
        mirrors.changes_late(&object(), 7, A);
        assert_eq!(mirrors.late(&object()), [7]);
        assert_eq!(mirrors.late(&object()), [7]);
        mirrors.maps(A, &BTreeSet::new());
        assert_eq!(mirrors.late(&object()), [7]);
        assert!(mirrors.late(&object()).is_empty());
    }

    #[test]
    fn where_memory_is_short_nobody_knows_what_was_before() {
        let mut mirrors = shared(&Purse::new(0));
        mirrors.wrote((&object(), 7), &page(1), A, true);
        assert_eq!(unseen(&mirrors, B), [(7, None, 1)]);
    }
}
