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

/// The most pages of which all are told to somebody who begins to look at them.
const MOST_UNKNOWN: u64 = 4096;

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
    /// Pages that have changed through their file.
    behind: BTreeSet<u64>,
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

    /// A process does not know any of these pages. Returns whether that is all; of very
    /// many, only those that are not zero are told.
    pub(crate) fn is_unknown_to(
        &mut self,
        process: Pid,
        object: &Object,
        pages: std::ops::Range<u64>,
    ) -> bool {
        let Some(mirror) = self.all.get_mut(object) else {
            return true;
        };
        let unseen = mirror.unseen.entry(process).or_default();
        if pages.end.saturating_sub(pages.start) <= MOST_UNKNOWN {
            unseen.extend(pages.map(|page| (page, Before::Unknown)));
            return true;
        }
        let there = mirror.now.pages(pages.start, pages.end);
        unseen.extend(there.map(|(page, _)| (page, Before::Unknown)));
        false
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
    /// Pages have changed through their file, whatever they are like now.
    pub(crate) fn changes_behind(&mut self, object: &Object, pages: std::ops::Range<u64>) {
        if let Some(mirror) = self.all.get_mut(object) {
            mirror.behind.extend(pages);
        }
    }

    /// Takes those of these pages that have.
    pub(crate) fn changed_behind(
        &mut self,
        object: &Object,
        pages: std::ops::Range<u64>,
    ) -> BTreeSet<u64> {
        let Some(mirror) = self.all.get_mut(object) else {
            return BTreeSet::new();
        };
        let mut found = mirror.behind.split_off(&pages.start);
        let mut later = found.split_off(&pages.end);
        mirror.behind.append(&mut later);
        found
    }

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
mod tests;
