//! Programs that exist only here: threads that access shared elements in a
//! fixed order, a scheduler that interleaves them at random, a bug that needs a
//! certain interleaving, and a replayer that enforces access vectors as the
//! paper's does: an access waits for its turn, and when all threads wait, the
//! vectors clash.

use reprise_coop::log::thread::{Birth, ThreadId, ThreadMap};
use reprise_coop::log::vector::AccessVector;
use reprise_coop::log::{Failure, Outcome, PartialLog, Program, RunId, Spe};

/// A source of random numbers (xorshift64*).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        bits as usize % end
    }

    /// Whether something happens that does so `per_mille` times in a thousand.
    pub(crate) fn happens(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }
}

/// What a synthetic program looks like.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) spes: usize,
    pub(crate) threads: usize,
    /// Accesses per thread.
    pub(crate) accesses: usize,
    /// How often, in a thousand accesses, the scheduler switches by itself.
    pub(crate) switches: usize,
}

/// A program: for each thread the SPEs it accesses, in order, and the bug.
pub(crate) struct Synthetic {
    shape: Shape,
    threads: Vec<Vec<usize>>,
    windows: Vec<Window>,
}

/// The program fails when in each window the intruder's access falls between
/// the two accesses of the victim: an atomicity violation.
struct Window {
    victim: usize,
    from: usize,
    to: usize,
    intruder: usize,
    at: usize,
}

/// What became of a replay.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Replay {
    Failed,
    Passed,
    /// No thread could go on, because of these SPEs.
    Hung(Vec<Spe>),
}

impl Synthetic {
    /// A random program whose bug touches two SPEs.
    pub(crate) fn new(shape: Shape, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut threads: Vec<Vec<usize>> = (0..shape.threads)
            .map(|_| {
                let mut accesses = Vec::new();
                // A program stays with an SPE for a few accesses.
                while accesses.len() < shape.accesses {
                    let spe = dice.below(shape.spes);
                    accesses.extend(std::iter::repeat_n(spe, 1 + dice.below(3)));
                }
                accesses.truncate(shape.accesses);
                accesses
            })
            .collect();
        let (victim, intruder) = (0, 1);
        let mut windows = Vec::new();
        let begin = dice.below(shape.accesses / 2);
        let at = dice.below(shape.accesses / 2);
        for place in 0..2 {
            // The victim accesses both SPEs and then both again.
            let (from, to) = (begin + place, begin + place + 4);
            let at = at + place;
            let spe = (dice.below(shape.spes / 2) * 2 + place) % shape.spes;
            threads[victim][from] = spe;
            threads[victim][to] = spe;
            threads[intruder][at] = spe;
            windows.push(Window {
                victim,
                from,
                to,
                intruder,
                at,
            });
        }
        Self {
            shape,
            threads,
            windows,
        }
    }

    /// Whether an order of (thread, access) fails.
    fn fails(&self, order: &[(usize, usize)]) -> bool {
        let time = |event| order.iter().position(|&other| other == event);
        self.windows.iter().all(|window| {
            let from = time((window.victim, window.from));
            let to = time((window.victim, window.to));
            let at = time((window.intruder, window.at));
            from < at && at < to
        })
    }

    /// One run, as its complete log.
    pub(crate) fn run(&self, run: u64, seed: u64) -> PartialLog {
        let mut dice = Dice::new(seed);
        let mut next = vec![0; self.shape.threads];
        let mut order = Vec::new();
        let mut vectors = vec![AccessVector::default(); self.shape.spes];
        let mut thread = 0;
        loop {
            let can_run: Vec<usize> = (0..next.len())
                .filter(|&thread| next[thread] < self.threads[thread].len())
                .collect();
            if can_run.is_empty() {
                break;
            }
            if !can_run.contains(&thread) || dice.happens(self.shape.switches) {
                thread = can_run[dice.below(can_run.len())];
            }
            let access = next[thread];
            let spe = self.threads[thread][access];
            vectors[spe].push(ThreadId(thread as u32), 1).unwrap();
            order.push((thread, access));
            next[thread] += 1;
        }
        let outcome = if self.fails(&order) {
            Outcome::Failed(Failure {
                what: "AssertionError".to_owned(),
                place: "Synthetic.check:1".to_owned(),
            })
        } else {
            Outcome::Passed
        };
        let mut log = self.log(run, outcome);
        for (spe, vector) in vectors.into_iter().enumerate() {
            log.insert(Spe(spe as u32), vector).unwrap();
        }
        log
    }

