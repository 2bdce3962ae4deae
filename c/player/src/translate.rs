//! From crossings to the events of a process.

use std::fs::File;
use std::io;

use reprise_c_events::{Before, Crossing, DETAILS, QUESTION, Subject, VERSION, WireError, area};
use reprise_process_events::{
    Call, Event, KIND as PROCESS_KIND, RECORDING, Region, Registers, Start, State,
    VERSION as PROCESS_VERSION, wire,
};
use reprise_recording::pages::{Page, Pages};
use reprise_recording::{
    Closing, Ending, Manifest, OpenError, ReadError, Recording, Source, StreamInfo, WriteError,
    Writer,
};
use reprise_tracee::processor;
use serde::Deserialize as _;

use crate::pieces::{self, Piece};
use crate::told::Told;

/// The process of the recording that is made.
const PROCESS: u32 = 1;

/// The area for the thread pointer, behind the stack of the replay.
const THREAD: u64 = area::REPLAY_STACK + area::REPLAY_STACK_LEN;
const THREAD_LEN: u64 = 0x1_0000;

const PAGE: u64 = 4096;

/// The versions of the events in which a read may be none, and nobody says how many there were
/// before a program was killed.
const UNCOUNTED: std::ops::RangeInclusive<u32> = 4..=5;

/// What nobody asks for.
const NEVER: u64 = 0;

/// The most of the pool that is mapped where nobody knows how much was used.
const POOL_LEN: u64 = 1 << 30;

