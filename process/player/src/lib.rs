//! Plays a recorded Linux process in a blank one: from the state at the start
//! of a segment to the recorded end, with every system call answered from the
//! recording.
//!
//! | question | file |
//! | --- | --- |
//! | what is run in? | `blank.rs`, an empty process; `walls.rs`, what keeps it in |
//! | how does memory get there? | `load.rs`; what is mapped: `space.rs` |
//! | what is due, and what has been done? | `play.rs` |
//! | what happens at each event? | `arrive.rs`; calls that map memory: `mapping.rs` |
//! | what of memory that is at several addresses? | `views.rs` |
//! | which thread runs? | `threads.rs` |
//! | what of memory behind the end of its file? | `behind_end.rs` |
//! | where was a computation interrupted? | `pause.rs`, `places.rs`; finding that out: `seek.rs` |
//! | did it end the same? | `compare.rs` |
//! | what is a divergence? | `divergence.rs` |
//! | what if the processor is another? | `foreign.rs` |
//! | how does a debugger move through it, also backwards? | `debug/` |
//! | how are instructions counted without a counter? | `count/` |
//! | what does a segment map in all? | `survey.rs` |
//! | which pages does it need? | `supply.rs`; how many are that? `kept.rs` |
//! | what does a replay take? | `measure.rs` |
//!
//! A recording may come from a stranger. Every address and length in it is
//! checked, and the process that runs its code can make no system call at all:
//! the tracer stops it at each and makes none of them, and a filter kills it if
//! it gets past that.

mod arrive;
mod behind_end;
mod blank;
mod compare;
mod count;
mod debug;
mod divergence;
mod foreign;
mod kept;
mod load;
mod mapping;
mod measure;
mod pause;
mod places;
mod play;
mod ranges;
mod seek;
mod source;
mod space;
mod supply;
mod survey;
mod threads;
mod views;
mod walls;

pub use crate::debug::{Halt, Opened, Position, Session, Traps};
pub use crate::divergence::{Divergence, Fact, Location};
pub use crate::foreign::lacking;
pub use crate::kept::{Kept, kept};
pub use crate::measure::{Measured, measure};
pub use crate::play::{Played, Wrote};
pub use crate::source::{Playable, processes};
pub use crate::supply::{Page, Supply, Used};
pub use reprise_process_events::RECORDING as KIND;
pub use reprise_tracee::{Use, Watch};

use nix::errno::Errno;
use reprise_process_events::Place;
use reprise_process_events::wire::WireError;
use reprise_recording::{ReadError, Recording, Source};
use reprise_tracee::{TraceError, processor};

/// The end of the addresses that a program can have.
const ADDRESSES: u64 = 0x7fff_ffff_f000;

/// What a replay may take of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Memory that can be accessed, in bytes.
    pub memory: u64,
    /// Processor time, in seconds.
    pub seconds: u64,
}

