//! Memory that processes of the subject share. Of those that do, one runs its
//! program at a time: it takes a token when a system call has ended and gives it
//! back when it begins one that waits, or when others have waited for long enough.
//! What the others have changed meanwhile is written down with the call.
//!
//! Who computes for long while others want the token has to stop; a new segment
//! begins when it goes on, since there is no call to write the changes down with.
//!
//! What has changed is found by comparing all of it as long as that is little, and
//! otherwise by asking the kernel who has written where (`followed.rs`).

use std::rc::Rc;

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::{Event, PAGE, Write};
use reprise_tracee::{Resume, Stop, Trap};

use crate::cut_off::Stopped;
use crate::followed::{Followed, Range};
use crate::log::Joint;
use crate::maps::{self, Mapped};
use crate::session::{Session, Trouble};
use crate::turns;
use crate::views::Views;

/// The most shared memory that is compared with each call.
const MOST: u64 = 1 << 20;

/// Pieces that differ are one if so few bytes are between them.
const NEAR: usize = 32;

/// What a process knows of the memory that it shares.
#[derive(Clone, Default)]
pub(crate) struct Sharing {
    /// What is compared, from where to where.
    compared: Vec<(u64, u64)>,
    /// What was there when the token was given back; nothing if nobody else was
    /// there.
    pub(crate) seen: Option<Vec<Vec<u8>>>,
    /// What is too much for that.
    pub(crate) followed: Option<Rc<Followed>>,
    /// Any of its memory is shared, though perhaps nobody writes to it.
    pub(crate) any: bool,
    /// What is at several addresses of it.
    pub(crate) views: Views,
    /// How many mirrors, and how many that somebody writes to, there were when it was
    /// last looked at what is shared.
    pub(crate) looked: (u64, u64),
    /// How often a call had written to files then that are shared.
    pub(crate) calls: u64,
    /// The token has just been taken, and it is not known what has changed.
    pub(crate) is_fresh: bool,
    /// It was stopped in the middle of a computation, and waits for the token.
    parked: bool,
    /// What it was like there has been kept, from before others ran.
    paused: bool,
}

impl Sharing {
    /// What a process has that was just made by this one.
    pub(crate) fn of_child(&self, child: Pid) -> Self {
        let followed = self.followed.as_ref();
        Self {
            compared: self.compared.clone(),
            followed: followed.map(|followed| Rc::new(followed.of_child(child))),
            any: self.any,
            views: self.views.clone(),
            looked: self.looked,
            ..Self::default()
        }
    }
}

/// Why it is looked at what is shared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Something was mapped, which may hold anything.
    Mapped,
    /// Memory was mapped that is zero, from here on.
    New(u64),
    /// The process has just been made, with what its parent had.
    Born,
    /// Others have begun to write to it, of which nothing has been told yet.
    Late,
}

impl Session {
    /// The address space has changed: finds out what is shared.
    pub(crate) fn find_shared(&mut self, look: Look) -> Result<(), Trouble> {
        const WRITABLE: u32 = libc::PROT_WRITE as u32;
        if self.borrows {
            return Ok(());
        }
        let mapped = maps::mapped(self.process)?;
        let shared: Vec<&Mapped> = mapped.iter().filter(|mapped| mapped.shared).collect();
        let behind = self.changed_behind(&mapped);
        let is_writable = |mapped: &Mapped| mapped.region.protection & WRITABLE != 0;
        for mapped in shared.iter().filter(|mapped| is_writable(mapped)) {
            self.shared.files.borrow_mut().is_written(&mapped.object);
        }
        let files = self.shared.files.borrow();
        let is_written = |mapped: &Mapped| files.has_writer(&mapped.object);
        let is_mirrored = |mapped: &Mapped| self.shared.mirrors.borrow().has(&mapped.object);
        let len = |mapped: &Mapped| mapped.region.end - mapped.region.start;
        let all = shared.iter().filter(|mapped| is_written(mapped));
        let all: u64 = all.map(|mapped| len(mapped)).sum();
        let much = all > MOST;
        // What it writes itself at another address would be told as if others had.
        let writable: Vec<Range> = { shared.iter() }
            .filter(|mapped| is_writable(mapped))
            .map(|mapped| Range::of(mapped, true))
            .collect();
        let is_beside = |range: &Range| writable.iter().any(|one| one.overlaps(range));
        let (mut compared, mut followed) = (Vec::new(), Vec::new());
        for mapped in &shared {
            let range = Range::of(mapped, is_writable(mapped));
            let told = is_written(mapped) && (range.is_writable() || !is_beside(&range));
            if is_mirrored(mapped) || (told && much) {
                followed.push(range);
            } else if told {
                compared.push((mapped.region.start, mapped.region.end));
            }
        }
        drop(files);
        compared.extend(&behind);
        self.sharing.any = !shared.is_empty() || !behind.is_empty();
        self.find_views(&mapped);
        self.keep_compared(compared);
        self.follow_shared(followed, look)?;
        self.sharing.looked = self.to_look_at();
        Ok(())
    }

