//! The last moments of a process, in memory: segments, each with a shadow and the
//! events since. The oldest are dropped.
//!
//! ```text
//!   segment 7             segment 8             segment 9
//!   shadow, state         shadow, state         shadow, state
//!   events 901 902 903    events 904 905 906    events 907 908 …
//! ```
//! A segment goes on where the one before it ended, so a recording needs the
//! memory of the oldest segment only, and the events of all. Where the subject
//! was stopped between two events, or became another program, that is not so,
//! and everything before is dropped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reprise_process_events::{Event, FIRST_CONTENT, OMITTED, PAGE, Start, wire};
use reprise_recording::{CutShort, NotRecorded};

use crate::dump::Snapshot;
use crate::memory;
use crate::purse::{Purse, Share};
use crate::session::Ended;
use crate::shadow::Shadow;

/// Events are kept in pieces of this length, which a dump shares.
const PIECE: usize = 256 << 10;

/// Too little memory must not make the subject do nothing but begin segments,
/// nor a short interval: a segment lasts at least so many times as long as it
/// took to begin it.
const SHORTEST: Duration = Duration::from_millis(20);
const SHARE: u32 = 10;

/// The same for measuring memory.
const MEASURING: u32 = 50;

/// The most segments; each is a process.
const SEGMENTS: usize = 32;

/// A page as the page maps take it.
pub(crate) type Page = [u8; PAGE as usize];

/// The pages that a mapped file brought in, by the number of their page map.
pub(crate) struct Contents {
    pub(crate) number: u32,
    pub(crate) pages: Vec<(u64, Box<Page>)>,
}

/// A stretch of the run that can be played from its start.
struct Segment {
    number: u32,
    began: Instant,
    /// The number of its first event.
    first: u64,
    start: Arc<Start>,
    shadow: Arc<Shadow>,
    events: Vec<Arc<Vec<u8>>>,
    contents: Vec<Arc<Contents>>,
    /// How many bytes it holds, its shadow not counted.
    len: u64,
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) last: Duration,
    pub(crate) interval: Duration,
}

/// Whose log it is.
#[derive(Clone, Debug)]
pub(crate) struct Whose {
    pub(crate) process: u32,
    /// The process that made it; the recorder for the first.
    pub(crate) parent: u32,
    /// Its program.
    pub(crate) name: String,
}

/// What is known of the run. Clones share it.
#[derive(Clone)]
pub(crate) struct Log(Arc<Mutex<Kept>>);

struct Kept {
    whose: Whose,
    bounds: Bounds,
    share: Share,
    /// How the process ended or, if it runs on unrecorded, that; and when.
    ended: Option<(Option<Ended>, Instant)>,
    segments: VecDeque<Segment>,
    /// Nothing goes in any more.
    closed: Option<CutShort>,
    next_event: u64,
    next_segment: u32,
    next_content: u32,
    /// What the shadows took when that was last measured.
    shadows: u64,
    measured: Instant,
    measuring: Duration,
    /// How long it took to begin the last segment, and when that was.
    took: Duration,
    begun: Option<Instant>,
    bytes: Vec<u8>,
    not_recorded: Vec<NotRecorded>,
}

