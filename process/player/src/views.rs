//! Memory that the program has at several addresses: what it writes at one of them it
//! reads at the others. In the blank process that is memory with nothing behind it that is
//! mapped once as shared, and then again by `mremap`, which makes a second view of what has a
//! length of 0.
//!
//! The views of a page are missing together, and come together. What copies of the process
//! would share with it, each gets for itself (`part`).

use std::cell::Cell;

use nix::libc;
use reprise_process_events::{PAGE, VIEWS, View};
use reprise_recording::Source;
use reprise_tracee::Tracee;

use crate::load::{SHARED, check};
use crate::play::Play;
use crate::space::Space;
use crate::{ADDRESSES, PlayError};

const WRITABLE: u32 = (libc::PROT_READ | libc::PROT_WRITE) as u32;

/// How much is read at once.
const BLOCK: u64 = 1 << 20;

/// What a range of addresses shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    object: u32,
    /// Where in that address 0 would be.
    zero: u64,
}

impl Shown {
    fn of(view: &View) -> Self {
        Self {
            object: view.object,
            zero: view.offset.wrapping_sub(view.start),
        }
    }

    fn offset(self, address: u64) -> u64 {
        address.wrapping_add(self.zero)
    }

    fn address(self, offset: u64) -> u64 {
        offset.wrapping_sub(self.zero)
    }
}

impl Space {
    /// All views.
    fn views(&self) -> impl Iterator<Item = View> {
        self.shown.iter().map(|(start, end, shown)| View {
            start,
            end,
            object: shown.object,
            offset: shown.offset(start),
        })
    }

    /// Whether something between two addresses may be at another one, too.
    pub(crate) fn is_shown(&self, start: u64, end: u64) -> bool {
        !self.shown.within(start, end).is_empty()
    }

    /// Where else the memory between two addresses is.
    pub(crate) fn alike(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut alike = Vec::new();
        for (from, to, shown) in self.shown.within(start, end) {
            let (first, last) = (shown.offset(from), shown.offset(to));
            for view in self.views() {
                let (begins, len) = (view.offset, view.end - view.start);
                let (first, last) = (first.max(begins), last.min(begins.saturating_add(len)));
                let other = Shown::of(&view);
                if other.object == shown.object && other != shown && first < last {
                    alike.push((other.address(first), other.address(last)));
                }
            }
        }
        alike
    }

    /// The parts of mapped ranges between two addresses that are at no other one.
    pub(crate) fn only_here(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut parts = Vec::new();
        for range in self.within(start, end) {
            let mut at = range.start;
            let shown = self.shown.within(range.start, range.end).into_iter();
            let shown = shown.map(|(start, end, _)| (start, end));
            for (start, end) in shown.chain([(range.end, range.end)]) {
                if at < start {
                    parts.push((at, start));
                }
                at = end;
            }
        }
        parts
    }

    /// An address at which a page of an object is, and how far that goes; or, if there is
    /// none, how far it is to the next page that has one.
    fn find(&self, object: u32, offset: u64) -> Result<(u64, u64), u64> {
        let mut next = u64::MAX;
        for view in self.views().filter(|view| view.object == object) {
            let end = view.offset.saturating_add(view.end - view.start);
            if (view.offset..end).contains(&offset) {
                let address = Shown::of(&view).address(offset);
                return Ok((address, end - offset));
            }
            if view.offset > offset {
                next = next.min(view.offset - offset);
            }
        }
        Err(next)
    }
}

/// Who makes a system call in the name of a process.
pub(crate) type Calling<'a> = &'a dyn Fn(i64, [u64; 6]) -> Result<u64, PlayError>;

/// A process whose memory is arranged.
pub(crate) struct Joiner<'a> {
    pub(crate) process: Tracee,
    pub(crate) call: Calling<'a>,
    /// The event that says so.
    pub(crate) event: u64,
    /// How much memory may be there.
    pub(crate) memory: u64,
    /// Where the kernel may list which pages of a block are there, if it can be asked.
    pub(crate) list: Option<u64>,
    /// How many bytes have been copied.
    pub(crate) copied: Cell<u64>,
}

/// Where there is no swap space, all that memory holds is in it.
pub(crate) fn is_all_resident() -> bool {
    nix::sys::sysinfo::sysinfo().is_ok_and(|about| about.swap_total() == about.swap_free())
}

impl<'a> Joiner<'a> {
    /// For a process.
    pub(crate) fn new(process: Tracee, call: Calling<'a>, event: u64, memory: u64) -> Self {
        Self {
            process,
            call,
            event,
            memory,
            list: None,
            copied: Cell::new(0),
        }
    }
}