    /// Where it has mapped for itself what another has written to.
    fn changed_behind(&self, mapped: &[Mapped]) -> Vec<(u64, u64)> {
        let files = self.shared.files.borrow();
        let is_one = |mapped: &&Mapped| {
            mapped.file && !mapped.shared && files.changes_behind(&mapped.object)
        };
        let found = mapped.iter().filter(is_one);
        let found: Vec<_> = found
            .map(|one| (one.region.start, one.region.end))
            .collect();
        if found.iter().map(|(start, end)| end - start).sum::<u64>() > MOST {
            let why = "others have written to more than 1 MiB that it has mapped for itself";
            self.log.note("a file in memory", why);
            return Vec::new();
        }
        found
    }

    /// How many mirrors there are, and how much that somebody writes to.
    pub(crate) fn to_look_at(&self) -> (u64, u64) {
        let made = self.shared.mirrors.borrow().made();
        (made, self.shared.files.borrow().changes())
    }

    /// These are compared from here on; what was seen of those that were is still known.
    fn keep_compared(&mut self, compared: Vec<(u64, u64)>) {
        let before = std::mem::replace(&mut self.sharing.compared, compared);
        let Some(mut seen) = self.sharing.seen.take() else {
            return;
        };
        let known = |range: &(u64, u64)| {
            let at = before.iter().position(|one| one == range);
            let seen = at.and_then(|at| seen.get_mut(at));
            seen.map(std::mem::take).unwrap_or_default()
        };
        self.sharing.seen = Some(self.sharing.compared.iter().map(known).collect());
    }

    /// Whether any memory is shared, though perhaps with nobody who writes to it.
    pub(crate) fn maps_shared(&self) -> bool {
        self.sharing.any
    }

    /// Whether it has any such memory.
    pub(crate) fn shares_memory(&self) -> bool {
        !self.sharing.compared.is_empty() || self.sharing.followed.is_some()
    }

    /// Whether it takes part in handing the token around.
    pub(crate) fn shares(&self) -> bool {
        self.shares_memory() && !self.borrows
    }

    /// Whether it does, and there is somebody else, whom it may just have made.
    pub(crate) fn shares_with_others(&self) -> bool {
        self.shares() && (self.shared.has_others() || !self.born.is_empty())
    }

    pub(crate) fn compared_content(&self) -> Vec<Vec<u8>> {
        let read = |&(start, end): &(u64, u64)| {
            let len = usize::try_from(end - start).unwrap_or(0);
            // The call may be one that takes it away.
            self.thread.tracee.read_some(start, len)
        };
        self.sharing.compared.iter().map(read).collect()
    }

    /// What others have changed since the call began. The process has the token.
    pub(crate) fn changed_by_others(&mut self) -> Vec<Write> {
        if !std::mem::take(&mut self.sharing.is_fresh) || !self.shares() {
            return Vec::new();
        }
        let mut writes = self.unseen();
        // Others may have ended meanwhile.
        let had_others = self.sharing.seen.is_some() || self.shared.has_others();
        if !had_others || self.sharing.compared.is_empty() {
            return writes;
        }
        let mut now = self.compared_content();
        self.add_what_is_gone(&mut now);
        // Kept: a call that was cut off and is made again has not told anything.
        let before = self.sharing.seen.as_ref();
        for (at, ((start, _), now)) in self.sharing.compared.iter().zip(&now).enumerate() {
            let before = before.and_then(|before| before.get(at));
            let pages = now.chunks(PAGE as usize).enumerate();
            for (page, bytes) in pages {
                let offset = page * PAGE as usize;
                let known = before.and_then(|before| before.get(offset..offset + bytes.len()));
                writes.extend(differences(start + offset as u64, known, bytes));
            }
        }
        writes
    }

