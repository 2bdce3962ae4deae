//! A replay that a person moves through, forwards and backwards.
//!
//! A [`Position`] is an event and a number of instructions behind it. Going back
//! is going forward from a checkpoint, a copy of the process that waits:
//!
//! | question | file |
//! | --- | --- |
//! | what can be done with it? | `mod.rs` |
//! | how does it go forward, and where does it stop? | `forward.rs` |
//! | what happens at an event? | `happen.rs` |
//! | how does it go back? | `back.rs` |
//! | … in one of several threads? | `threads.rs` |
//! | when are checkpoints made, and how many are kept? | `checkpoints.rs` |
//! | how are instructions counted? | `../count` |

mod back;
mod checkpoints;
mod forward;
mod happen;
mod threads;

use std::collections::BTreeSet;

use reprise_process_events::{Ending, Event, Region, State};
use reprise_recording::{Recording, Source};
use reprise_tracee::Watch;

use self::checkpoints::Checkpoints;
use crate::blank::{Blank, Copies};
use crate::count::Counter;
use crate::play::{Play, Wrote};
use crate::source::{self, Segment};
use crate::space::Range;
use crate::survey::Survey;
use crate::{Limits, PlayError, load};

/// A place in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The last event that has happened.
    pub event: u64,
    /// How many instructions have run since.
    pub count: u64,
}

/// Where a debugger wants a replay to stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traps {
    /// At these addresses.
    pub breakpoints: BTreeSet<u64>,
    /// When these places are used; at most [`Watch::MOST`].
    pub watches: Vec<Watch>,
}

/// Why a replay has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It was to go so far and no further.
    Done,
    /// At a breakpoint.
    Breakpoint,
    /// A watched place was used: this one of them. Going forward, it has just
    /// been used; going back, it is about to be.
    Watch(usize),
    /// At the end of the recording, where this signal killed the program.
    Killed(u32),
    /// At the end of the recording.
    End,
    /// At the start of the recording.
    Start,
    /// It was told to.
    Interrupted,
    /// It did something else than recorded, or cannot go on.
    Trouble(String),
}

/// What begins a replay that can be moved through: the segment to play.
pub struct Opened<'r, S> {
    recording: &'r Recording<S>,
    segment: Segment,
}

impl<'r, S: Source> Opened<'r, S> {
    /// Finds what there is to play, of the process that is meant or of another, as
    /// [`play`](crate::play) does.
    pub fn new(recording: &'r Recording<S>, which: Option<u32>) -> Result<Self, PlayError> {
        let segment = source::last_segment(recording, which)?;
        Ok(Self { recording, segment })
    }

    /// What was mapped at the start.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.segment.start.regions
    }

    /// The process's number when it was recorded.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.segment.process
    }
}

/// A replay that can be moved through.
pub struct Session<'r, 'o, S> {
    play: Play<'r, 'o, S>,
    counter: Counter,
    survey: Survey,
    /// The event that comes next.
    due: Option<Event>,
    position: Position,
    first: Position,
    checkpoints: Checkpoints,
    traps: Traps,
    /// What is in the watched places.
    values: Vec<Vec<u8>>,
    /// The end has been compared with that of the run.
    compared: bool,
    /// It has been said that the end is here.
    ended: bool,
    /// The process is somewhere behind the position, nobody knows where: it was
    /// run without counting and did not arrive at an event.
    astray: bool,
}

impl<'r, 'o, S: Source> Session<'r, 'o, S> {
    /// Stands at the start of the segment. What the process writes is handed to
    /// `output` the first time that the replay comes by.
    pub fn new(
        opened: &'r Opened<'r, S>,
        limits: &Limits,
        output: &'o mut dyn FnMut(Wrote<'_>),
    ) -> Result<Self, PlayError> {
        let (recording, segment) = (opened.recording, &opened.segment);
        let survey = Survey::of(recording, segment)?;
        let processor = source::processor(recording);
        let blank = Blank::new(&segment.ranges(), limits, processor, Copies::Allowed)?;
        let rooms = survey.rooms(&blank).ok_or(PlayError::Unplayable {
            event: segment.first,
            what: "it leaves no room for a debugger".to_owned(),
        })?;
        let space = load::load(recording, segment, &blank, &rooms.all(), None)?;
        let counter = Counter::new(&rooms, blank.tracee)?;
        let mut play = Play::new(recording, segment, blank, space, output)?;
        let due = play.next()?;
        let first = Position {
            event: segment.first,
            count: 0,
        };
        let mut session = Self {
            play,
            counter,
            survey,
            due,
            position: first,
            first,
            checkpoints: Checkpoints::default(),
            traps: Traps::default(),
            values: Vec::new(),
            compared: false,
            ended: false,
            astray: false,
        };
        session.checkpoint()?;
        Ok(session)
    }

    /// Where it stands.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The first and the last event.
    #[must_use]
    pub fn events(&self) -> (u64, u64) {
        (self.first.event, self.survey.last)
    }

    /// How the run ended, if that was recorded.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.survey.ending
    }

    /// All registers.
    pub fn state(&self) -> Result<State, PlayError> {
        let mut state = self.play.blank.tracee.state()?;
        self.counter.own_address(&mut state, None);
        Ok(state)
    }

    /// Reads memory, as far as there is any, and returns how far that is.
    pub fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let end = address.saturating_add(into.len() as u64);
        let mut upto = address;
        for range in self.play.space.within(address, end) {
            if range.start != upto {
                break;
            }
            upto = range.end;
        }
        let len = (upto - address) as usize;
        self.play.blank.tracee.read(address, &mut into[..len])
    }

    /// Whether there is memory at an address that was left out of the recording,
    /// because nothing in it uses that.
    #[must_use]
    pub fn is_left_out(&self, address: u64) -> bool {
        self.play.space.is_missing(address)
    }

    /// What is mapped: from where to where, and with what protection.
    pub fn mapped(&self) -> impl Iterator<Item = (u64, u64, u32)> {
        let ranges = self.play.space.all().into_iter();
        ranges.map(
            |Range {
                 start,
                 end,
                 protection,
             }| (start, end, protection),
        )
    }

    /// Where to stop from now on.
    pub fn set_traps(&mut self, traps: &Traps) {
        self.traps.clone_from(traps);
    }

    /// Makes a checkpoint where it stands.
    fn checkpoint(&mut self) -> Result<(), PlayError> {
        let behind = self.counter.behind_call(self.play.blank.tracee)?;
        self.checkpoints.add(self.position, &self.play, behind)
    }

    /// Goes back to the last checkpoint that is not behind a position.
    fn restore(&mut self, position: Position) -> Result<(), PlayError> {
        // The process may be gone; those that wait share this with it.
        let behind = self
            .checkpoints
            .any(|process| self.counter.behind_call(process))?;
        let from = self.position.event;
        self.position = self
            .checkpoints
            .restore(position, &mut self.play, behind)?
            .ok_or(PlayError::Empty)?;
        let process = self.play.blank.tracee;
        self.ended = false;
        self.astray = false;
        self.counter.has_moved();
        for (start, end) in self.survey.changes(from, self.position.event) {
            self.counter.forget(process, start, end)?;
        }
        self.due = self.play.next()?;
        Ok(())
    }

    /// What is in the watched places now.
    fn watched(&self) -> Vec<Vec<u8>> {
        let process = self.play.blank.tracee;
        let watches = self.traps.watches.iter();
        watches
            .map(|watch| process.read_some(watch.address, usize::from(watch.len)))
            .collect()
    }
}
