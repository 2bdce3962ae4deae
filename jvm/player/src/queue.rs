//! Events that wait for what came along with them: what is in arrays and in objects that are
//! adopted was written down after them, and others may have come between.

use std::collections::{HashMap, VecDeque};

use crate::script::Step;

/// What came along with an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    /// The number of the last part.
    pub(crate) last: u64,
    pub(crate) count: u32,
}

/// How many events wait for one that is not complete, at most.
const QUEUED: usize = 50_000;

/// Events that are to be handed on, in their order: each is complete only when what
/// came along with it was read.
#[derive(Default)]
pub(crate) struct Queue {
    steps: VecDeque<(Step, Option<Along>)>,
    /// How many were handed on before the first of them.
    gone: usize,
    /// By thread, the place of the event that is not complete.
    open: HashMap<u32, usize>,
    /// By thread, how much is still to come of what came along with an event that is gone.
    left: HashMap<u32, u32>,
}

impl Queue {
    pub(crate) fn add(&mut self, step: Step, along: Option<Along>) {
        if along.is_some() {
            let place = self.gone.saturating_add(self.steps.len());
            self.open.insert(step.thread, place);
        }
        self.left.remove(&step.thread);
        self.steps.push_back((step, along));
    }

    /// Adds what came along with the latest event of a thread.
    pub(crate) fn add_part(&mut self, mut part: Step) {
        let open = self.open.get(&part.thread);
        let at = open.and_then(|place| place.checked_sub(self.gone));
        if let Some((head, along)) = at.and_then(|at| self.steps.get_mut(at)) {
            let (thread, number) = (part.thread, part.number);
            head.arrays.push(part);
            if along.is_none_or(|along| number >= along.last) {
                *along = None;
                self.open.remove(&thread);
            }
            return;
        }
        let left = self.left.get_mut(&part.thread);
        if let Some(left) = left {
            *left = left.saturating_sub(1);
            part.more = *left;
        } else if let Some((head, _)) = self.steps.back_mut()
            && head.thread == part.thread
        {
            head.arrays.push(part);
            return;
        }
        self.steps.push_back((part, None));
    }

    /// The next one that is complete, or that others have waited for long enough. The
    /// last one of all never is, unless there is no more to come.
    pub(crate) fn next(&mut self, ended: bool) -> Option<Step> {
        let (_, along) = self.steps.front()?;
        let waits = along.is_some() && self.steps.len() < QUEUED;
        if !ended && (waits || self.steps.len() < 2) {
            return None;
        }
        let (mut step, along) = self.steps.pop_front()?;
        self.gone = self.gone.saturating_add(1);
        if let Some(along) = along.filter(|_| !ended) {
            let had = u32::try_from(step.arrays.len()).unwrap_or(u32::MAX);
            step.more = along.count.saturating_sub(had);
            self.left.insert(step.thread, step.more);
            self.open.remove(&step.thread);
        }
        Some(step)
    }
}