    /// What is behind the end of its file cannot be read, and is zero when it comes back.
    fn add_what_is_gone(&self, contents: &mut [Vec<u8>]) {
        const READABLE: u32 = libc::PROT_READ as u32;
        for (content, (start, end)) in contents.iter_mut().zip(&self.sharing.compared) {
            let read_to = start + content.len() as u64;
            if read_to == *end {
                continue;
            }
            // Or it has been taken away by this very call.
            let all = maps::mapped(self.process).unwrap_or_default();
            let rest = all.iter().find_map(|mapped| mapped.within(read_to, *end));
            let is_gone = |rest: &Mapped| {
                let region = &rest.region;
                rest.file
                    && region.protection & READABLE != 0
                    && (region.start, region.end) == (read_to, *end)
            };
            if rest.is_some_and(|rest| is_gone(&rest)) {
                content.resize(usize::try_from(end - start).unwrap_or(0), 0);
            }
        }
    }

    /// It computes while others want the token: it stops where it is.
    pub(crate) fn park(&mut self) -> Result<(), Trouble> {
        if !self.is_in_program() || self.sharing.parked {
            return Ok(());
        }
        match self.stop_program()? {
            Stopped::InProgram if self.thread.waiting.is_empty() => {
                self.found = self.leave_repetition()?;
                if self.found.is_none() {
                    self.pause()?;
                    self.sharing.seen = Some(self.compared_content());
                    self.sharing.paused = true;
                    self.stand_aside();
                }
            }
            Stopped::InProgram => self.found = Some(Stop::Trap(Trap::Stop(libc::SIGTRAP))),
            Stopped::Elsewhere(stop) => self.found = stop,
        }
        Ok(())
    }

    /// It is stopped and goes on when it has the token.
    pub(crate) fn stand_aside(&mut self) {
        self.sharing.parked = true;
        self.shared.token.give_back(self.process);
    }

    pub(crate) fn is_parked(&self) -> bool {
        self.sharing.parked
    }

    /// It was stopped in the middle of a computation, and goes on if it can.
    pub(crate) fn leave_parking(&mut self) -> Result<(), Trouble> {
        if !self.takes_token() {
            return Ok(());
        }
        self.sharing.parked = false;
        if std::mem::take(&mut self.sharing.paused) {
            let writes = self.changed_by_others();
            if !writes.is_empty() {
                self.log.append(&Event::Changed(writes));
            }
            self.has_told();
        } else {
            // Others may have run before that was noticed.
            self.log.note(
                "the time before",
                "a process was stopped while others that share its memory ran",
            );
            self.begin_segment(self.site, Joint::Apart)?;
        }
        turns::resume(self.thread.tracee, Resume::ToCall, 0)?;
        Ok(())
    }
}

/// What has to be written to make a piece of memory what it is now; all of it where it
/// is not known what it was.
pub(crate) fn differences(address: u64, before: Option<&[u8]>, now: &[u8]) -> Vec<Write> {
    let write = |(first, end): (usize, usize)| Write {
        address: address + first as u64,
        bytes: now[first..end].to_vec(),
    };
    let Some(before) = before else {
        return vec![write((0, now.len()))];
    };
    if before == now {
        return Vec::new();
    }
    let mut parts: Vec<(usize, usize)> = Vec::new();
    // Most of it is the same, which many bytes at once tell sooner.
    for (first, now) in (0..).step_by(NEAR).zip(now.chunks(NEAR)) {
        let before = before.get(first..).unwrap_or_default();
        if before.starts_with(now) {
            continue;
        }
        for (at, byte) in (first..).zip(now) {
            if before.get(at - first) == Some(byte) {
                continue;
            }
            match parts.last_mut() {
                Some((_, end)) if at <= *end + NEAR => *end = at + 1,
                _ => parts.push((at, at + 1)),
            }
        }
    }
    parts.into_iter().map(write).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: Option<&[u8]>, now: &[u8], expected: &[(u64, &[u8])]) {
        let found = differences(1000, before, now);
        let found: Vec<(u64, &[u8])> = { found.iter() }
            .map(|write| (write.address, &write.bytes[..]))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_differs_is_found() {
        check(Some(b"same"), b"same", &[]);
        check(Some(b"abcdef"), b"abXdYf", &[(1002, b"XdY")]);
        check(Some(b"abc"), b"abX", &[(1002, b"X")]);
        check(None, b"abc", &[(1000, b"abc")]);
        let mut far = [0; 100];
        (far[0], far[99]) = (1, 2);
        check(Some(&[0; 100]), &far, &[(1000, &[1]), (1099, &[2])]);
        // It may have become longer.
        check(Some(&[0; 40]), &[0; 42], &[(1040, &[0, 0])]);
    }
}
