//! The drainer: from the rings into the recording.
//!
//! Trusts nothing: what the subject wrote is copied out of the spool first and
//! looked at afterwards, and the drainer's own positions are its own variables.
//! A ring is released only up to what the recording holds, so that a drainer
//! may be killed between any two instructions.

use super::{
    create::Spool,
    known::Ring,
    layout::{control, header, state},
    map::{SharedMap, sleep},
    take::Extent,
};
use crate::{
    manifest::{Closing, CutShort, NotRecorded},
    stream::{StreamId, StreamInfo},
    writer::{Finished, WriteError, Writer},
};
use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

/// How many rings stand ready for new threads.
const SPARE_RINGS: u32 = 4;
/// What waits in a ring for so long is drained, however little it is.
const FLUSH_AFTER: Duration = Duration::from_millis(500);
/// How many different things the closing manifest names; the rest is counted.
const MAX_NOTES: usize = 1000;

/// Copies events from a spool into a recording.
pub struct Drainer {
    pub(super) spool: Spool,
    pub(super) writer: Writer,
    pub(super) rings: Vec<Ring>,
    pub(super) buffer: Vec<u8>,
    not_recorded: BTreeMap<(String, String), u64>,
    /// How many threads had waited for a ring, and how many in vain, when
    /// rings were last freed.
    pub(super) wanted: [u32; 2],
    /// Streams that a recorder declared and was killed before it could write
    /// down which ring they are for. Only a recovery has any.
    pub(super) orphans: Vec<(StreamId, StreamInfo)>,
    /// Where each ring ended when the recording did.
    pub(super) ends: Option<Vec<u64>>,
    /// Something has cut the spool off: nothing in it counts any more.
    cut_off: bool,
    flushed: Instant,
}

impl Drainer {
    /// Starts draining `spool` into `writer`.
    pub fn new(spool: Spool, writer: Writer) -> io::Result<Self> {
        spool.prepare(SPARE_RINGS)?;
        Ok(Self::over(spool, writer))
    }

    /// Drains what a spool holds whose recording has ended: nobody claims a
    /// ring any more, and on a full disk there would be no room for one.
    pub(crate) fn after_the_end(spool: Spool, writer: Writer) -> Self {
        let drainer = Self::over(spool, writer);
        drainer.end_spool();
        drainer
    }

    fn over(spool: Spool, writer: Writer) -> Self {
        let rings = (0..spool.layout.rings).map(|_| Ring::default()).collect();
        Self {
            spool,
            writer,
            rings,
            buffer: Vec::new(),
            not_recorded: BTreeMap::new(),
            wanted: [0; 2],
            orphans: Vec::new(),
            ends: None,
            cut_off: false,
            flushed: Instant::now(),
        }
    }

    /// Where the subject finds the spool.
    #[must_use]
    pub fn spool_path(&self) -> &std::path::Path {
        self.spool.path()
    }

    /// The sign of life for writers that wait.
    #[must_use]
    pub fn pulse(&self) -> Pulse {
        Pulse(self.spool.controls.clone())
    }

    /// Drains what is worth it; call it every few milliseconds. True when
    /// there was something that a writer may have waited for.
    pub fn poll(&mut self) -> Result<bool, WriteError> {
        self.check_length();
        self.pulse().beat();
        let extent = if self.flushed.elapsed() >= FLUSH_AFTER {
            self.flushed = Instant::now();
            Extent::All
        } else {
            Extent::Batches
        };
        match self.spool.prepare(SPARE_RINGS) {
            Ok(0) => self.recycle(),
            Ok(_) => {}
            Err(_) => self.note("new threads", "no room for their rings in the spool", 1),
        }
        self.drain_all(extent)
    }

    /// Drains until `done` says so, and then once more, completely.
    pub fn run(&mut self, mut done: impl FnMut() -> bool) -> Result<(), WriteError> {
        self.watch(|_| done())
    }

    /// The same for a `done` that looks at what was drained.
    pub fn watch(&mut self, mut done: impl FnMut(&Self) -> bool) -> Result<(), WriteError> {
        const SHORTEST: Duration = Duration::from_micros(200);
        const LONGEST: Duration = Duration::from_millis(10);
        let mut pause = SHORTEST;
        while !done(self) {
            if self.poll()? {
                pause = SHORTEST;
            } else {
                sleep(pause);
                pause = (pause * 2).min(LONGEST);
            }
        }
        self.drain_all(Extent::All).map(|_| ())
    }

