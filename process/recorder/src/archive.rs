//! The logs of all processes of the subject: those that run, and those that have
//! ended a short while ago.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::unistd::Pid;
use reprise_recording::{CutShort, Ending, Failure, Manifest, NotRecorded};

use crate::dump::{Dump, Why};
use crate::log::{Bounds, Log, Whose};
use crate::notes::Notes;
use crate::purse::Purse;

/// The most logs of processes that have ended; each has a process that holds its
/// memory.
const ENDED: usize = 64;

/// All logs. Clones share them.
#[derive(Clone)]
pub(crate) struct Archive(Arc<Mutex<Logs>>);

struct Logs {
    manifest: Manifest,
    bounds: Bounds,
    purse: Purse,
    /// In the order in which the processes began; those that have nothing in
    /// their logs and have ended are gone.
    logs: Vec<Log>,
    /// What is not recorded, and belongs to no log that is kept.
    not_recorded: Vec<NotRecorded>,
    /// The number of the first process.
    first: u32,
}

/// How the archive is, for people.
pub(crate) struct State {
    pub(crate) subject: u32,
    pub(crate) program: String,
    /// How many processes are being recorded.
    pub(crate) processes: usize,
    pub(crate) reach: Duration,
    pub(crate) segments: usize,
    /// The longest that it took to begin the last segment of a process.
    pub(crate) took: Duration,
    pub(crate) events: u64,
    pub(crate) memory: u64,
    pub(crate) allowed: u64,
}

impl Archive {
    pub(crate) fn new(manifest: Manifest, first: u32, bounds: Bounds, memory: u64) -> Self {
        Self(Arc::new(Mutex::new(Logs {
            manifest,
            bounds,
            purse: Purse::new(memory),
            logs: Vec::new(),
            not_recorded: Vec::new(),
            first,
        })))
    }

    fn logs(&self) -> MutexGuard<'_, Logs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory that all of it may take.
    pub(crate) fn purse(&self) -> Purse {
        self.logs().purse.clone()
    }

    /// A log for a process.
    pub(crate) fn open(&self, whose: Whose) -> Log {
        let logs = &mut *self.logs();
        // A number that comes again means another process.
        logs.forget(|log| log.process() == whose.process);
        let log = Log::new(whose, logs.bounds, &logs.purse);
        logs.logs.push(log.clone());
        log
    }

    /// Something that no log knows of was not recorded.
    pub(crate) fn note(&self, what: &str, why: &str) {
        let logs = &mut *self.logs();
        add(&mut logs.not_recorded, what, why, 1);
    }

    /// Drops what is too old or too much, of processes that have ended first.
    pub(crate) fn tidy(&self) {
        let logs = &mut *self.logs();
        let last = logs.bounds.last;
        let is_old = |log: &Log, when: Instant| log.is_empty() || when.elapsed() > last;
        logs.forget(|log| log.when_ended().is_some_and(|when| is_old(log, when)));
        let mut ended: Vec<u32> = logs.ended().collect();
        ended.reverse();
        while let Some(oldest) = ended.pop() {
            if ended.len() < ENDED && !logs.purse.is_overdrawn() {
                break;
            }
            logs.forget(|log| log.process() == oldest);
        }
        if logs.purse.is_overdrawn() {
            logs.logs.iter().for_each(Log::shrink);
        }
    }

    /// Gives up what is kept of processes that have ended and whose shadows have become
    /// children of this one.
    pub(crate) fn give_up_orphans(&self, process: Pid) {
        let logs = &mut *self.logs();
        let mut given_up = 0;
        logs.forget(|log| {
            let is_orphan = log.when_ended().is_some() && log.has_shadow_with(process);
            if is_orphan {
                log.clear();
                given_up += 1;
            }
            is_orphan
        });
        if given_up > 0 {
            let why =
                "what was kept of it would be a child of the process that looks after orphans";
            add(
                &mut logs.not_recorded,
                "a process that has ended",
                why,
                given_up,
            );
        }
    }

    /// Drops all that is kept.
    pub(crate) fn clear(&self) {
        let logs = &mut *self.logs();
        logs.logs.iter().for_each(Log::clear);
        logs.logs.clear();
    }

    /// Everything that is kept, to be written; `None` if there is nothing.
    /// `failed` is the process that failed.
    pub(crate) fn dump(
        &self,
        why: Why,
        ending: Ending,
        failure: Option<Failure>,
        failed: Option<u32>,
    ) -> Option<Dump> {
        let logs = &*self.logs();
        let mut snapshots: Vec<_> = logs.logs.iter().filter_map(Log::snapshot).collect();
        // Where nobody says which process is meant, it is this one.
        if let Some(failed) = failed {
            snapshots.sort_by_key(|snapshot| snapshot.whose.process != failed);
        }
        let has = |process| snapshots.iter().any(|one| one.whose.process == process);
        if snapshots.is_empty() || failed.is_some_and(|failed| !has(failed)) {
            return None;
        }
        let is_meant = |process| failed.unwrap_or(logs.first) == process;
        let mut notes = Notes::default();
        for log in &logs.logs {
            let who = log.who();
            for NotRecorded { what, why, count } in log.notes() {
                notes.add(&who, &what, &why, count);
            }
            if let Some(CutShort::Stopped { by }) = log.closed()
                && !is_meant(log.process())
            {
                notes.add(&who, "the rest of its run", &by, 1);
            }
        }
        let mut not_recorded = logs.not_recorded.clone();
        not_recorded.extend(notes.told(snapshots.len() > 1));
        let meant = snapshots.iter().find(|s| is_meant(s.whose.process));
        Some(Dump {
            why,
            manifest: logs.manifest.clone(),
            cut_short: meant.and_then(|snapshot| snapshot.cut_short.clone()),
            snapshots,
            ending,
            failure,
            failed,
            not_recorded,
        })
    }

    /// The same because somebody asked.
    pub(crate) fn dump_as_it_runs(&self) -> Option<Dump> {
        self.dump(Why::Asked, Ending::Running, None, None)
    }

    /// How it is.
    pub(crate) fn state(&self) -> State {
        let logs = &*self.logs();
        let mut state = State {
            subject: logs.first,
            program: logs.manifest.subject.clone(),
            processes: 0,
            reach: Duration::ZERO,
            segments: 0,
            took: Duration::ZERO,
            events: 0,
            memory: 0,
            allowed: logs.purse.allowed(),
        };
        for log in &logs.logs {
            let one = log.state();
            if !one.closed && log.when_ended().is_none() {
                state.processes += 1;
            }
            state.reach = state.reach.max(one.reach);
            state.segments += one.segments;
            state.took = state.took.max(log.took());
            state.events += one.events;
            state.memory += one.memory;
        }
        state.memory += logs.purse.common();
        state
    }
}

impl Logs {
    fn ended(&self) -> impl Iterator<Item = u32> {
        let ended = self.logs.iter().filter(|log| log.when_ended().is_some());
        ended.map(Log::process)
    }

    fn forget(&mut self, mut which: impl FnMut(&Log) -> bool) {
        let first = self.first;
        self.logs
            .retain(|log| log.process() == first || !which(log));
    }
}

fn add(notes: &mut Vec<NotRecorded>, what: &str, why: &str, count: u64) {
    let mut known = notes.iter_mut();
    match known.find(|note| note.what == what && note.why == why) {
        Some(note) => note.count += count,
        None => notes.push(NotRecorded {
            what: what.to_owned(),
            why: why.to_owned(),
            count,
        }),
    }
}