/// Why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It lacks what says how to play it.
    #[error("it does not say what program it is of")]
    NoSubject,
    /// It has no such process.
    #[error("there is no process {0} in it")]
    NoProcess(u32),
    /// It has no events.
    #[error("it holds nothing that crossed the boundary")]
    Empty,
    /// Its events are of a later version.
    #[error("its events are of version {0}, and this plays version {VERSION}")]
    Version(u32),
    /// An event is none.
    #[error("event {event} is malformed: {error}")]
    Event {
        /// Which.
        event: u64,
        /// What is wrong.
        error: WireError,
    },
    /// An event is longer than a replay has room for.
    #[error("event {0} is too long")]
    Long(u64),
    /// What is made of it cannot be written.
    #[error("make a recording of a process: {0}")]
    Write(#[from] WriteError),
    /// The same.
    #[error("make a recording of a process: {0}")]
    Io(#[from] io::Error),
    /// The same.
    #[error("make a recording of a process: {0}")]
    Open(#[from] OpenError),
}

/// A recording of a process.
pub struct Translated {
    /// It, in a file that has no name.
    pub recording: Recording<File>,
    /// What it is of.
    pub subject: Subject,
    /// The run was recorded to its end.
    pub whole: bool,
    /// How many crossings there are.
    pub events: u64,
    /// Which crossing is the first that each call tells.
    firsts: Vec<u64>,
    /// Where they are in the recording.
    pub(crate) pieces: Vec<Piece>,
    /// The signal that killed the program. A last question follows the crossings then,
    /// which nobody asks: the replay runs into what killed it, if that was inside. Reads that
    /// were no event may be on its way there.
    pub killed: Option<u32>,
}

impl Translated {
    /// How many calls tell the crossings.
    pub fn calls(&self) -> u64 {
        self.firsts.len() as u64
    }

    /// The crossing that a call tells, or the first of them; calls count from 1.
    pub fn crossing(&self, call: u64) -> u64 {
        let at = usize::try_from(call.saturating_sub(1)).unwrap_or(usize::MAX);
        self.firsts.get(at).copied().unwrap_or(self.events)
    }
}

/// Makes a recording of a process: of the first, or of one of its children by its number
/// or its place in the recording.
pub fn translate<S: Source>(
    recording: &Recording<S>,
    process: Option<u32>,
) -> Result<Translated, TranslateError> {
    let subject = recording.manifest().details.get(DETAILS);
    let subject = subject.and_then(|subject| Subject::deserialize(subject).ok());
    let subject = subject.ok_or(TranslateError::NoSubject)?;
    let pieces = pieces::of(recording, process)?;
    let file = tempfile::tempfile()?;
    let kept = file.try_clone()?;
    let manifest = Manifest {
        kind: RECORDING.to_owned(),
        ..recording.manifest().clone()
    };
    let writer = Writer::start(file, &manifest)?;
    let mut map = writer.page_map(PROCESS, 0);
    let mut pages = recording.pages();
    for address in pages.addresses(PROCESS, 0)? {
        if let Some(page) = pages.get(PROCESS, 0, address)? {
            map.insert(address, &page)?;
        }
    }
    if let Some(page) = for_debuggers(&subject, &mut pages)? {
        map.insert(THREAD - PAGE, &page)?;
    }
    map.finish()?;
    let mut out = writer.stream(&StreamInfo {
        process: PROCESS,
        thread: u64::from(PROCESS),
        kind: PROCESS_KIND.to_owned(),
        version: PROCESS_VERSION,
        table: false,
        name: recording.manifest().subject.clone(),
    })?;
    let mut bytes = Vec::new();
    let mut append = |event: &Event| {
        bytes.clear();
        wire::write(event, &mut bytes);
        out.append(&bytes)
    };
    let mut last = None;
    if let Some(piece) = pieces.last().filter(|piece| piece.to > 0) {
        let mut events = recording.events(piece.stream, piece.to - 1)?;
        let event = events.next()?;
        last = event.and_then(|event| reprise_c_events::read(event.payload).ok());
    }
    let pool = match last {
        Some(Crossing::End { pool, .. }) => pool.min(area::LEN / 2),
        _ => POOL_LEN,
    };
    let threads = match subject.program.threads {
        true => threads(recording, &pieces)?,
        false => 0,
    };
    append(&Event::Start(start(&subject, pool, threads)))?;
    let count: u64 = pieces.iter().map(|piece| piece.to - piece.from).sum();
    // That it was left is not told to a replay.
    let count = count - u64::from(matches!(last, Some(Crossing::Left { .. })));
    let mut told = Told::new(&subject);
    let mut before = Before::default();
    let (mut whole, mut crossings) = (false, 0);
    for piece in &pieces {
        let mut events = recording.events(piece.stream, piece.from)?;
        while let Some(event) = events.next()?
            && event.number < piece.to
        {
            let number = event.number;
            let crossing = reprise_c_events::read(event.payload);
            let crossing = crossing.and_then(|crossing| before.complete(crossing));
            let crossing = crossing.map_err(|error| TranslateError::Event {
                event: number,
                error,
            })?;
            if matches!(crossing, Crossing::Left { .. }) {
                continue;
            }
            crossings += 1;
            // The last is not told ahead: when it is asked for, all others were used.
            let calls = told.tell(crossing, crossings >= count);
            for call in calls.ok_or(TranslateError::Long(number))? {
                append(&Event::Call(call))?;
            }
            whole = event.payload.first() == Some(&4);
        }
    }
    let firsts = told.finish();
    let ending = recording.closing().map(|closing| &closing.ending);
    let killed = match ending {
        Some(Ending::Killed { signal }) if !whole && pieces.len() == 1 => {
            u32::try_from(*signal).ok()
        }
        _ => None,
    };
    if killed.is_some() {
        if may_spare_reads(recording, &pieces) && subject.ring != 0 {
            append(&Event::Call(Told::and_no_more(&subject)))?;
        }
        append(&Event::Call(Call {
            number: QUESTION,
            ip: subject.question,
            arguments: vec![NEVER],
            ..Call::default()
        }))?;
    }
    out.flush()?;
    drop(out);
    writer.finish(Closing::default())?;
    Ok(Translated {
        recording: Recording::from_source(kept)?,
        subject,
        whole,
        events: crossings,
        pieces,
        firsts,
        killed,
    })
}

/// Whether reads may have been no events before the end, and nobody says how many.
fn may_spare_reads<S: Source>(recording: &Recording<S>, pieces: &[Piece]) -> bool {
    let mut streams = recording.streams();
    streams.any(|(stream, info)| {
        pieces.iter().any(|piece| piece.stream == stream) && UNCOUNTED.contains(&info.version)
    })
}

/// The highest number of a thread, if there is more than one.
fn threads<S: Source>(recording: &Recording<S>, pieces: &[Piece]) -> Result<u32, TranslateError> {
    let mut highest = 0;
    for piece in pieces {
        let mut events = recording.events(piece.stream, piece.from)?;
        while let Some(event) = events.next()? {
            if event.payload.first() == Some(&6)
                && let Ok(Crossing::Turn { thread, .. }) = reprise_c_events::read(event.payload)
            {
                highest = highest.max(thread);
            }
        }
    }
    Ok(highest.min(area::THREADS))
}

/// The last page of the stack, with what a debugger looks for to find out which
/// program this is: where its headers are, and its entry.
fn for_debuggers<S: Source>(
    subject: &Subject,
    pages: &mut Pages<'_, S>,
) -> Result<Option<Page>, TranslateError> {
    const HEADERS: u64 = 3;
    const PAGE_SIZE: u64 = 6;
    const ENTRY: u64 = 9;
    let Some(&(first, ..)) = subject.regions.first() else {
        return Ok(None);
    };
    let Some(header) = pages.get(PROCESS, 0, first)? else {
        return Ok(None);
    };
    let word = |at: usize| {
        let word = header.get(at..at + 8).and_then(|word| word.try_into().ok());
        u64::from_le_bytes(word.unwrap_or_default())
    };
    let (entry, headers) = (word(24), first.wrapping_add(word(32)));
    let words = [HEADERS, headers, PAGE_SIZE, PAGE, ENTRY, entry, 0, 0];
    let mut page: Page = [0; PAGE as usize];
    for (place, word) in page.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    Ok(Some(page))
}

fn start(subject: &Subject, pool: u64, threads: u32) -> Start {
    let mut regions: Vec<Region> = subject
        .regions
        .iter()
        .map(|&(start, end, protection)| Region {
            start,
            end,
            protection,
            name: subject.path.clone(),
        })
        .collect();
    let pool = (pool + 1).next_multiple_of(0x1_0000);
    let more = [
        (area::REPLAY_STACK, THREAD, "[stack]"),
        (THREAD, THREAD + THREAD_LEN, "[thread]"),
        (area::START, area::POOL + pool, "[inside]"),
    ];
    regions.extend(more.map(|(start, end, name)| Region {
        start,
        end,
        protection: 3,
        name: name.to_owned(),
    }));
    for thread in 1..=threads {
        let stacks = [
            (area::thread_stack(thread), "[inside]"),
            (area::replay_thread_stack(thread), "[stack]"),
        ];
        regions.extend(stacks.map(|((start, end), name)| Region {
            start,
            end,
            protection: 3,
            name: name.to_owned(),
        }));
    }
    regions.sort_by_key(|region| region.start);
    let mut registers = Registers::default();
    registers.set_rip(subject.start);
    // As behind a call, eight bytes off a multiple of 16.
    registers.set_rsp(THREAD - 0x1008);
    registers.set_fs_base(THREAD + THREAD_LEN / 2);
    registers.set_cs(0x33);
    registers.set_ss(0x2b);
    registers.set_eflags(0x202);
    Start {
        state: State {
            registers,
            extended: extended(),
        },
        brk: 0,
        regions,
        threads: None,
        views: Vec::new(),
    }
}

/// The other registers as at the beginning of a program, as this processor lays them
/// out.
fn extended() -> Vec<u8> {
    // The answer to question 0xd says how long they are.
    let answers = processor::ask();
    let len = answers.get(3).map_or(0, |answer| answer[1] as usize);
    let mut bytes = vec![0; len.max(576)];
    // Exceptions are masked, in the old unit and in the new one.
    bytes[..2].copy_from_slice(&0x37f_u16.to_le_bytes());
    bytes[24..28].copy_from_slice(&0x1f80_u32.to_le_bytes());
    bytes
}