/// Why a recording was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The process did something else than recorded.
    #[error(transparent)]
    Diverged(Box<Divergence>),
    /// The recording cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An event is none.
    #[error("event {event} is malformed: {error}")]
    Event {
        /// Its number.
        event: u64,
        /// What is wrong with it.
        error: WireError,
    },
    /// The recording contradicts itself, or asks for what is not allowed.
    #[error("event {event} cannot be played: {what}")]
    Unplayable {
        /// The event's number.
        event: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A place between two events was not found again.
    #[error("the place where a computation was interrupted, event {event}, was not found again")]
    Unrecognised {
        /// The event's number.
        event: u64,
    },
    /// There is nothing to play.
    #[error("it holds no start of a process to play from")]
    Empty,
    /// There is no such process in it.
    #[error("it has {processes} processes, and none is {which}")]
    NoProcess {
        /// Its number or place.
        which: u32,
        /// How many there are.
        processes: usize,
    },
    /// The processor cannot do what that of the recording could.
    #[error(
        "its extended registers take {recorded} bytes, those of this processor {here}: it needs a \
         processor like that of the recording"
    )]
    Processor {
        /// What was recorded.
        recorded: usize,
        /// What there is.
        here: usize,
    },
    /// Registers hold something, and this processor has no such registers.
    #[error("event {event} has values in {name} registers, which this processor lacks")]
    Registers {
        /// The event's number.
        event: u64,
        /// Which registers.
        name: &'static str,
    },
    /// The process has come to an instruction that this processor lacks.
    #[error("before event {event} it uses {name} instructions, which this processor lacks")]
    Lacking {
        /// The event's number.
        event: u64,
        /// Which instructions.
        name: &'static str,
    },
    /// The blank process cannot be had.
    #[error("make a blank process: {what}: {errno}", errno = .errno.desc())]
    Blank {
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        errno: Errno,
    },
    /// The replay has taken too much.
    #[error("the replay used up {0}")]
    Limit(&'static str),
    /// The blank process was lost.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Plays the last segment of a process of a recording; which one, is said by its
/// number or its place in [`processes`], or not at all. What the process wrote to
/// its standard output and standard error is handed to `output` as it goes.
pub fn play<S: Source>(
    recording: &Recording<S>,
    which: Option<u32>,
    limits: &Limits,
    output: &mut dyn FnMut(Wrote<'_>),
) -> Result<Played, PlayError> {
    let segment = source::last_segment(recording, which)?;
    begun(recording, &segment, limits, output)?.run()
}

/// A replay of a segment that stands at its first instruction.
fn begun<'r, 'o, S: Source>(
    recording: &'r Recording<S>,
    segment: &'r source::Segment,
    limits: &Limits,
    output: &'o mut dyn FnMut(Wrote<'_>),
) -> Result<play::Play<'r, 'o, S>, PlayError> {
    let processor = source::processor(recording);
    let copies = blank::Copies::Forbidden;
    let survey = survey::Survey::of(recording, segment)?;
    let blank = blank::Blank::new(&segment.ranges(), limits, processor, copies)?;
    let rooms = pause::rooms(&survey, &blank, segment.first)?;
    let space = load::load(
        recording,
        segment,
        &blank,
        &pause::all(rooms.as_ref()),
        None,
    )?;
    let mut play = play::Play::new(recording, segment, blank, space, output)?;
    play.count_in(rooms, survey)?;
    Ok(play)
}

/// What a recording that has no memory yet needs.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// The pages that its replay has used.
    pub used: Used,
    /// Where its pauses were.
    pub places: Vec<Place>,
}

/// Plays the last segment of a process of a recording that has no memory yet, and
/// finds out which pages it needs, those that it takes from `supply`, and where its
/// pauses were.
pub fn rehearse<S: Source>(
    recording: &Recording<S>,
    process: u32,
    limits: &Limits,
    supply: &mut dyn Supply,
) -> Result<Needed, PlayError> {
    let segment = source::last_segment(recording, Some(process))?;
    let processor = source::processor(recording);
    // Its page stays, so it must be where nothing is ever mapped.
    let survey = survey::Survey::of(recording, &segment)?;
    let used: Vec<_> = survey.used.all().iter().map(|r| (r.start, r.end)).collect();
    let blank = blank::Blank::new(&used, limits, processor, blank::Copies::Forbidden)?;
    let rooms = pause::rooms(&survey, &blank, segment.first)?;
    let all = pause::all(rooms.as_ref());
    let space = load::load(recording, &segment, &blank, &all, Some(supply))?;
    let nobody = &mut |_: Wrote<'_>| {};
    let mut play = play::Play::new(recording, &segment, blank, space, nobody)?;
    play.supplies = Some(supply::Supplies {
        from: supply,
        used: Used::new(),
        brought: Vec::new(),
    });
    play.count_in(rooms, survey)?;
    play.run()?;
    let places = play.places.all();
    let used = play.supplies.map(|supplies| supplies.used);
    let used = used.unwrap_or_default();
    Ok(Needed { used, places })
}

/// Whether the run was on a processor like this one. On another, a program that
/// asks its processor what it can do may go another way.
pub fn same_processor<S: Source>(recording: &Recording<S>) -> bool {
    source::answers(recording) == processor::ask()
}
