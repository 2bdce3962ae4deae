//! Copies of the process that wait, to begin from when a replay goes back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nix::libc;
use reprise_recording::Source;
use reprise_tracee::Tracee;

use super::Position;
use crate::PlayError;
use crate::blank::Copied;
use crate::load::check;
use crate::play::Play;
use crate::space::Space;
use crate::threads::Threads;
use crate::views::{Joiner, is_all_resident};

/// How many there may be.
const MOST: usize = 48;

/// How many bytes they may have that they do not share; nothing else is copied as a whole.
const TOOK: u64 = 1 << 30;

/// Room for a list of the pages of a block.
const LIST: u64 = 4096;
const LIST_PROTECTION: u64 = (libc::PROT_READ | libc::PROT_WRITE) as u64;
const LIST_FLAGS: u64 = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;

/// How much time lies between two, unless making one takes long itself.
const BETWEEN: Duration = Duration::from_millis(60);

/// How many times longer than making one it is run in between.
const SHARE: u32 = 20;

struct Checkpoint {
    process: Copied,
    space: Space,
    threads: Threads,
    brk: u64,
    behind: u64,
    /// When it was made; what is close to its neighbours goes first.
    order: u64,
    /// How many bytes it has that others do not share.
    took: u64,
}

/// The checkpoints of a replay.
pub(super) struct Checkpoints {
    all: BTreeMap<Position, Checkpoint>,
    made: u64,
    last: Instant,
    pause: Duration,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self {
            all: BTreeMap::new(),
            made: 0,
            last: Instant::now(),
            pause: BETWEEN,
        }
    }
}

impl Checkpoints {
    /// Whether the replay has run for long enough since the last.
    pub(super) fn are_due(&self) -> bool {
        self.last.elapsed() > self.pause
    }

    /// The last that is not behind a position.
    pub(super) fn before(&self, position: Position) -> Option<Position> {
        let (position, _) = self.all.range(..=position).next_back()?;
        Some(*position)
    }

    /// Asks something of one of those that wait.
    pub(super) fn any<T>(
        &self,
        ask: impl FnOnce(Tracee) -> Result<T, PlayError>,
    ) -> Result<T, PlayError> {
        let (_, checkpoint) = self.all.first_key_value().ok_or(PlayError::Empty)?;
        ask(checkpoint.process.tracee())
    }

    /// Makes one where the process stands.
    pub(super) fn add<S: Source>(
        &mut self,
        position: Position,
        play: &Play<'_, '_, S>,
        behind: u64,
    ) -> Result<(), PlayError> {
        let started = Instant::now();
        if !self.all.contains_key(&position) {
            let copied = Copied::of(play.blank.tracee, behind)
                .and_then(|copy| part(copy, play, &play.space, behind));
            let (process, took) = match copied {
                Ok(copied) => copied,
                Err(error) if self.all.is_empty() => return Err(error),
                Err(_) => {
                    // No room for so many: one less, and more time in between.
                    self.give_up_one(position);
                    self.pause *= 2;
                    self.last = Instant::now();
                    return Ok(());
                }
            };
            self.made += 1;
            let checkpoint = Checkpoint {
                process,
                space: play.space.clone(),
                threads: play.threads.clone(),
                brk: play.brk,
                behind: play.behind,
                order: self.made,
                took,
            };
            self.all.insert(position, checkpoint);
            if self.all.len() > MOST || self.took() > TOOK {
                self.give_up_one(position);
            }
        }
        self.pause = BETWEEN.max(started.elapsed() * SHARE);
        self.last = Instant::now();
        Ok(())
    }

    /// Brings the process to the last that is not behind a position, and returns
    /// where that is.
    pub(super) fn restore<S: Source>(
        &mut self,
        position: Position,
        play: &mut Play<'_, '_, S>,
        behind: u64,
    ) -> Result<Option<Position>, PlayError> {
        let Some((&at, checkpoint)) = self.all.range(..=position).next_back() else {
            return Ok(None);
        };
        let copy = checkpoint.process.again(behind)?;
        let (copy, _) = part(copy, play, &checkpoint.space, behind)?;
        play.blank.become_copy(copy);
        play.space.clone_from(&checkpoint.space);
        play.threads.clone_from(&checkpoint.threads);
        play.brk = checkpoint.brk;
        play.behind = checkpoint.behind;
        play.read_behind(at.event)?;
        self.last = Instant::now();
        Ok(Some(at))
    }

    fn took(&self) -> u64 {
        self.all.values().map(|one| one.took).sum()
    }

    /// Gives up one: neither the first nor the last nor that at `here`, but of
    /// the others the one whose going leaves the smallest hole, by events and
    /// then by instructions.
    fn give_up_one(&mut self, here: Position) {
        if self.all.len() < 3 {
            return;
        }
        let positions: Vec<Position> = self.all.keys().copied().collect();
        let hole = |index: usize| {
            let (before, after) = (positions[index - 1], positions[index + 1]);
            let events = after.event - before.event;
            let count = if events == 0 {
                after.count - before.count
            } else {
                after.count
            };
            // What is far away may have larger holes.
            let distance = positions[index].event.abs_diff(here.event) + 1;
            (events / distance, count)
        };
        let candidates = (1..positions.len() - 1).filter(|&index| positions[index] != here);
        let oldest = |index: &usize| self.all[&positions[*index]].order;
        let going = candidates.min_by_key(|index| (hole(*index), oldest(index)));
        if let Some(going) = going {
            self.all.remove(&positions[going]);
        }
    }
}

/// Gives a copy its own of what it would share with the process that it was made of. Returns
/// how many bytes that takes.
fn part<S: Source>(
    copy: Copied,
    play: &Play<'_, '_, S>,
    space: &Space,
    behind: u64,
) -> Result<(Copied, u64), PlayError> {
    let process = copy.tracee();
    let call = |number, arguments| Ok(process.call_plainly_at(behind, number, arguments)?);
    let mut joiner = Joiner::new(process, &call, play.done, play.blank.memory);
    if !space.is_shown(0, u64::MAX) {
        return Ok((copy, 0));
    }
    let list = [0, LIST, LIST_PROTECTION, LIST_FLAGS, u64::MAX, 0];
    let list = call(libc::SYS_mmap, list)?;
    check(play.done, list)?;
    joiner.list = is_all_resident().then_some(list);
    let took = joiner.part(space)?;
    check(play.done, call(libc::SYS_munmap, [list, LIST, 0, 0, 0, 0])?)?;
    Ok((copy, took))
}