impl Joiner<'_> {
    /// Makes these ranges show the same memory. What is at the first of them is what there
    /// is, unless one is shown already.
    pub(crate) fn join(&self, space: &mut Space, views: &[View]) -> Result<(), PlayError> {
        let event = self.event;
        if views.len() > VIEWS {
            let what = format!("it shows memory at {} addresses", views.len());
            return Err(PlayError::Unplayable { event, what });
        }
        // The kernel does not count this for the process.
        let shown = space.views().map(|view| view.end - view.start);
        let mut all: u64 = shown.sum();
        for view in views {
            self.validate(space, view)?;
            let other = other_parts(space, view).into_iter();
            let more = other.map(|(start, end)| end - start);
            all = all.saturating_add(more.sum());
            if all > self.memory {
                return Err(PlayError::Limit("its memory"));
            }
            let shown = Shown::of(view);
            for (start, end) in other_parts(space, view) {
                space.shown.clear(start, end);
                let mut at = start;
                while at < end {
                    let len = match space.find(view.object, shown.offset(at)) {
                        Ok((from, len)) => {
                            let len = len.min(end - at);
                            self.show_again(space, from, at, len)?;
                            len
                        }
                        Err(next) => {
                            let len = next.min(end - at);
                            self.share(space, at, at + len)?;
                            len
                        }
                    };
                    space.shown.set(at, at + len, shown);
                    at += len;
                }
            }
        }
        Ok(())
    }

    /// A copy of a process shares what is at several addresses with it: gives it its own.
    /// Returns how many bytes that takes.
    pub(crate) fn part(&self, space: &Space) -> Result<u64, PlayError> {
        let views: Vec<View> = space.views().collect();
        if views.is_empty() {
            return Ok(0);
        }
        let mut alone = space.clone();
        alone.shown.clear(0, u64::MAX);
        self.copied.set(0);
        self.join(&mut alone, &views)?;
        Ok(self.copied.get())
    }

    /// Writes to memory that is there, whatever its protection.
    pub(crate) fn write(&self, space: &Space, address: u64, bytes: &[u8]) -> Result<(), PlayError> {
        let end = address.saturating_add(bytes.len() as u64);
        let pages = space.within(address & !(PAGE - 1), end.next_multiple_of(PAGE));
        for range in &pages {
            self.protect(range.start, range.end, WRITABLE)?;
        }
        self.process.write(address, bytes)?;
        for range in &pages {
            self.protect(range.start, range.end, range.protection)?;
        }
        Ok(())
    }

    fn validate(&self, space: &Space, view: &View) -> Result<(), PlayError> {
        let View { start, end, .. } = *view;
        let whole = [start, end, view.offset];
        let aligned = whole.iter().all(|at| at.is_multiple_of(PAGE));
        let fits = start < end && end <= ADDRESSES && view.offset <= 1 << 62;
        let mapped = space.within(start, end);
        let mapped: u64 = mapped.iter().map(|range| range.end - range.start).sum();
        if !aligned || !fits || mapped != end - start {
            let what = format!("nothing is mapped at {start:#x}-{end:#x} that could be shown");
            let event = self.event;
            return Err(PlayError::Unplayable { event, what });
        }
        Ok(())
    }

    /// Makes what is between two addresses memory that can be shown again.
    fn share(&self, space: &Space, start: u64, end: u64) -> Result<(), PlayError> {
        let mut kept = Vec::new();
        for range in space.present(start, end) {
            self.protect(range.start, range.end, WRITABLE)?;
            let mut at = range.start;
            while at < range.end {
                let len = (range.end - at).min(BLOCK);
                if !self.may_hold(at, len)? {
                    at += len;
                    continue;
                }
                let bytes = self.process.read_some(at, len as usize);
                for (page, bytes) in (at..)
                    .step_by(PAGE as usize)
                    .zip(bytes.chunks(PAGE as usize))
                {
                    if bytes.iter().any(|&byte| byte != 0) {
                        kept.push((page, bytes.to_vec()));
                    }
                }
                at += len;
            }
        }
        let arguments = [start, end - start, u64::from(WRITABLE), SHARED, u64::MAX, 0];
        check(self.event, (self.call)(libc::SYS_mmap, arguments)?)?;
        for (page, bytes) in kept {
            self.copied.set(self.copied.get() + PAGE);
            self.process.write(page, &bytes)?;
        }
        self.protect_all(space, start, end)
    }

    /// Whether there can be anything but zeros in a block. To read memory that is shared
    /// makes pages of it, and a program may have reserved a gigabyte.
    fn may_hold(&self, start: u64, len: u64) -> Result<bool, PlayError> {
        let Some(list) = self.list else {
            return Ok(true);
        };
        let arguments = [start, len, list, 0, 0, 0];
        check(self.event, (self.call)(libc::SYS_mincore, arguments)?)?;
        let pages = usize::try_from(len / PAGE).unwrap_or(0);
        let resident = self.process.read_some(list, pages);
        Ok(resident.len() != pages || resident.iter().any(|page| page & 1 != 0))
    }

    /// Shows what is at an address at another one as well.
    fn show_again(&self, space: &mut Space, from: u64, to: u64, len: u64) -> Result<(), PlayError> {
        let flags = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) as u64;
        let arguments = [from, 0, len, flags, to, 0];
        check(self.event, (self.call)(libc::SYS_mremap, arguments)?)?;
        space.found(to, to + len);
        space.miss_like(from, len, to);
        self.protect_all(space, to, to + len)
    }

    /// Gives memory the protection that it has for the program.
    fn protect_all(&self, space: &Space, start: u64, end: u64) -> Result<(), PlayError> {
        for range in space.within(start, end) {
            self.protect(range.start, range.end, range.protection)?;
        }
        for (start, end, _) in space.missing(start, end) {
            self.protect(start, end, 0)?;
        }
        Ok(())
    }

    fn protect(&self, start: u64, end: u64, protection: u32) -> Result<(), PlayError> {
        let arguments = [start, end - start, u64::from(protection), 0, 0, 0];
        check(self.event, (self.call)(libc::SYS_mprotect, arguments)?)
    }
}

