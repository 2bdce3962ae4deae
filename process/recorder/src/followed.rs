//! Shared memory of which there is too much to compare it. The kernel keeps an account
//! of what each process writes there (`Written`), and a copy for all of them is brought
//! up to date from that: when another one takes the token, and before a process does
//! anything after which the account is gone.
//!
//! What a call writes while another process runs, that one may have seen in part: it is
//! told all of those pages when the call is over.

use std::collections::BTreeSet;
use std::rc::Rc;

use nix::unistd::Pid;
use reprise_process_events::{PAGE, Write};
use reprise_syscalls::Extent;
use reprise_tracee::{Tracee, Written};

use crate::log::Page;
use crate::maps::Mapped;
use crate::mirror::{Mirrors, Object, View};
use crate::session::{Session, Trouble};
use crate::sharing::{Look, differences};

/// What a recording says where this cannot be done.
const TOO_MUCH: &str = "it is over 1 MiB, and what other processes change in it is not seen";

/// … and where others begin to write to very much of it.
const LATE: &str = "what others had cleared before they were seen to write to it is not known";

/// How many pages are read at once.
const BLOCK: u64 = 256;

/// Where a process has mapped shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    start: u64,
    end: u64,
    object: Object,
    /// The number that the first page has there.
    first: u64,
    writable: bool,
}

impl Range {
    pub(crate) fn of(mapped: &Mapped, writable: bool) -> Self {
        Self {
            start: mapped.region.start,
            end: mapped.region.end,
            object: mapped.object.clone(),
            first: mapped.offset / PAGE,
            writable,
        }
    }

    fn number(&self, address: u64) -> u64 {
        self.first + (address - self.start) / PAGE
    }

    fn address(&self, number: u64) -> Option<u64> {
        let offset = number.checked_sub(self.first)?.checked_mul(PAGE)?;
        Some(self.start + offset).filter(|address| *address < self.end)
    }

    /// The parts of it that are not in another one, if that maps the same there.
    fn without(&self, other: &Self) -> Vec<(u64, u64)> {
        let same = self.object == other.object
            && self.writable == other.writable
            && self.start.wrapping_sub(self.first * PAGE)
                == other.start.wrapping_sub(other.first * PAGE);
        if !same || other.end <= self.start || self.end <= other.start {
            return vec![(self.start, self.end)];
        }
        let parts = [(self.start, other.start), (other.end, self.end)];
        parts
            .into_iter()
            .filter(|(start, end)| start < end)
            .collect()
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let end = |range: &Self| range.number(range.end);
        self.object == other.object && self.first < end(other) && other.first < end(self)
    }
}

/// A part of a process's memory as it was at one moment.
#[derive(Clone)]
pub(crate) struct Mirrored {
    pub(crate) start: u64,
    pub(crate) end: u64,
    first: u64,
    view: View,
}

impl Mirrored {
    /// The page at an address in it; `None` is all zero.
    pub(crate) fn page(&self, address: u64) -> Option<&Page> {
        self.view.page(self.first + (address - self.start) / PAGE)
    }

    /// The pages between two addresses in it that are not all zero.
    pub(crate) fn pages(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, &Page)> {
        let number = |address: u64| self.first + (address - self.start) / PAGE;
        let pages = self.view.pages(number(start), number(end));
        pages.map(|(number, page)| (self.start + (number - self.first) * PAGE, page))
    }
}

/// What is followed of a process.
pub(crate) struct Followed {
    process: Pid,
    /// Nothing where the kernel gives no account.
    written: Option<Rc<Written>>,
    ranges: Vec<Range>,
}

impl Followed {
    /// What a process has that was just made by this one; what that writes is not
    /// followed yet.
    pub(crate) fn of_child(&self, child: Pid) -> Self {
        Self {
            process: child,
            written: None,
            ranges: self.ranges.clone(),
        }
    }

    pub(crate) fn is_of(&self, process: Pid) -> bool {
        self.process == process
    }

    /// It is gone, and nobody knows what it has written.
    pub(crate) fn is_lost(&self, mirrors: &mut Mirrors) {
        for range in self.ranges.iter().filter(|range| range.writable) {
            mirrors.doubt(&range.object);
        }
    }

