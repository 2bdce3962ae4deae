//! What a thread that runs freely has written down.
//!
//! Integers of four bytes, in the order of the machine. The highest four bits say what it
//! is, the others are a number:
//!
//! ```text
//! 0            nothing more
//! 1  place     the thread comes to a place
//! 2  place     the same, and cannot be made to stop there
//! 3  place     it blocks there; 0 is park, 1 is wait, others are two more than their place
//! 4  0|1       it goes on; 1 because its time ran out
//! 5            it ends
//! 6  thread    its last step comes after another thread's step, in the next two, low first
//! 7  n         it came to the last place n times more
//! 8  kind      it read a value, which is in the next two, low first
//! 9  type      it read the identity hash in the next one, of an object of that type
//! 10 thread    as 6, if threads need not wait for one another then
//! 11           it needs a monitor of the JDK, whose owner has called the program back
//! 12           it waits for something outside
//! ```
//!
//! 6 to 10 are no steps. All others are, numbered from 1; each time it came to a place is one.
//! The highest number of a place is wherever a thread may have to wait for something outside, the
//! one below it wherever it begins with a task of a pool.

use std::collections::BTreeSet;
use std::fmt;

use crate::thread::ThreadId;

/// What one thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its name by descent.
    pub thread: ThreadId,
    /// What others call it.
    pub number: u32,
    pub(super) steps: Vec<Step>,
    /// What it read that is another value in every run.
    pub values: Vec<Value>,
    /// What its beginning follows.
    start: Vec<Follows>,
}

/// An order: this comes after a step of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follows {
    /// The other thread.
    pub thread: u32,
    /// Its step.
    pub step: u64,
    /// Whether the order is given up before others.
    pub soft: bool,
}

/// The number of all places where a thread may have to wait for something outside.
pub(super) const OUTSIDE: u32 = 0x0fff_ffff;

/// The number of all places where a thread begins with a task of a pool.
pub(super) const TASK: u32 = 0x0fff_fffe;

/// What kinds of values are called in the file beside a schedule; the scheduler's `Values` has
/// the same.
const KINDS: [&str; 13] = [
    "", "drawn ", "time ", "read ", "seed ", "bytes ", "clock ", "instant ", "found ", "number ",
    "cleared ", "polled ", "emptied ",
];

/// Something that is another value in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number that the program read, or that the JDK read in its place.
    Number {
        /// What it is called.
        kind: &'static str,
        /// The number.
        value: i64,
    },
    /// An identity hash, and a number for what the object is told by.
    Hash {
        /// The number.
        of: u32,
        /// The hash.
        hash: u32,
    },
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { kind, value } => write!(out, "{kind}{value}"),
            Self::Hash { of, hash } => write!(out, "hash {of} {hash}"),
        }
    }
}

/// A step, or many of the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number, from 1.
    pub first: u64,
    /// How many.
    pub times: u64,
    /// What it is.
    pub did: Did,
    /// The threads that it follows, and which of their steps.
    pub follows: Vec<Follows>,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// It comes to a place.
    Comes {
        /// Which.
        place: u32,
        /// Whether it can be made to stop there.
        stops: bool,
    },
    /// It blocks.
    Blocks(Blocks),
    /// It goes on.
    Resumes {
        /// Because its time ran out.
        late: bool,
    },
    /// It ends.
    Exits,
}

/// Where a thread blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// In `park`, in code that the program has not called.
    Parks,
    /// In `wait`, likewise.
    Waits,
    /// At a monitor of the JDK that another thread has.
    Monitor,
    /// For something outside.
    Outside,
    /// In a call at that place.
    At(u32),
}

impl Step {
    /// The number of the last of them.
    pub(super) fn last(&self) -> u64 {
        self.first + self.times - 1
    }

    /// Whether the thread can be made to stop there.
    fn stops(&self) -> bool {
        match self.did {
            Did::Comes { stops, .. } => stops,
            Did::Blocks(_) | Did::Exits => true,
            Did::Resumes { .. } => false,
        }
    }
}

