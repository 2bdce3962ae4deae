//! The search for few turns.

use std::collections::HashSet;

use super::Order;

/// The widest beam: enough to be optimal on all small cases that were tried.
const WIDEST: usize = 256;

/// How much work a search may be, in steps of one thread.
const WORK: usize = 1 << 26;

/// The most numbers that are kept to know what depends on what.
const CLOCKS: usize = 1 << 26;

/// How wide the beam may be for an order of that size.
pub(super) fn beam(order: &Order) -> usize {
    let pieces: usize = order.threads.iter().map(Vec::len).sum();
    let work = pieces.saturating_mul(order.threads.len()).max(1);
    (WORK / work).clamp(1, WIDEST)
}

/// How many turns each thread needs at least for what is left of it.
pub(super) struct Left {
    /// For each thread and each number of pieces done.
    turns: Vec<Vec<usize>>,
}

impl Left {
    pub(super) fn new(order: &Order, goal: &[usize]) -> Self {
        let own_past = own_past(order, goal);
        let turns = own_past.iter().map(|past| {
            // From the end: one turn leads to the first piece that depends on
            // something the thread does in that turn.
            let mut turns = vec![0; past.len() + 1];
            for at in (0..past.len()).rev() {
                // The past only grows, so the pieces that can be done in a turn
                // that begins at `at` are found by halving.
                let end = at + past[at..].partition_point(|needed| *needed <= at);
                turns[at] = 1 + turns[end.max(at + 1).min(past.len())];
            }
            turns
        });
        Self {
            turns: turns.collect(),
        }
    }

    /// How many more turns the thread needs when that many pieces are done.
    pub(super) fn turns(&self, thread: usize, done: usize) -> usize {
        let row = &self.turns[thread];
        row.get(done).copied().unwrap_or(0)
    }
}

/// For each piece that can be reached: how many pieces of its own thread must be
/// done before others let it begin.
fn own_past(order: &Order, goal: &[usize]) -> Vec<Vec<usize>> {
    let threads = order.threads.len();
    let pieces: usize = goal.iter().sum();
    let mut own: Vec<Vec<usize>> = goal.iter().map(|length| vec![0; *length]).collect();
    if pieces.saturating_mul(threads) > CLOCKS {
        return own;
    }
    // What is in the past of each piece, itself included: pieces per thread.
    let mut clocks: Vec<Vec<Vec<u32>>> = vec![Vec::new(); threads];
    let mut stack: Vec<usize> = (0..threads).collect();
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); threads];
    while let Some(thread) = stack.pop() {
        let before = clocks[thread].len();
        while clocks[thread].len() < goal[thread] {
            let at = clocks[thread].len();
            let needs = &order.threads[thread][at].needs;
            if let Some(missing) = needs
                .iter()
                .find(|need| clocks[need.thread].len() < need.done)
            {
                waiting[missing.thread].push(thread);
                break;
            }
            let mut others = vec![0u32; threads];
            for need in needs {
                if let Some(last) = need.done.checked_sub(1) {
                    join(&mut others, &clocks[need.thread][last]);
                }
            }
            own[thread][at] = others[thread] as usize;
            if at > 0 {
                join(&mut others, &clocks[thread][at - 1]);
                own[thread][at] = own[thread][at].max(own[thread][at - 1]);
            }
            others[thread] = u32::try_from(at + 1).unwrap_or(u32::MAX);
            clocks[thread].push(others);
        }
        if clocks[thread].len() > before {
            stack.append(&mut waiting[thread]);
        }
    }
    own
}

fn join(into: &mut [u32], other: &[u32]) {
    for (a, b) in into.iter_mut().zip(other) {
        *a = (*a).max(*b);
    }
}

/// Where the threads are after some turns.
struct State {
    done: Vec<usize>,
    /// Turns that are left at least.
    left: usize,
    progress: usize,
    hash: u64,
    last: usize,
    /// The turn that led here.
    turn: usize,
}

/// A state that could come next.
struct Candidate {
    from: usize,
    thread: usize,
    done: usize,
    left: usize,
    progress: usize,
    hash: u64,
}

/// A turn, and the one before it.
struct Turn {
    before: usize,
    thread: usize,
}

/// The turns, at most `width` states wide.
pub(super) fn turns(order: &Order, width: usize) -> Vec<usize> {
    if order.threads.is_empty() {
        return Vec::new();
    }
    let goal = order.reachable();
    let left = Left::new(order, &goal);
    let wanted: usize = goal.iter().sum();
    let mut history = vec![Turn {
        before: 0,
        thread: 0,
    }];
    let mut done = vec![0; order.threads.len()];
    done[0] = order.run(0, &done);
    let mut states = vec![State {
        left: (0..done.len())
            .map(|thread| left.turns(thread, done[thread]))
            .sum(),
        progress: done[0],
        hash: mix(0, done[0]),
        last: 0,
        turn: 0,
        done,
    }];
    while states.iter().all(|state| state.progress < wanted) {
        let mut candidates = Vec::new();
        for (from, state) in states.iter().enumerate() {
            for thread in (0..order.threads.len()).filter(|thread| *thread != state.last) {
                let before = state.done[thread];
                let after = order.run(thread, &state.done);
                if after > before {
                    candidates.push(Candidate {
                        from,
                        thread,
                        done: after,
                        left: state.left - left.turns(thread, before) + left.turns(thread, after),
                        progress: state.progress + after - before,
                        hash: (state.hash.wrapping_sub(mix(thread, before)))
                            .wrapping_add(mix(thread, after)),
                    });
                }
            }
        }
        candidates.sort_by_key(|next| (next.left, std::cmp::Reverse(next.progress)));
        let mut seen = HashSet::new();
        candidates.retain(|next| seen.insert(next.hash));
        candidates.truncate(width);
        if candidates.is_empty() {
            break;
        }
        states = candidates
            .iter()
            .map(|next| {
                let from = &states[next.from];
                let mut done = from.done.clone();
                done[next.thread] = next.done;
                history.push(Turn {
                    before: from.turn,
                    thread: next.thread,
                });
                State {
                    done,
                    left: next.left,
                    progress: next.progress,
                    hash: next.hash,
                    last: next.thread,
                    turn: history.len() - 1,
                }
            })
            .collect();
    }
    let best = states.iter().max_by_key(|state| state.progress);
    let mut turns = Vec::new();
    let mut at = best.map_or(0, |state| state.turn);
    while at != 0 {
        turns.push(history[at].thread);
        at = history[at].before;
    }
    turns.push(0);
    turns.reverse();
    turns
}

/// A number that is different for different places of a thread, as far as can
/// be; their sum tells states apart.
fn mix(thread: usize, done: usize) -> u64 {
    let mut x = (thread as u64) << 40 ^ (done as u64);
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
