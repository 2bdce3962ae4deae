//! Memory that processes of the subject share. Of those that do, one runs its
//! program at a time: it takes a token when a system call has ended and gives it
//! back when it begins the next. What the others have changed meanwhile is
//! written down with the call.
//!
//! Who computes for long while others want the token has to stop; a new segment
//! begins when it goes on, since there is no call to write the changes down with.
//!
//! What has changed is found by comparing all of it, so there is a limit to how much
//! that is: `studies/last-programs` has the figures, and what more would need.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::{Event, PAGE, Write};
use reprise_tracee::{Resume, Stop, Trap};

use crate::cut_off::Stopped;
use crate::log::Joint;
use crate::maps;
use crate::session::{Phase, Session, Trouble};
use crate::turns::{self, PAUSE};

/// The most shared memory that is looked at with each call.
const MOST: u64 = 1 << 20;

/// How long a process may compute while others want the token.
const COMPUTING: Duration = Duration::from_millis(50);

/// Who runs, of the processes that share memory.
#[derive(Default)]
pub(crate) struct Token {
    holder: Cell<Option<(Pid, Instant)>>,
    /// Those that wait for it, in the order in which they came.
    queue: RefCell<VecDeque<Pid>>,
}

impl Token {
    fn take(&self, process: Pid) -> bool {
        if self.is_held_by(process) {
            return true;
        }
        let mut queue = self.queue.borrow_mut();
        let is_next = queue.front().is_none_or(|next| *next == process);
        if self.holder.get().is_none() && is_next {
            queue.pop_front();
            self.holder.set(Some((process, Instant::now())));
            return true;
        }
        if !queue.contains(&process) {
            queue.push_back(process);
        }
        false
    }

    pub(crate) fn is_held_by(&self, process: Pid) -> bool {
        self.holder
            .get()
            .is_some_and(|(holder, _)| holder == process)
    }

    /// The process does not hold it any more, nor want it.
    pub(crate) fn give_back(&self, process: Pid) {
        let mut queue = self.queue.borrow_mut();
        queue.retain(|waiting| *waiting != process);
        if self.is_held_by(process) {
            self.holder.set(None);
        }
        if !queue.is_empty() {
            turns::look_again();
        }
    }

    /// Who has held it for too long.
    pub(crate) fn overdue(&self) -> Option<Pid> {
        let (holder, since) = self.holder.get()?;
        let wanted = !self.queue.borrow().is_empty();
        (wanted && since.elapsed() >= COMPUTING).then_some(holder)
    }
}

/// What a process knows of the memory that it shares.
#[derive(Clone, Default)]
pub(crate) struct Sharing {
    /// From where to where.
    ranges: Vec<(u64, u64)>,
    /// What was there when the token was given back; nothing if nobody else was
    /// there.
    seen: Option<Vec<Vec<u8>>>,
    /// The token has just been taken, and it is not known what has changed.
    is_fresh: bool,
    /// It was stopped in the middle of a computation, and waits for the token.
    parked: bool,
    /// What it was like there has been kept, from before others ran.
    paused: bool,
}

impl Sharing {
    /// What a process has that was just made by this one.
    pub(crate) fn of_child(&self) -> Self {
        Self {
            ranges: self.ranges.clone(),
            ..Self::default()
        }
    }
}

impl Session {
    /// The address space has changed: finds out what is shared.
    pub(crate) fn find_shared(&mut self) -> Result<(), Trouble> {
        const WRITABLE: u32 = libc::PROT_WRITE as u32;
        let mapped = maps::mapped(self.thread.tracee.pid())?;
        let shared = mapped.iter().filter(|mapped| mapped.shared);
        let shared = shared.map(|mapped| &mapped.region);
        let shared = shared.filter(|region| region.protection & WRITABLE != 0);
        let ranges: Vec<(u64, u64)> = shared.map(|region| (region.start, region.end)).collect();
        let len: u64 = ranges.iter().map(|(start, end)| end - start).sum();
        let sharing = &mut self.sharing;
        if len > MOST {
            let why = "it is over 1 MiB, and what other processes change in it is not seen";
            self.log.note("shared memory", why);
            sharing.ranges.clear();
        } else {
            sharing.ranges = ranges;
        }
        sharing.seen = None;
        Ok(())
    }

    /// Whether it has any such memory.
    pub(crate) fn shares_memory(&self) -> bool {
        !self.sharing.ranges.is_empty()
    }

    /// Whether it takes part in handing the token around.
    fn shares(&self) -> bool {
        !self.sharing.ranges.is_empty() && !self.borrows
    }

    /// Whether it does, and there is somebody else.
    pub(crate) fn shares_with_others(&self) -> bool {
        self.shares() && self.shared.has_others()
    }