impl Trace {
    /// Reads what a thread has written, up to where it makes no sense any more.
    pub fn read(thread: ThreadId, number: u32, bytes: &[u8]) -> Self {
        let mut trace = Self {
            thread,
            number,
            steps: Vec::new(),
            values: Vec::new(),
            start: Vec::new(),
        };
        let mut words = bytes.chunks_exact(4).map(|word| {
            word.iter()
                .rev()
                .fold(0_u32, |sum, b| sum << 8 | u32::from(*b))
        });
        while let Some(word) = words.next() {
            let number = word & 0x0fff_ffff;
            let did = match word >> 28 {
                1 | 2 => Did::Comes {
                    place: number,
                    stops: word >> 28 == 1,
                },
                3 => Did::Blocks(match number {
                    0 => Blocks::Parks,
                    1 => Blocks::Waits,
                    place => Blocks::At(place - 2),
                }),
                4 => Did::Resumes { late: number == 1 },
                5 => Did::Exits,
                11 => Did::Blocks(Blocks::Monitor),
                12 => Did::Blocks(Blocks::Outside),
                6 | 8 | 10 => {
                    let (Some(low), Some(high)) = (words.next(), words.next()) else {
                        break;
                    };
                    let step = u64::from(high) << 32 | u64::from(low);
                    if word >> 28 == 8 {
                        let kind = usize::try_from(number).ok();
                        let kind = kind.and_then(|kind| KINDS.get(kind)).copied();
                        trace.values.push(Value::Number {
                            kind: kind.unwrap_or_default(),
                            value: step.cast_signed(),
                        });
                        continue;
                    }
                    let follows = Follows {
                        thread: number,
                        step,
                        soft: word >> 28 == 10,
                    };
                    match trace.steps.last_mut() {
                        Some(last) => last.follows.push(follows),
                        None => trace.start.push(follows),
                    }
                    continue;
                }
                9 => {
                    let Some(hash) = words.next() else { break };
                    trace.values.push(Value::Hash { of: number, hash });
                    continue;
                }
                7 => {
                    match trace.steps.last_mut() {
                        Some(last) if matches!(last.did, Did::Comes { .. }) => {
                            last.times += u64::from(number);
                        }
                        _ => break,
                    }
                    continue;
                }
                _ => break,
            };
            trace.push(did);
        }
        trace
    }

    fn push(&mut self, did: Did) {
        let first = self.steps.last().map_or(0, Step::last) + 1;
        self.steps.push(Step {
            first,
            times: 1,
            did,
            follows: Vec::new(),
        });
    }

    /// The step of that number; none for 0.
    pub(super) fn at(&self, number: u64) -> Option<&Step> {
        self.steps.get(self.index(number)?)
    }

    fn index(&self, number: u64) -> Option<usize> {
        let behind = self.steps.partition_point(|step| step.first <= number);
        behind.checked_sub(1)
    }

    /// The steps at which it stops in any case.
    pub(super) fn needed(&self) -> BTreeSet<u64> {
        let steps = self.steps.iter();
        let needed = steps.filter(|step| matches!(step.did, Did::Blocks(_) | Did::Exits));
        needed.map(|step| step.first).collect()
    }

    /// Where it met others: its step, and what that follows.
    pub(super) fn meetings(&self) -> impl Iterator<Item = (u64, Follows)> {
        let start = self.start.iter().map(|follows| (0, *follows));
        let steps = self.steps.iter().flat_map(|step| {
            let follows = step.follows.iter();
            follows.map(|follows| (step.last(), *follows))
        });
        start.chain(steps)
    }

    /// Where it stops when it has done a step: there if it has blocked, or at its next place.
    pub(super) fn sends_at(&self, number: u64) -> Option<u64> {
        if let Some(step) = self.at(number) {
            if matches!(step.did, Did::Blocks(_) | Did::Exits) {
                return Some(number);
            }
            if number < step.last() && step.stops() {
                return Some(number + 1);
            }
        }
        let next = self.index(number).map_or(0, |index| index + 1);
        let mut steps = self.steps.iter().skip(next);
        steps.find(|step| step.stops()).map(|step| step.first)
    }

    /// Where it waits before a step.
    pub(super) fn waits_at(&self, number: u64) -> u64 {
        let Some(index) = self.index(number) else {
            return 0;
        };
        let before = self.steps.iter().take(index + 1).rev();
        let mut before = before.filter(|step| step.stops());
        before.next().map_or(0, |step| step.last().min(number))
    }

    /// Whether its time runs out where it blocks.
    pub(super) fn is_late(&self, number: u64) -> bool {
        let next = self
            .index(number)
            .and_then(|index| self.steps.get(index + 1));
        next.is_some_and(|step| step.did == Did::Resumes { late: true })
    }

    /// Whether it is blocked in the end.
    pub(super) fn is_blocked(&self) -> bool {
        let last = self.steps.last();
        last.is_some_and(|step| matches!(step.did, Did::Blocks(_)))
    }

    /// Whether it neither is nor has ended.
    pub(super) fn is_running(&self) -> bool {
        !self.is_blocked() && self.steps.last().is_none_or(|step| step.did != Did::Exits)
    }
}