    /// Brings the mirrors up to date with what the process has written.
    fn publish(&self, mirrors: &mut Mirrors) {
        let Some(written) = &self.written else { return };
        let memory = Tracee::already(self.process);
        for range in self.ranges.iter().filter(|range| range.writable) {
            let Ok(parts) = written.take(range.start, range.end) else {
                mirrors.doubt(&range.object);
                continue;
            };
            for part in parts {
                self.tell(mirrors, memory, range, part, true);
            }
        }
    }

    /// Brings the mirrors up to date with what is in a part of a range.
    fn tell(
        &self,
        mirrors: &mut Mirrors,
        memory: Tracee,
        range: &Range,
        (start, end): (u64, u64),
        seen_by_none: bool,
    ) {
        let mut at = start;
        while at < end {
            let until = end.min(at + BLOCK * PAGE);
            let bytes = memory.read_some(at, usize::try_from(until - at).unwrap_or(0));
            // Behind the end of a file there is nothing.
            let (pages, _) = bytes.as_chunks::<{ PAGE as usize }>();
            for (number, page) in (range.number(at)..).zip(pages) {
                mirrors.wrote((&range.object, number), page, self.process, seen_by_none);
            }
            at = until;
        }
    }
}

impl Session {
    /// Follows these ranges and no others.
    pub(crate) fn follow_shared(&mut self, ranges: Vec<Range>, look: Look) -> Result<(), Trouble> {
        let before = self.sharing.followed.take();
        if ranges.is_empty() && before.is_none() {
            return Ok(());
        }
        let mirrors = &mut *self.shared.mirrors.borrow_mut();
        let known = before.filter(|_| look != Look::Born);
        let written = match &known {
            Some(known) => known.written.clone(),
            None if mirrors.is_given_up() => None,
            None => self.account(),
        };
        if mirrors.is_given_up() || (written.is_none() && look != Look::Born) {
            self.log.note("shared memory", TOO_MUCH);
            mirrors.maps(self.process, &BTreeSet::new());
            return Ok(());
        }
        if written.is_none() {
            let why = "what this process writes there is not seen by others";
            self.log.note("shared memory", why);
        }
        let objects: BTreeSet<Object> = ranges.iter().map(|range| range.object.clone()).collect();
        mirrors.maps(self.process, &objects);
        let followed = Followed {
            process: self.process,
            written,
            ranges,
        };
        let known = known.as_ref().map_or(&[][..], |known| &known.ranges);
        for range in &followed.ranges {
            let mut parts = vec![(range.start, range.end)];
            for known in known {
                let part = |(start, end)| Range {
                    start,
                    end,
                    first: range.number(start),
                    ..range.clone()
                };
                parts = parts
                    .into_iter()
                    .flat_map(|one| part(one).without(known))
                    .collect();
            }
            for (start, end) in parts {
                if let Some(written) = followed.written.as_ref().filter(|_| range.writable) {
                    written.follow(start, end)?;
                }
                let is_other = matches!(look, Look::New(new) if new != start);
                if is_other || matches!(look, Look::Mapped | Look::Late) {
                    followed.tell(mirrors, self.thread.tracee, range, (start, end), true);
                }
                if look == Look::Late {
                    let pages = range.number(start)..range.number(end);
                    if !mirrors.is_unknown_to(self.process, &range.object, pages) {
                        self.log.note("shared memory", LATE);
                    }
                }
            }
        }
        let followed = (!followed.ranges.is_empty()).then(|| Rc::new(followed));
        let last = &mut *self.shared.writer.borrow_mut();
        if last
            .as_ref()
            .is_some_and(|last| last.process == self.process)
        {
            last.clone_from(&followed);
        }
        self.sharing.followed = followed;
        Ok(())
    }

    /// Has the kernel keep an account, if it does.
    fn account(&self) -> Option<Rc<Written>> {
        let behind = self.site?;
        let written = Written::of(self.process, self.thread.tracee, behind);
        written.ok().map(Rc::new)
    }

