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
//! was stopped between two events, its shadow is needed to find that place again.
//! Where it became another program, everything before is dropped.

mod kept;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::unistd::Pid;
use reprise_process_events::{Event, FIRST_CONTENT, OMITTED, PAGE, Start, wire};
use reprise_recording::{CutShort, NotRecorded};

use crate::dump::Snapshot;
use crate::purse::Purse;
use crate::session::Ended;
use crate::shadow::{self, Shadow};

use self::kept::{Kept, REFUSED, SHARE, SHORTEST, Segment};

/// How often in an interval it is looked at a computation, with bounds for how long
/// that is.
const LOOKS: u32 = 4;
const SHORTEST_LOOK: Duration = Duration::from_millis(1);
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// A page as the page maps take it.
pub(crate) type Page = [u8; PAGE as usize];

/// The pages that a mapped file brought in, by the number of their page map.
pub(crate) struct Contents {
    pub(crate) number: u32,
    /// Where it was mapped.
    pub(crate) base: u64,
    pub(crate) pages: Arc<Brought>,
}

/// Pages, by how far they are from the beginning. Processes that map the same
/// have them together.
pub(crate) type Brought = Vec<(u64, Box<Page>)>;

impl Contents {
    /// Where there are pages.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = u64> {
        self.pages.iter().map(|(at, _)| self.base + at)
    }

    pub(crate) fn page(&self, address: u64) -> Option<&Page> {
        let at = address.checked_sub(self.base)?;
        let found = self.pages.binary_search_by_key(&at, |(at, _)| *at);
        found.ok().map(|found| &*self.pages[found].1)
    }
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) last: Duration,
    pub(crate) interval: Duration,
}

impl Bounds {
    /// How long a computation goes on before it is looked at.
    pub(crate) fn between_looks(self) -> Duration {
        (self.interval / LOOKS).clamp(SHORTEST_LOOK, LONGEST_LOOK)
    }
}

/// What a segment has to do with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// It begins right behind that one's last event.
    Follows,
    /// That one's last event is a pause. Where that was is to be found again.
    Paused,
    /// It begins some instructions behind that one's last event, where nothing happens:
    /// a place that matters only if what was before is dropped.
    Midway,
    /// Nothing: what was before is of no use any more.
    Apart,
}

/// The state where a segment begins: at a pause, or between two events.
#[derive(Clone)]
pub(crate) struct Beginning {
    /// The segment's number.
    pub(crate) segment: u32,
    /// The number of the first event behind it; that of a pause is the one before.
    pub(crate) first: u64,
    pub(crate) began: Instant,
    pub(crate) start: Arc<Start>,
    pub(crate) shadow: Arc<Shadow>,
    pub(crate) joint: Joint,
}

impl Beginning {
    /// Whether it is where a pause was.
    pub(crate) fn is_paused(&self) -> bool {
        self.joint == Joint::Paused
    }
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
            refused: None,
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
        if kept.refused.is_some_and(|at| at.elapsed() < REFUSED) {
            return false;
        }
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

    /// How long a computation goes on before it is asked again whether it is time.
    pub(crate) fn between_looks(&self) -> Duration {
        self.kept().bounds.between_looks()
    }

    /// Begins a segment, which took so long.
    pub(crate) fn begin(&self, start: Start, shadow: Shadow, joint: Joint, took: Duration) {
        let kept = &mut *self.kept();
        kept.took = took;
        kept.begun = Some(Instant::now());
        if joint == Joint::Apart {
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
            joint,
            len,
        });
        kept.next_segment += 1;
        kept.drop_old();
        kept.limit();
    }

    /// How long it took to begin the last segment.
    pub(crate) fn took(&self) -> Duration {
        self.kept().took
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

    /// The system has given no shadow.
    pub(crate) fn was_refused(&self) {
        self.kept().refused = Some(Instant::now());
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

    /// Whether one of its shadows is a child of this process.
    pub(crate) fn has_shadow_with(&self, parent: Pid) -> bool {
        let kept = &*self.kept();
        let mut shadows = kept.segments.iter().map(|segment| segment.shadow.pid());
        shadows.any(|shadow| shadow::parent_of(shadow) == Some(parent))
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

    /// Keeps what a mapped file brought in, and returns its number. What others have,
    /// too, takes no memory.
    pub(crate) fn content(&self, base: u64, pages: Arc<Brought>, is_new: bool) -> u32 {
        let kept = &mut *self.kept();
        let number = FIRST_CONTENT + kept.next_content;
        kept.next_content = (kept.next_content + 1) % OMITTED;
        if let Some(segment) = kept.segments.back_mut() {
            if is_new {
                segment.len += (pages.len() * size_of::<Page>()) as u64;
            }
            let contents = Contents {
                number,
                base,
                pages,
            };
            segment.contents.push(Arc::new(contents));
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
            later: segments.iter().skip(1).map(|s| s.beginning()).collect(),
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