    /// What remains of a complete log in a share.
    pub(crate) fn part(&self, complete: &PartialLog, share: &[Spe]) -> PartialLog {
        let run = u64::from_le_bytes(complete.run().0[..8].try_into().unwrap());
        let mut log = self.log(run, complete.outcome().clone());
        for &spe in share {
            let vector = complete.vector(spe).unwrap().clone();
            log.insert(spe, vector).unwrap();
        }
        log
    }

    fn log(&self, run: u64, outcome: Outcome) -> PartialLog {
        let program = Program {
            name: "synthetic".to_owned(),
            version: [0; 16],
            spes: self.shape.spes as u32,
        };
        let mut threads = ThreadMap::default();
        for order in 0..self.shape.threads as u32 {
            let parent = None;
            threads.add(Birth { parent, order }).unwrap();
        }
        let mut id = [0; 16];
        id[..8].copy_from_slice(&run.to_le_bytes());
        PartialLog::new(program, RunId(id), outcome, threads)
    }

    /// Runs the program with the order of each vector enforced. SPEs that the
    /// log lacks run free.
    pub(crate) fn replay(&self, log: &PartialLog) -> Replay {
        let turns = |spe| {
            let vector = log.vector(Spe(spe as u32));
            vector.map(|vector| {
                let path = |thread| log.threads().path(thread).unwrap()[0] as usize;
                vector.iter().map(path).collect::<Vec<usize>>()
            })
        };
        let vectors: Vec<Option<Vec<usize>>> = (0..self.shape.spes).map(turns).collect();
        let mut done = vec![0; self.shape.spes];
        let mut next = vec![0; self.shape.threads];
        let mut order = Vec::new();
        loop {
            // Whose turn it is at the SPE that a thread wants: itself, another
            // thread, or nobody's any more.
            let turn = |thread: usize| {
                let spe = *self.threads[thread].get(next[thread])?;
                let turn = match &vectors[spe] {
                    Some(vector) => vector.get(done[spe]).copied(),
                    None => Some(thread),
                };
                Some((spe, turn))
            };
            let ready = (0..self.shape.threads)
                .find(|&thread| turn(thread).is_some_and(|(_, turn)| turn == Some(thread)));
            if let Some(thread) = ready {
                let spe = self.threads[thread][next[thread]];
                order.push((thread, next[thread]));
                next[thread] += 1;
                done[spe] += 1;
                continue;
            }
            let Some(mut thread) = (0..self.shape.threads).find(|&t| turn(t).is_some()) else {
                let failed = self.fails(&order);
                return if failed {
                    Replay::Failed
                } else {
                    Replay::Passed
                };
            };
            // Each waits for another: follow them until one comes again. What
            // they wait at from there on is why they wait.
            let mut path: Vec<(usize, usize)> = Vec::new();
            loop {
                if let Some(begin) = path.iter().position(|(other, _)| *other == thread) {
                    let clash = path[begin..].iter().map(|(_, spe)| Spe(*spe as u32));
                    return Replay::Hung(clash.collect());
                }
                let Some((spe, turn)) = turn(thread) else {
                    // It is over and cannot take its turn.
                    return Replay::Hung(path.iter().map(|(_, spe)| Spe(*spe as u32)).collect());
                };
                path.push((thread, spe));
                match turn {
                    Some(other) => thread = other,
                    None => return Replay::Hung(vec![Spe(spe as u32)]),
                }
            }
        }
    }
}
