//! The segments of a log: how they grow, and which are given up.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reprise_process_events::Start;
use reprise_recording::{CutShort, NotRecorded};

use super::{Beginning, Bounds, Contents, Joint, Whose};
use crate::memory;
use crate::purse::Share;
use crate::session::Ended;
use crate::shadow::Shadow;

/// Events are kept in pieces of this length, which a dump shares.
const PIECE: usize = 256 << 10;

/// Too little memory must not make the subject do nothing but begin segments,
/// nor a short interval: a segment lasts at least so many times as long as it
/// took to begin it.
pub(super) const SHORTEST: Duration = Duration::from_millis(20);
pub(super) const SHARE: u32 = 10;

/// Where the system gives no process for a shadow, it is asked again after so long: an
/// attempt takes as long as a hundred calls.
pub(super) const REFUSED: Duration = Duration::from_millis(100);

/// The same for measuring memory.
const MEASURING: u32 = 50;

/// The most segments that need not be; each is a process.
const SEGMENTS: usize = 32;

/// The most segments in all.
const MOST: usize = 192;

/// A stretch of the run that can be played from its start.
pub(super) struct Segment {
    pub(super) number: u32,
    pub(super) began: Instant,
    /// The number of its first event.
    pub(super) first: u64,
    pub(super) start: Arc<Start>,
    pub(super) shadow: Arc<Shadow>,
    pub(super) events: Vec<Arc<Vec<u8>>>,
    pub(super) contents: Vec<Arc<Contents>>,
    /// If it begins at a pause, its shadow is needed to find that.
    pub(super) joint: Joint,
    /// How many bytes it holds, its shadow not counted.
    pub(super) len: u64,
}

/// What is known of a run.
pub(super) struct Kept {
    pub(super) whose: Whose,
    pub(super) bounds: Bounds,
    pub(super) share: Share,
    /// How the process ended or, if it runs on unrecorded, that; and when.
    pub(super) ended: Option<(Option<Ended>, Instant)>,
    pub(super) segments: VecDeque<Segment>,
    /// Nothing goes in any more.
    pub(super) closed: Option<CutShort>,
    pub(super) next_event: u64,
    pub(super) next_segment: u32,
    pub(super) next_content: u32,
    /// What the shadows took when that was last measured.
    pub(super) shadows: u64,
    pub(super) measured: Instant,
    pub(super) measuring: Duration,
    /// How long it took to begin the last segment, and when that was.
    pub(super) took: Duration,
    pub(super) begun: Option<Instant>,
    /// When the system last gave no shadow.
    pub(super) refused: Option<Instant>,
    pub(super) bytes: Vec<u8>,
    pub(super) not_recorded: Vec<NotRecorded>,
}

impl Segment {
    /// Where it begins.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning {
            segment: self.number,
            first: self.first,
            began: self.began,
            start: self.start.clone(),
            shadow: self.shadow.clone(),
            joint: self.joint,
        }
    }

    pub(super) fn append(&mut self, event: &[u8]) {
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
    pub(super) fn can_begin(&self) -> bool {
        let shortest = SHORTEST.max(self.took * SHARE);
        self.begun.is_none_or(|begun| begun.elapsed() >= shortest)
    }

    pub(super) fn len(&self) -> u64 {
        let segments: u64 = self.segments.iter().map(|segment| segment.len).sum();
        segments + self.shadows
    }

    pub(super) fn measure(&mut self, at_most_every: Duration) {
        if self.measured.elapsed() < at_most_every.max(MEASURING * self.measuring) {
            return;
        }
        self.measure_now();
    }

    pub(super) fn measure_now(&mut self) {
        let before = Instant::now();
        let shadows = self.segments.iter().map(|segment| segment.shadow.pid());
        self.shadows = memory::taken_by(self.whose.process, shadows);
        self.measured = Instant::now();
        self.measuring = self.measured - before;
        self.settle();
    }

    pub(super) fn settle(&mut self) {
        let len = self.len();
        self.share.take(len);
    }

    /// Drops segments that are not needed to reach back as far as wanted.
    pub(super) fn drop_old(&mut self) {
        let reaches = |segment: &Segment| segment.began.elapsed() >= self.bounds.last;
        while self.segments.get(1).is_some_and(reaches) {
            self.segments.pop_front();
        }
        self.measure(Duration::ZERO);
        self.drop_for_memory();
    }

    /// Drops the oldest segments, but for the last, until memory suffices.
    pub(super) fn drop_for_memory(&mut self) {
        self.settle();
        while self.segments.len() > 1 && self.share.is_too_much() {
            self.segments.pop_front();
            self.measure_now();
        }
    }

    /// There must not be too many segments, of any kind.
    pub(super) fn limit(&mut self) {
        self.merge(SEGMENTS);
        while self.segments.len() > MOST {
            self.segments.pop_front();
        }
    }

    /// Makes one of two neighbours while there are too many of those that need not
    /// be, of those that are shortest together. The first and the last stay, unless
    /// only one is to be left.
    pub(super) fn merge(&mut self, most: usize) {
        loop {
            let segments = &self.segments;
            let needed = (1..segments.len()).filter(|at| self.is_needed(*at)).count();
            if segments.len() - needed.min(segments.len()) <= most {
                return;
            }
            let last = segments.len() - 1;
            let len = |first: usize| {
                let end = segments.get(first + 2).map(|s| s.began);
                end.unwrap_or_else(Instant::now) - segments[first].began
            };
            let can = |first: &usize| {
                let second = first + 1;
                !self.is_needed(second) && (second < last || most == 1)
            };
            let shortest = (0..last).filter(can).min_by_key(|first| len(*first));
            let Some(first) = shortest else { return };
            self.unite(first);
        }
    }

    /// Whether a pause is found by where this segment begins: it is there, or it is the
    /// last place from which to look for one.
    fn is_needed(&self, at: usize) -> bool {
        let joint = |at: usize| self.segments.get(at).map(|segment| segment.joint);
        match joint(at) {
            Some(Joint::Paused) => true,
            Some(Joint::Midway) => joint(at + 1) == Some(Joint::Paused),
            _ => false,
        }
    }

    /// Makes one of a segment and the next.
    pub(super) fn unite(&mut self, first: usize) {
        if let Some(second) = self.segments.remove(first + 1)
            && let Some(first) = self.segments.get_mut(first)
        {
            first.events.extend(second.events);
            first.contents.extend(second.contents);
            first.len += second.len - second.shadow.len();
        }
    }
}