impl<S: Source> Play<'_, '_, S> {
    /// From here on these ranges show the same memory.
    pub(crate) fn show(&mut self, event: u64, views: &[View]) -> Result<(), PlayError> {
        let (process, behind) = (self.blank.tracee, self.behind);
        let call = |number, arguments| Ok(process.call_plainly_at(behind, number, arguments)?);
        let joiner = Joiner::new(process, &call, event, self.blank.memory);
        joiner.join(&mut self.space, views)
    }

    /// Writes to memory that is at several addresses, at one of which it may be writable.
    pub(crate) fn write_shown(
        &self,
        event: u64,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), PlayError> {
        let process = self.blank.tracee;
        let end = address.saturating_add(bytes.len() as u64);
        let all = self.space.alike(address, end).into_iter();
        let mut whole = all.filter(|(start, last)| last - start == end - address);
        if whole.any(|(start, _)| process.write(start, bytes).is_ok()) {
            return Ok(());
        }
        let behind = self.behind;
        let call = |number, arguments| Ok(process.call_plainly_at(behind, number, arguments)?);
        let joiner = Joiner::new(process, &call, event, self.blank.memory);
        joiner.write(&self.space, address, bytes)
    }
}

/// The parts of a range that do not show yet what it is to show.
fn other_parts(space: &Space, view: &View) -> Vec<(u64, u64)> {
    let wanted = Shown::of(view);
    let mut parts = Vec::new();
    let mut at = view.start;
    let shown = space.shown.within(view.start, view.end).into_iter();
    let same = shown.filter(|(_, _, shown)| *shown == wanted);
    for (start, end) in same
        .map(|(start, end, _)| (start, end))
        .chain([(view.end, view.end)])
    {
        if at < start {
            parts.push((at, start));
        }
        at = end;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(start: u64, end: u64, object: u32, offset: u64) -> View {
        View {
            start,
            end,
            object,
            offset,
        }
    }

    fn space(views: &[View]) -> Space {
        let mut space = Space::default();
        space.map(0, 100, 3);
        for view in views {
            space.shown.set(view.start, view.end, Shown::of(view));
        }
        space
    }

    #[test]
    fn the_same_memory_is_found_at_its_other_addresses() {
        let space = space(&[view(10, 20, 1, 0), view(30, 40, 1, 5), view(50, 60, 2, 0)]);
        assert_eq!(space.alike(10, 20), [(30, 35)]);
        assert_eq!(space.alike(16, 17), [(31, 32)]);
        assert_eq!(space.alike(32, 33), [(17, 18)]);
        assert_eq!(space.alike(38, 39), []);
        assert_eq!(space.alike(50, 60), []);
        assert_eq!(space.find(1, 3), Ok((13, 7)));
        assert_eq!(space.find(1, 12), Ok((37, 3)));
        assert_eq!(space.find(1, 15), Err(u64::MAX));
        assert_eq!(space.find(3, 0), Err(u64::MAX));
    }

    #[test]
    fn what_is_mapped_anew_shows_nothing_else() {
        let mut space = space(&[view(10, 20, 1, 0), view(30, 40, 1, 0)]);
        space.map(12, 14, 3);
        space.unmap(32, 33);
        assert_eq!(space.alike(30, 40), [(10, 12), (14, 20)]);
        let all = view(10, 20, 1, 0);
        assert_eq!(other_parts(&space, &all), [(12, 14)]);
        let moved = view(10, 20, 1, 5);
        assert_eq!(other_parts(&space, &moved), [(10, 20)]);
    }
}