impl Log {
    pub(crate) fn new(whose: Whose, bounds: Bounds, purse: &Purse) -> Self {
        Self(Arc::new(Mutex::new(Kept {
            whose,
            bounds,
            share: purse.share(),
            ended: None,
            segments: VecDeque::new(),
            closed: None,
            next_event: 1,
            next_segment: 0,
            next_content: 0,
            shadows: 0,
            measured: Instant::now(),
            measuring: Duration::ZERO,
            took: Duration::ZERO,
            begun: None,
            bytes: Vec::new(),
            not_recorded: Vec::new(),
        })))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn append(&self, event: &Event) {
        let kept = &mut *self.kept();
        kept.next_event += 1;
        let Some(segment) = kept.segments.back_mut() else {
            return;
        };
        kept.bytes.clear();
        wire::write(event, &mut kept.bytes);
        segment.append(&kept.bytes);
    }

    /// Whether it is time for a new segment: the last one is long enough, or
    /// what is kept takes too much memory.
    pub(crate) fn is_due(&self) -> bool {
        let kept = &mut *self.kept();
        let Some(segment) = kept.segments.back() else {
            return kept.can_begin();
        };
        let long = segment.began.elapsed();
        if long < SHARE * kept.took {
            return false;
        }
        if long >= kept.bounds.interval {
            return true;
        }
        kept.measure(kept.bounds.interval / 2);
        kept.drop_for_memory();
        kept.share.is_too_much() && long >= SHORTEST
    }

    /// Begins a segment, which took so long. Unless it follows the last event,
    /// what was before is of no use any more.
    pub(crate) fn begin(&self, start: Start, shadow: Shadow, follows: bool, took: Duration) {
        let kept = &mut *self.kept();
        kept.took = took;
        kept.begun = Some(Instant::now());
        if !follows {
            kept.segments.clear();
        }
        let len = shadow.len();
        kept.segments.push_back(Segment {
            number: kept.next_segment,
            began: Instant::now(),
            first: kept.next_event,
            start: Arc::new(start),
            shadow: Arc::new(shadow),
            events: Vec::new(),
            contents: Vec::new(),
            len,
        });
        kept.next_segment += 1;
        kept.drop_old();
        kept.merge(SEGMENTS);
    }

    /// How long it took to begin the last segment.
    pub(crate) fn took(&self) -> Duration {
        self.kept().took
    }

    /// Whether the last segment began long enough ago for another.
    pub(crate) fn can_begin(&self) -> bool {
        self.kept().can_begin()
    }

    /// Drops everything: a segment should begin and cannot.
    pub(crate) fn clear(&self) {
        let kept = &mut *self.kept();
        kept.segments.clear();
        kept.share.take(0);
    }

    /// The process has another program now.
    pub(crate) fn rename(&self, name: String) {
        self.kept().whose.name = name;
    }

    pub(crate) fn name(&self) -> String {
        self.kept().whose.name.clone()
    }

    /// The first segment does not begin before a while has passed.
    pub(crate) fn put_off(&self) {
        self.kept().begun = Some(Instant::now());
    }

    pub(crate) fn process(&self) -> u32 {
        self.kept().whose.process
    }

    /// The process and its program, for people.
    pub(crate) fn who(&self) -> String {
        let kept = &*self.kept();
        format!("process {} ({})", kept.whose.process, kept.whose.name)
    }

    /// The process has ended, or is recorded no more. What is kept needs one
    /// shadow from here on.
    pub(crate) fn ended(&self, how: Option<Ended>) {
        let kept = &mut *self.kept();
        kept.ended = Some((how, Instant::now()));
        kept.merge(1);
        kept.measure_now();
    }

    /// When it ended.
    pub(crate) fn when_ended(&self) -> Option<Instant> {
        self.kept().ended.map(|(_, when)| when)
    }

    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept().segments.is_empty()
    }

    /// Gives up what has to be given up, whatever the process does.
    pub(crate) fn shrink(&self) {
        let kept = &mut *self.kept();
        kept.measure(kept.bounds.interval / 2);
        kept.drop_for_memory();
    }

    /// Keeps what a mapped file brought in, and returns its number.
    pub(crate) fn content(&self, pages: Vec<(u64, Box<Page>)>) -> u32 {
        let kept = &mut *self.kept();
        let number = FIRST_CONTENT + kept.next_content;
        kept.next_content = (kept.next_content + 1) % OMITTED;
        if let Some(segment) = kept.segments.back_mut() {
            segment.len += (pages.len() * size_of::<Page>()) as u64;
            segment.contents.push(Arc::new(Contents { number, pages }));
        }
        number
    }

    /// Remembers what is not recorded.
    pub(crate) fn note(&self, what: impl Into<String>, why: impl Into<String>) {
        let (what, why) = (what.into(), why.into());
        let kept = &mut *self.kept();
        let mut notes = kept.not_recorded.iter_mut();
        match notes.find(|note| note.what == what && note.why == why) {
            Some(note) => note.count += 1,
            None => kept.not_recorded.push(NotRecorded {
                what,
                why,
                count: 1,
            }),
        }
    }

    /// What is not recorded.
    pub(crate) fn notes(&self) -> Vec<NotRecorded> {
        self.kept().not_recorded.clone()
    }

    /// Why nothing more is recorded.
    pub(crate) fn closed(&self) -> Option<CutShort> {
        self.kept().closed.clone()
    }

    /// How it is.
    pub(crate) fn state(&self) -> State {
        let kept = &*self.kept();
        let first = kept.segments.front();
        State {
            closed: kept.closed.is_some(),
            reach: first.map_or(Duration::ZERO, |first| first.began.elapsed()),
            segments: kept.segments.len(),
            events: kept.next_event - first.map_or(kept.next_event, |first| first.first),
            memory: kept.len(),
        }
    }