    /// How many events the recording has so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.writer.events()
    }

    /// Whether somebody has [asked](super::ask_to_stop) for the end.
    #[must_use]
    pub fn stop_wanted(&self) -> bool {
        let stop = self.spool.controls.u32(header::STOP as u64);
        stop.load(Ordering::Acquire) != 0
    }

    /// Begins a segment: writers enter it where they can.
    pub fn begin_segment(&self, segment: u32) {
        let at = header::SEGMENT as u64;
        self.spool
            .controls
            .u64(at)
            .store(segment.into(), Ordering::Release);
    }

    /// Something that could not be recorded, for the closing manifest.
    pub fn note(&mut self, what: &str, why: &str, count: u64) {
        let mut key = (what.to_owned(), why.to_owned());
        if self.not_recorded.len() >= MAX_NOTES && !self.not_recorded.contains_key(&key) {
            key = ("other things".to_owned(), "too many to name".to_owned());
        }
        let noted = self.not_recorded.entry(key).or_default();
        *noted = noted.saturating_add(count);
    }

    /// Ends the recording with what is complete now; the subject goes on.
    pub fn cut_short(&mut self, why: CutShort) {
        // An error here has ended the recording already, and says why.
        let _ = self.end();
        self.writer.cut_short(why);
    }

    /// Appends what is left, writes the closing manifest and removes the spool.
    pub fn finish(mut self, closing: Closing) -> Result<Finished, WriteError> {
        // An error here has ended the recording; the closing manifest says so.
        let _ = self.end();
        self.close(closing)
    }

    /// The same for a recording whose recorder has died. The spool stays if
    /// there is no room for what it holds: there may be some later.
    pub(crate) fn complete(mut self, closing: Closing) -> Result<Finished, WriteError> {
        self.end()?;
        self.close(closing)
    }

    /// Takes what is there at this moment. What comes later is not recorded, whatever else
    /// has to be waited for before the recording can be finished.
    pub fn end(&mut self) -> Result<(), WriteError> {
        self.check_length();
        self.end_spool();
        let is_first = self.ends.is_none();
        if is_first {
            self.ends = Some(self.heads());
        }
        let mut drained = self.drain_all(Extent::All).map(|_| ());
        if is_first && drained.is_ok() {
            drained = self.last_words();
        }
        let dumped = self.dump();
        drained.and(dumped)
    }

    /// How far the rings are, all at one moment: what one thread has seen of another must not
    /// be there without the other's part. With threads that never pause there may be no such
    /// moment, and the latest is as good as any.
    fn heads(&self) -> Vec<u64> {
        const TRIES: usize = 1000;
        let read = || {
            let rings = 0..self.spool.layout.rings;
            rings.map(|ring| self.control_u64(ring, control::HEAD))
        };
        let mut heads: Vec<u64> = read().collect();
        for _ in 0..TRIES {
            let again: Vec<u64> = read().collect();
            if again == heads {
                break;
            }
            heads = again;
        }
        heads
    }

    fn close(mut self, mut closing: Closing) -> Result<Finished, WriteError> {
        if self.spool_state() == state::DRAINER_SILENT {
            closing.cut_short.get_or_insert(CutShort::RecorderSilent);
        }
        for ring in 0..self.spool.layout.rings {
            let control = self.spool.layout.control_at(ring);
            let discarded = self.spool.controls.u64(control + control::DISCARDED as u64);
            let count = discarded.load(Ordering::Acquire);
            if count > 0 {
                self.note("events", "they came after the recording had ended", count);
            }
        }
        let turned_away = self.spool.controls.u32(header::TURNED_AWAY as u64);
        let count = turned_away.load(Ordering::Acquire);
        if count > 0 {
            self.note("threads", "no ring was free for them", count.into());
        }
        self.rings.clear();
        for ((what, why), count) in std::mem::take(&mut self.not_recorded) {
            let mut said = closing.not_recorded.iter_mut();
            // By a recorder that was killed before it could remove the spool.
            match said.find(|note| note.what == what && note.why == why) {
                Some(note) => note.count = note.count.max(count),
                None => closing.not_recorded.push(NotRecorded { what, why, count }),
            }
        }
        let finished = self.writer.finish(closing)?;
        // What cannot be removed is found, drained and empty, by the next
        // command that opens the recording.
        let _ = self.spool.remove();
        Ok(finished)
    }

    fn spool_state(&self) -> u32 {
        let at = header::STATE as u64;
        self.spool.controls.u32(at).load(Ordering::Acquire)
    }

    fn end_spool(&self) {
        let at = header::STATE as u64;
        let _ = self.spool.controls.u32(at).compare_exchange(
            state::RECORDING,
            state::ENDED,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    /// Somebody has cut the spool's file off: what is in the rings is gone, and
    /// whoever stores into them would be killed by it. They get their bytes
    /// back, and the recording ends.
    pub(super) fn check_length(&mut self) {
        if self.cut_off || self.spool.is_whole() {
            return;
        }
        self.cut_off = true;
        self.spool.restore();
        self.end_spool();
        self.writer.cut_short(CutShort::WriteFailed {
            error: "something has cut off the file in which events wait".to_owned(),
        });
    }

    fn drain_all(&mut self, extent: Extent) -> Result<bool, WriteError> {
        self.check_length();
        if self.cut_off {
            return Err(WriteError::Ended);
        }
        let mut progress = false;
        for ring in 0..self.spool.layout.rings {
            match self.drain(ring, extent) {
                Ok(some) => progress |= some,
                Err(error) => {
                    self.end_spool();
                    return Err(error);
                }
            }
        }
        Ok(progress)
    }
}

/// Shows waiting writers that there is a drainer. A recorder beats it from a
/// thread of its own: a drainer that waits for a slow disk is not dead.
#[derive(Clone)]
pub struct Pulse(Arc<SharedMap>);

impl Pulse {
    /// How often it should be beaten.
    pub const INTERVAL: Duration = Duration::from_millis(20);

    /// A sign of life.
    pub fn beat(&self) {
        if !self.0.is_whole() {
            return;
        }
        let field = self.0.u64(header::HEARTBEAT as u64);
        field.fetch_add(1, Ordering::Relaxed);
    }
}