    /// The thread that ran is in a call; the first look at a call after a signal
    /// cut it off does not count. The token stays here while another
    /// thread is about to run on.
    pub(crate) fn give_token_back(&mut self, made_again: bool) {
        if self.others.is_one_ready() {
            return;
        }
        if !self.shares_with_others() {
            self.sharing.seen = None;
        } else if !made_again || self.sharing.seen.is_none() {
            self.sharing.seen = Some(self.shared_content());
        }
        self.shared.token.give_back(self.process);
    }

    /// The thread that ran is gone, and what it saw last cannot be read any more.
    pub(crate) fn lose_token(&mut self) {
        if !self.others.is_one_ready() {
            self.sharing.seen = None;
            self.shared.token.give_back(self.process);
        }
    }

    /// Whether it may run its program now; if not, it has to be looked at again.
    pub(crate) fn takes_token(&mut self) -> bool {
        if !self.shares() || self.shared.token.is_held_by(self.process) {
            return true;
        }
        if self.shared.token.take(self.process) {
            self.sharing.is_fresh = true;
            return true;
        }
        self.wake = Some(Instant::now() + PAUSE);
        false
    }

    fn shared_content(&self) -> Vec<Vec<u8>> {
        let read = |&(start, end): &(u64, u64)| {
            let len = usize::try_from(end - start).unwrap_or(0);
            // The call may be one that takes it away.
            self.thread.tracee.read_some(start, len)
        };
        self.sharing.ranges.iter().map(read).collect()
    }

    /// What others have changed since the call began. The process has the token.
    pub(crate) fn changed_by_others(&mut self) -> Vec<Write> {
        if !std::mem::take(&mut self.sharing.is_fresh) {
            return Vec::new();
        }
        // Others may have ended meanwhile.
        let had_others = self.sharing.seen.is_some() || self.shared.has_others();
        if !self.shares() || !had_others {
            return Vec::new();
        }
        let now = self.shared_content();
        // Kept: a call that was cut off and is made again has not told anything.
        let before = self.sharing.seen.as_ref();
        let mut writes = Vec::new();
        for (at, ((start, _), now)) in self.sharing.ranges.iter().zip(&now).enumerate() {
            let before = before.and_then(|before| before.get(at));
            let pages = now.chunks(PAGE as usize).enumerate();
            for (page, bytes) in pages {
                let offset = page * PAGE as usize;
                let known = before.and_then(|before| before.get(offset..offset + bytes.len()));
                if let Some((first, end)) = difference(known, bytes) {
                    writes.push(Write {
                        address: start + (offset + first) as u64,
                        bytes: bytes[first..end].to_vec(),
                    });
                }
            }
        }
        writes
    }

    /// It computes while others want the token: it stops where it is.
    pub(crate) fn park(&mut self) -> Result<(), Trouble> {
        let runs = matches!(self.phase, Phase::Recorded) && self.thread.entered.is_none();
        let undisturbed = self.thread.interrupted.is_none() && self.thread.delivery.is_none();
        if !runs || !undisturbed || self.sharing.parked {
            return Ok(());
        }
        match self.stop_program()? {
            Stopped::InProgram if self.thread.waiting.is_empty() => {
                self.found = self.leave_repetition()?;
                if self.found.is_none() {
                    self.pause()?;
                    self.sharing.seen = Some(self.shared_content());
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

/// From where to where two pieces differ; all of it where one is not known.
fn difference(before: Option<&[u8]>, now: &[u8]) -> Option<(usize, usize)> {
    let Some(before) = before else {
        return Some((0, now.len()));
    };
    let differs = |at: &usize| before[*at] != now[*at];
    let first = (0..now.len()).find(differs)?;
    let last = (first..now.len()).rev().find(differs)?;
    Some((first, last + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found() {
        assert_eq!(difference(Some(b"same"), b"same"), None);
        assert_eq!(difference(Some(b"abcdef"), b"abXdYf"), Some((2, 5)));
        assert_eq!(difference(Some(b"abc"), b"abX"), Some((2, 3)));
        assert_eq!(difference(None, b"abc"), Some((0, 3)));
    }

    #[test]
    fn one_holds_the_token_at_a_time() {
        let (one, two) = (Pid::from_raw(1), Pid::from_raw(2));
        let token = Token::default();
        assert!(token.take(one) && token.take(one));
        assert!(!token.take(two));
        assert!(token.is_held_by(one));
        let three = Pid::from_raw(3);
        assert!(!token.take(three));
        token.give_back(one);
        // Who came first is first.
        assert!(!token.take(three) && !token.take(one));
        assert!(token.take(two) && token.overdue().is_none());
        token.give_back(three);
        token.give_back(two);
        assert!(!token.take(two) && token.take(one));
    }
}
