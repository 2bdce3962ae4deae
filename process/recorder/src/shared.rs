//! What the processes of a subject have in common: where their logs go, who wants
//! what of them, and whose turn it is.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use reprise_recording::{Ending, Failure};
use reprise_tracee::Waiter;

use crate::archive::Archive;
use crate::asking::Known;
use crate::attach::Loans;
use crate::contents::Which;
use crate::dump::{Dump, Why};
use crate::dumper::Dumper;
use crate::files::Files;
use crate::followed::Followed;
use crate::log::Brought;
use crate::mirror::Mirrors;
use crate::spawn::FOR_SUBJECT;
use crate::token::Token;

/// The most processes that are recorded at a time; more run unrecorded.
const MEMBERS: usize = 256;

/// When so many processes are made in such a time, most of them will become
/// other programs at once, and their memory until then is not worth keeping.
const STORM: usize = 20;
const STORM_TIME: Duration = Duration::from_secs(1);

/// What others want of a recorder. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Orders(Arc<Inner>);

#[derive(Default)]
struct Inner {
    stopped: AtomicBool,
    /// Those who want all that is kept up to now; and whether there are any.
    dumps: Mutex<Vec<Sender<Option<Dump>>>>,
    asked: AtomicBool,
    /// Who follows the subject.
    follower: OnceLock<Waiter>,
}

impl Orders {
    /// The recording shall end.
    pub(crate) fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
        self.wake();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// This thread follows the subject.
    pub(crate) fn are_followed_by(&self, follower: Waiter) {
        let _ = self.0.follower.set(follower);
    }

    /// Asks who follows the subject for all that is kept up to now.
    pub(crate) fn ask_for_dump(&self) -> Receiver<Option<Dump>> {
        let (answer, dump) = channel();
        let mut dumps = self.0.dumps.lock().unwrap_or_else(PoisonError::into_inner);
        dumps.push(answer);
        self.0.asked.store(true, Ordering::Release);
        self.wake();
        dump
    }

    /// Has who follows the subject look up: it sleeps until a process has something to
    /// tell, or waits for one.
    fn wake(&self) {
        let _ = kill(Pid::this(), Signal::SIGCHLD);
        if let Some(follower) = self.0.follower.get() {
            follower.nudge();
        }
    }

    /// Whether somebody wants something.
    pub(crate) fn is_anything_wanted(&self) -> bool {
        self.0.asked.load(Ordering::Relaxed) || self.is_stopped()
    }

    /// Those who have asked.
    pub(crate) fn asked_for_dump(&self) -> Vec<Sender<Option<Dump>>> {
        if !self.0.asked.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        let mut dumps = self.0.dumps.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *dumps)
    }

    /// Stops when somebody tells this process to end. To be called while there is
    /// one thread.
    pub(crate) fn stop_at_signals(&self) {
        let mut signals = SigSet::empty();
        for signal in FOR_SUBJECT.into_iter().chain([Signal::SIGINT]) {
            signals.add(signal);
        }
        if signals.thread_block().is_err() {
            return;
        }
        let orders = self.clone();
        std::thread::spawn(move || {
            while let Ok(signal) = signals.wait() {
                if ![Signal::SIGUSR1, Signal::SIGUSR2].contains(&signal) {
                    orders.stop();
                }
            }
        });
    }
}