    /// Nothing more is recorded, for this reason.
    pub(crate) fn cut_short(&self, why: CutShort) {
        self.kept().closed.get_or_insert(why);
    }

    /// What is there now, from the oldest segment on whose memory is there.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        let kept = &mut *self.kept();
        let segments = &kept.segments;
        let oldest = segments.iter().position(|s| s.shadow.is_there())?;
        let segments: Vec<&Segment> = segments.iter().skip(oldest).collect();
        let from = segments.first()?;
        Some(Snapshot {
            whose: kept.whose.clone(),
            ended: kept.ended.and_then(|(how, _)| how),
            segment: from.number,
            first: from.first,
            began: from.began,
            start: from.start.clone(),
            shadow: from.shadow.clone(),
            events: segments.iter().flat_map(|s| s.events.clone()).collect(),
            contents: segments.iter().flat_map(|s| s.contents.clone()).collect(),
            cut_short: kept.closed.clone(),
        })
    }
}

/// How a log is, for people.
pub(crate) struct State {
    pub(crate) closed: bool,
    pub(crate) reach: Duration,
    pub(crate) segments: usize,
    pub(crate) events: u64,
    pub(crate) memory: u64,
}

impl Segment {
    fn append(&mut self, event: &[u8]) {
        let len = u32::try_from(event.len()).unwrap_or(u32::MAX);
        let whole = self.events.last().is_none_or(|piece| piece.len() >= PIECE);
        if whole {
            self.events.push(Arc::default());
        }
        if let Some(piece) = self.events.last_mut() {
            // A dump that is being written has the old piece.
            let piece = Arc::make_mut(piece);
            piece.extend(len.to_le_bytes());
            piece.extend(event);
        }
        self.len += u64::from(len) + 4;
    }
}

impl Kept {
    fn can_begin(&self) -> bool {
        let shortest = SHORTEST.max(self.took * SHARE);
        self.begun.is_none_or(|begun| begun.elapsed() >= shortest)
    }

    fn len(&self) -> u64 {
        let segments: u64 = self.segments.iter().map(|segment| segment.len).sum();
        segments + self.shadows
    }

    fn measure(&mut self, at_most_every: Duration) {
        if self.measured.elapsed() < at_most_every.max(MEASURING * self.measuring) {
            return;
        }
        self.measure_now();
    }

    fn measure_now(&mut self) {
        let before = Instant::now();
        let shadows = self.segments.iter().map(|segment| segment.shadow.pid());
        self.shadows = memory::taken_by(self.whose.process, shadows);
        self.measured = Instant::now();
        self.measuring = self.measured - before;
        self.settle();
    }

    fn settle(&mut self) {
        let len = self.len();
        self.share.take(len);
    }

    /// Drops segments that are not needed to reach back as far as wanted.
    fn drop_old(&mut self) {
        let reaches = |segment: &Segment| segment.began.elapsed() >= self.bounds.last;
        while self.segments.get(1).is_some_and(reaches) {
            self.segments.pop_front();
        }
        self.measure(Duration::ZERO);
        self.drop_for_memory();
    }

    /// Drops the oldest segments, but for the last, until memory suffices.
    fn drop_for_memory(&mut self) {
        self.settle();
        while self.segments.len() > 1 && self.share.is_too_much() {
            self.segments.pop_front();
            self.measure_now();
        }
    }

    /// Makes one of two neighbours while there are too many, of those that are
    /// shortest together.
    fn merge(&mut self, most: usize) {
        while self.segments.len() > most.max(2) {
            let began: Vec<Instant> = self.segments.iter().map(|segment| segment.began).collect();
            let pairs = began.windows(3).enumerate();
            let shortest = pairs.min_by_key(|(_, began)| began[2] - began[0]);
            let Some((first, _)) = shortest else { return };
            self.unite(first);
        }
        if most == 1 && self.segments.len() == 2 {
            self.unite(0);
        }
    }

    /// Makes one of a segment and the next.
    fn unite(&mut self, first: usize) {
        if let Some(second) = self.segments.remove(first + 1)
            && let Some(first) = self.segments.get_mut(first)
        {
            first.events.extend(second.events);
            first.contents.extend(second.contents);
            first.len += second.len - second.shadow.len();
        }
    }
}