    /// The token has been taken: what the last one has written is found out.
    pub(crate) fn catch_up(&mut self) {
        let Some(followed) = &self.sharing.followed else {
            return;
        };
        let last = self.shared.writer.borrow_mut().replace(followed.clone());
        let last = last.filter(|last| last.process != self.process);
        let mirrors = &mut *self.shared.mirrors.borrow_mut();
        if let Some(last) = last {
            self.shared.handovers.set(self.shared.handovers.get() + 1);
            last.publish(mirrors);
        }
        // Whoever wrote what is looked at here is gone.
        let gone = followed.of_child(Pid::from_raw(0));
        for range in &followed.ranges {
            let mut parts = Vec::new();
            if mirrors.settle(&range.object) {
                parts.push((range.start, range.end));
            }
            for page in mirrors.late(&range.object) {
                parts.extend(range.address(page).map(|at| (at, at + PAGE)));
            }
            let behind =
                mirrors.changed_behind(&range.object, range.first..range.number(range.end));
            parts.extend(behind.into_iter().filter_map(|page| {
                let at = range.address(page)?;
                Some((at, at + PAGE))
            }));
            for part in parts {
                gone.tell(mirrors, self.thread.tracee, range, part, true);
            }
        }
        if mirrors.is_too_much() {
            mirrors.give_up();
        }
        if mirrors.is_given_up() {
            self.sharing.followed = None;
            self.log.note("shared memory", TOO_MUCH);
        }
    }

    /// Tells the others what this process has written, if that is not known yet.
    pub(crate) fn publish(&self) {
        let last = self.shared.writer.borrow();
        if let Some(last) = last.as_ref().filter(|last| last.process == self.process) {
            last.publish(&mut self.shared.mirrors.borrow_mut());
        }
    }

    /// The process is about to end, or is recorded no more.
    pub(crate) fn publish_last(&self) {
        self.publish();
        if let Some(followed) = &self.sharing.followed {
            let mirrors = &mut *self.shared.mirrors.borrow_mut();
            for address in self.thread.at_exit.words(|address| self.word(address)) {
                let in_it = |range: &&Range| (range.start..range.end).contains(&address);
                if let Some(range) = followed.ranges.iter().find(in_it) {
                    let page = range.number(address);
                    mirrors.changes_late(&range.object, page, self.process);
                }
            }
        }
        drop(self.shared.forget_last(self.process));
    }

    /// A call has written there. `handovers` is how often the token had changed hands
    /// when it began; without it, it has written behind the kernel's account.
    pub(crate) fn publish_call(&self, extents: &[Extent], handovers: Option<u64>) {
        let others_ran = handovers != Some(self.shared.handovers.get());
        let Some(followed) = self.sharing.followed.as_ref().filter(|_| others_ran) else {
            return;
        };
        let mirrors = &mut *self.shared.mirrors.borrow_mut();
        for extent in extents.iter().filter(|extent| extent.len > 0) {
            let end = extent
                .address
                .saturating_add(extent.len)
                .next_multiple_of(PAGE);
            let start = extent.address / PAGE * PAGE;
            for range in &followed.ranges {
                let part = (start.max(range.start), end.min(range.end));
                if part.0 < part.1 {
                    followed.tell(mirrors, self.thread.tracee, range, part, false);
                }
            }
        }
    }

    /// What others have changed there. It stays so until that has been told.
    pub(crate) fn unseen(&self) -> Vec<Write> {
        let Some(followed) = &self.sharing.followed else {
            return Vec::new();
        };
        let mirrors = self.shared.mirrors.borrow();
        let mut writes = Vec::new();
        for range in &followed.ranges {
            for change in mirrors.unseen(&range.object, self.process) {
                if let Some(address) = range.address(change.page) {
                    let before = change.before.map(|page| &page[..]);
                    writes.extend(differences(address, before, change.now));
                }
            }
        }
        writes
    }

    /// What others have changed is in the log, or at the start of a segment.
    pub(crate) fn has_told(&self) {
        if self.sharing.followed.is_some() {
            self.shared.mirrors.borrow_mut().saw(self.process);
        }
    }

    /// What is in that memory, when all that the process has written is known.
    pub(crate) fn mirrored(&self) -> Vec<Mirrored> {
        self.publish();
        let Some(followed) = &self.sharing.followed else {
            return Vec::new();
        };
        let mirrors = self.shared.mirrors.borrow();
        let mirrored = |range: &Range| Mirrored {
            start: range.start,
            end: range.end,
            first: range.first,
            view: mirrors.view(&range.object),
        };
        let ranges = followed.ranges.iter();
        ranges
            .filter(|range| mirrors.has(&range.object))
            .map(mirrored)
            .collect()
    }
}
