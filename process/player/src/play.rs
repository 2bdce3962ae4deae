//! A replay: the process, the events that are due, and what is mapped. What
//! happens when the process has come to an event is in `arrive.rs`.

use nix::libc;
use reprise_process_events::{Ending, Event, Position, Registers, State};
use reprise_recording::{Events, Recording, Source, StreamId};
use reprise_tracee::{Resume, Stop};

use crate::PlayError;
use crate::blank::Blank;
use crate::divergence::{Divergence, Fact, Location};
use crate::pause::Counting;
use crate::places::Places;
use crate::source::{self, Segment};
use crate::space::Space;
use crate::supply::Supplies;
use crate::threads::Threads;

/// A recording that was played without a divergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// How many events.
    pub events: u64,
    /// How the run ended; `None` when the recording ends before it.
    pub ending: Option<Ending>,
}

/// What the process wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrote<'a> {
    /// To standard error, not to standard output.
    pub to_stderr: bool,
    /// What.
    pub bytes: &'a [u8],
}

/// A replay.
pub(crate) struct Play<'r, 'o, S> {
    pub(crate) recording: &'r Recording<S>,
    pub(crate) process: u32,
    pub(crate) stream: StreamId,
    pub(crate) segment: &'r Segment,
    pub(crate) blank: Blank,
    pub(crate) space: Space,
    /// Where missing pages come from, if they come from anywhere.
    pub(crate) supplies: Option<Supplies<'o>>,
    /// Where the pauses were, as far as that is known.
    pub(crate) places: Places,
    /// What counts instructions, if there are pauses.
    pub(crate) counting: Option<Counting>,
    pub(crate) threads: Threads,
    pub(crate) brk: u64,
    /// The address behind the `syscall` instruction that the process is at.
    pub(crate) behind: u64,
    /// The last event that has happened.
    pub(crate) done: u64,
    /// The last event whose output has been handed on.
    pub(crate) shown: u64,
    /// A page that cannot be accessed because the fault of that is due.
    pub(crate) closed: Option<u64>,
    events: Events<'r, S>,
    pub(crate) output: &'o mut dyn FnMut(Wrote<'_>),
}

impl<'r, 'o, S: Source> Play<'r, 'o, S> {
    pub(crate) fn new(
        recording: &'r Recording<S>,
        segment: &'r Segment,
        blank: Blank,
        space: Space,
        output: &'o mut dyn FnMut(Wrote<'_>),
    ) -> Result<Self, PlayError> {
        let threads = Threads::at(segment)?;
        Ok(Self {
            recording,
            process: segment.process,
            stream: segment.stream,
            segment,
            blank,
            space,
            supplies: None,
            places: Places::of(recording, segment.process)?,
            counting: None,
            threads,
            brk: segment.start.brk,
            behind: 0,
            done: segment.first,
            shown: segment.first,
            closed: None,
            events: recording.events(segment.stream, segment.first + 1)?,
            output,
        })
    }

    /// Plays all events.
    pub(crate) fn run(&mut self) -> Result<Played, PlayError> {
        let mut ending = None;
        while let Some(event) = self.next()? {
            let stop = match &event {
                Event::Pause(pause) => self.go_to_pause(pause)?,
                event if self.runs_to(event) => Some(self.go()?),
                _ => None,
            };
            ending = self.arrive(&event, stop)?;
            if ending.is_some() {
                break;
            }
        }
        Ok(Played {
            events: self.done + 1 - self.segment.first,
            ending,
        })
    }

    /// The event that is due; `None` behind the last.
    pub(crate) fn next(&mut self) -> Result<Option<Event>, PlayError> {
        let due = self.done + 1;
        let Some(event) = self.events.next()? else {
            return Ok(None);
        };
        let number = event.number;
        if number != due {
            let what = format!("event {due} is missing");
            return Err(PlayError::Unplayable {
                event: number,
                what,
            });
        }
        let event = source::read(number, event.payload, self.segment.foreign.as_ref())?;
        self.close_page(&event)?;
        Ok(Some(event))
    }

    /// Goes on reading behind another event, which is the last that has happened.
    pub(crate) fn read_behind(&mut self, event: u64) -> Result<(), PlayError> {
        self.done = event;
        self.events = self.recording.events(self.stream, event + 1)?;
        Ok(())
    }

    pub(crate) fn go(&mut self) -> Result<Stop, PlayError> {
        loop {
            self.blank.tracee.resume(Resume::EmulatingCalls, 0)?;
            let stop = self.blank.tracee.wait()?;
            if stop == Stop::Signal(libc::SIGXCPU) {
                return Err(PlayError::Limit("its time"));
            }
            match self.missed(stop) {
                Some(address) if self.supplies.is_some() => self.bring(address)?,
                _ => return Ok(stop),
            }
        }
    }

    pub(crate) fn diverged(
        &self,
        position: u64,
        ip: u64,
        expected: Fact,
        actual: Fact,
    ) -> PlayError {
        PlayError::Diverged(Box::new(Divergence {
            stream: self.stream,
            position,
            location: Location::of(ip, &self.segment.start.regions),
            expected,
            actual,
        }))
    }

    pub(crate) fn set_registers(&self, mut registers: Registers) -> Result<(), PlayError> {
        // Not in a system call: the kernel must not restart it.
        registers.set_orig_rax(u64::MAX);
        Ok(self.blank.tracee.set_registers(&registers)?)
    }

    pub(crate) fn set_state(&self, state: &State) -> Result<(), PlayError> {
        let mut state = state.clone();
        state.registers.set_orig_rax(u64::MAX);
        Ok(self.blank.tracee.set_state(&state)?)
    }

    /// Whether the process has to run before the event happens.
    pub(crate) fn runs_to(&self, event: &Event) -> bool {
        let at = match event {
            Event::Signal(signal) => signal.at,
            Event::Switch(switch) => switch.at,
            Event::Thread(_) | Event::Changed(_) | Event::Views(_) => Position::AfterEvent,
            Event::End(end) => match end.ending {
                Ending::Signal { at, .. } => at,
                Ending::Exit { .. } => Position::AtCall,
            },
            _ => Position::AtCall,
        };
        at != Position::AfterEvent && !self.threads.is_called()
    }
}