/// What the processes have in common.
pub(crate) struct Shared {
    pub(crate) archive: Archive,
    pub(crate) orders: Orders,
    /// Whether an end that is no failure is worth keeping.
    pub(crate) keep_all: bool,
    /// Whether the program is told of a processor that many have.
    pub(crate) portable: bool,
    pub(crate) dumper: Dumper,
    pub(crate) dumps: Cell<u32>,
    /// When the last dump was made whose reason may come again.
    pub(crate) dumped: Cell<Option<Instant>>,
    pub(crate) last: Duration,
    /// How many processes there are.
    pub(crate) members: Cell<usize>,
    /// When the last ones were made.
    pub(crate) births: RefCell<VecDeque<Instant>>,
    /// The first process has ended.
    pub(crate) leaving: Cell<bool>,
    /// Who runs, of those that share memory.
    pub(crate) token: Token,
    /// What is in that memory, where it is much.
    pub(crate) mirrors: RefCell<Mirrors>,
    /// Files that are in memory.
    pub(crate) files: RefCell<Files>,
    /// Who of those that share it had the token last. What it has written may not be
    /// known yet.
    pub(crate) writer: RefCell<Option<Rc<Followed>>>,
    /// How often it was another one.
    pub(crate) handovers: Cell<u64>,
    /// What files have brought in, that others may map, too.
    pub(crate) brought: RefCell<HashMap<Which, Arc<Brought>>>,
    /// Where files have instructions that ask the processor.
    pub(crate) asking: RefCell<Known>,
    /// Those into whose memory another one has written.
    pub(crate) disturbed: RefCell<HashSet<u32>>,
    /// What was taken from a program that ran before.
    pub(crate) loans: Option<RefCell<Loans>>,
    /// Why that is recorded no more.
    pub(crate) let_go: Cell<Option<String>>,
    /// What was worth keeping of it has been written.
    pub(crate) written: Cell<bool>,
}

impl Shared {
    /// Has the last moments of all written down; false if there are none.
    pub(crate) fn dump(
        &self,
        why: Why,
        ending: Ending,
        failure: Option<Failure>,
        failed: Option<u32>,
    ) -> bool {
        let Some(dump) = self.archive.dump(why, ending, failure, failed) else {
            return false;
        };
        self.dumps.set(self.dumps.get() + 1);
        self.dumper.write(dump);
        true
    }

    /// Something has failed, and the subject goes on. What repeats itself is
    /// written down once in the time that is kept.
    pub(crate) fn failed(&self, why: Why, failure: Failure, process: u32) {
        let recently = |last: Instant| last.elapsed() < self.last;
        if self.orders.is_stopped() || self.dumped.get().is_some_and(recently) {
            return;
        }
        self.dumped.set(Some(Instant::now()));
        self.dump(why, Ending::Running, Some(failure), Some(process));
    }

    /// A process has written into another's memory.
    pub(crate) fn wrote_into(&self, process: u64, by: Pid) {
        let Ok(process) = u32::try_from(process) else {
            return;
        };
        if process != by.as_raw().cast_unsigned() {
            self.disturbed.borrow_mut().insert(process);
        }
    }

    /// Whether somebody has written into this one's memory since the last time.
    pub(crate) fn was_disturbed(&self, process: Pid) -> bool {
        let mut disturbed = self.disturbed.borrow_mut();
        !disturbed.is_empty() && disturbed.remove(&process.as_raw().cast_unsigned())
    }

    /// What a process has written to shared memory is known, or cannot be known any
    /// more. Returns whether it was the one who had the token last.
    pub(crate) fn forget_last(&self, process: Pid) -> Option<Rc<Followed>> {
        let mut last = self.writer.borrow_mut();
        last.take_if(|last| last.is_of(process))
    }

    /// A process shares no memory with the others any more.
    pub(crate) fn shares_no_more(&self, process: Pid) {
        let mirrors = &mut *self.mirrors.borrow_mut();
        if let Some(last) = self.forget_last(process) {
            last.is_lost(mirrors);
        }
        mirrors.maps(process, &BTreeSet::new());
        self.files.borrow_mut().forget(process);
    }

    /// Whether the subject ran before it was recorded.
    pub(crate) fn is_attached(&self) -> bool {
        self.loans.is_some()
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.get()
    }

    /// Whether there are several processes.
    pub(crate) fn has_others(&self) -> bool {
        self.members.get() > 1
    }

    /// Whether there is room for another process.
    pub(crate) fn has_room(&self) -> bool {
        self.members.get() < MEMBERS && !self.is_leaving() && !self.orders.is_stopped()
    }

    /// A process was made; whether so many were that its memory is not worth
    /// keeping before it has lived for a while.
    pub(crate) fn is_storm(&self) -> bool {
        let mut births = self.births.borrow_mut();
        births.push_back(Instant::now());
        births.retain(|birth| birth.elapsed() < STORM_TIME);
        births.len() > STORM
    }
}
