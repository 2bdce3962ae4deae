//! A dump: what is kept of the run goes into a file. It happens beside the
//! subject, which goes on or has ended.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reprise_process_events::{Event, KIND, PROCESSES, Process, Start, VERSION, wire};
use reprise_recording::{
    Closing, CutShort, Ending, Failure, Finished, Manifest, NotRecorded, StreamInfo, WriteError,
    Writer,
};

use crate::build_ids;
use crate::draft::Draft;
use crate::host;
use crate::log::{Beginning, Contents, Whose};
use crate::session::Ended;
use crate::shadow::Shadow;

/// The last moments of a process up to now.
pub(crate) struct Snapshot {
    pub(crate) whose: Whose,
    /// How it ended, if it did.
    pub(crate) ended: Option<Ended>,
    pub(crate) segment: u32,
    /// The number of the first event behind the start.
    pub(crate) first: u64,
    pub(crate) began: Instant,
    pub(crate) start: Arc<Start>,
    pub(crate) shadow: Arc<Shadow>,
    pub(crate) events: Vec<Arc<Vec<u8>>>,
    pub(crate) contents: Vec<Arc<Contents>>,
    /// Where its memory was kept again, in order.
    pub(crate) later: Vec<Beginning>,
    pub(crate) cut_short: Option<CutShort>,
}

/// Why a recording is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The subject has ended, in a way that is worth keeping.
    Ended,
    /// It has written something that is a failure, and goes on.
    Wrote,
    /// A process that it made was killed by a signal that means a failure, and
    /// it goes on itself.
    Crashed,
    /// Somebody asked for it, and the subject goes on.
    Asked,
}

/// What a recording does without, since a pause is not found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// The time before it, or the most of that.
    Before,
    /// The time between the last event and now.
    Behind,
}

/// Something to be written.
pub struct Dump {
    pub(crate) why: Why,
    pub(crate) manifest: Manifest,
    /// The process that is meant where nobody says which is the first.
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) ending: Ending,
    pub(crate) failure: Option<Failure>,
    /// The process that failed.
    pub(crate) failed: Option<u32>,
    pub(crate) not_recorded: Vec<NotRecorded>,
    pub(crate) cut_short: Option<CutShort>,
}

/// A finished recording.
#[derive(Debug)]
pub struct Recorded {
    /// How it ended, and what is not in it.
    pub closing: Closing,
    /// How long it is.
    pub finished: Finished,
}

impl Dump {
    /// Why it is written.
    #[must_use]
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// How far it reaches back.
    #[must_use]
    pub fn reach(&self) -> Duration {
        let reaches = self.snapshots.iter().map(|one| one.began.elapsed());
        reaches.max().unwrap_or_default()
    }

    /// Writes all but the memory into a file, which must be empty.
    pub fn draft(self, file: File) -> Result<Draft, WriteError> {
        let closing = Closing {
            ending: self.ending.clone(),
            failure: self.failure.clone(),
            ended: host::now(),
            cut_short: self.cut_short.clone(),
            not_recorded: self.not_recorded.clone(),
        };
        Draft::new(file, self.manifest(), self.snapshots, closing)
    }

    /// What the recording says of itself, with all processes that are in it.
    fn manifest(&self) -> Manifest {
        let mut manifest = self.manifest.clone();
        let mut processes = Vec::new();
        for one in &self.snapshots {
            let read = |address, into: &mut [u8]| one.shadow.read(address, into);
            let build_ids = build_ids::all(&one.start.regions, read);
            manifest.build_ids.extend(build_ids);
            processes.push(Process {
                process: one.whose.process,
                parent: one.whose.parent,
                program: one.whose.name.clone(),
                exited: match one.ended {
                    Some(Ended::Exited(status)) => Some(status),
                    _ => None,
                },
                killed: match one.ended {
                    Some(Ended::Killed(signal)) => Some(signal),
                    _ => None,
                },
                failed: self.failed == Some(one.whose.process),
            });
        }
        // Those that know nothing of families look for what they know.
        if let (Ok(processes), Some(details)) = (
            serde_json::to_value(processes),
            manifest.details.as_object_mut(),
        ) {
            details.insert(PROCESSES.to_owned(), processes);
        }
        manifest
    }
}

impl Snapshot {
    /// A pause is not found again. Forgets something, so that it may be, or need not be:
    /// what was before the last place in the same computation at which memory was kept;
    /// or the pause, if it is the last event; or what was before it, or before the next
    /// such place. `None` if nothing helps.
    pub(crate) fn do_without(&mut self, pause: u64) -> Option<Without> {
        let is_before = |one: &Beginning| one.first == pause && one.shadow.is_there();
        let is_behind = |one: &Beginning| one.first > pause && one.shadow.is_there();
        let before = self.later.iter().rposition(is_before);
        if before.is_none() && self.forget_last(pause) {
            return Some(Without::Behind);
        }
        let found = before.or_else(|| self.later.iter().position(is_behind))?;
        self.later.drain(..found);
        let from = self.later.remove(0);
        let gone = from.first - self.first;
        self.keep_events(|index| index >= gone);
        self.segment = from.segment;
        self.first = from.first;
        self.began = from.began;
        self.start = from.start;
        self.shadow = from.shadow;
        Some(Without::Before)
    }

    /// Forgets a pause, if it is the last event.
    fn forget_last(&mut self, pause: u64) -> bool {
        let count = self.each_event().count() as u64;
        if count == 0 || self.first + count - 1 != pause {
            return false;
        }
        self.keep_events(|index| index + 1 < count);
        self.later.retain(|one| one.first <= pause);
        true
    }

    /// Keeps some of the events, by how many are before them.
    fn keep_events(&mut self, which: impl Fn(u64) -> bool) {
        let mut kept = Vec::new();
        for (_, event) in (0..).zip(self.each_event()).filter(|(at, _)| which(*at)) {
            kept.extend((event.len() as u32).to_le_bytes());
            kept.extend(event);
        }
        self.events = vec![Arc::new(kept)];
    }

    /// The bytes of each event.
    fn each_event(&self) -> impl Iterator<Item = &[u8]> {
        self.events.iter().flat_map(|piece| {
            let mut rest = &piece[..];
            std::iter::from_fn(move || {
                let (len, after) = rest.split_first_chunk()?;
                let len = u32::from_le_bytes(*len) as usize;
                let (event, after) = after.split_at_checked(len).unwrap_or((after, &[]));
                rest = after;
                Some(event)
            })
        })
    }

    /// Writes all but the memory.
    pub(crate) fn write(&self, writer: &Writer) -> Result<(), WriteError> {
        let mut stream = writer.stream(&StreamInfo {
            process: self.whose.process,
            thread: u64::from(self.whose.process),
            kind: KIND.to_owned(),
            version: VERSION,
            name: self.whose.name.clone(),
            ..StreamInfo::default()
        })?;
        stream.segment(self.segment)?;
        // The start has the number before that of the first event: it is where
        // the event before has led to.
        stream.skip_to(self.first - 1)?;
        let mut bytes = Vec::new();
        wire::write(&Event::Start(Start::clone(&self.start)), &mut bytes);
        stream.append(&bytes)?;
        for event in self.each_event() {
            stream.append(event)?;
        }
        stream.flush()
    }
}
