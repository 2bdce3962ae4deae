//! A recording from another processor. Its registers may lie elsewhere in what the
//! kernel hands out, and its code may have instructions that this one lacks.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions};
use reprise_process_events::{Event, OMITTED, PAGE, Start, State};
use reprise_recording::{Recording, Source};
use reprise_tracee::extended::{self, Layout};
use reprise_tracee::processor::{self, Lacking};
use serde::Deserialize as _;

use crate::survey::Survey;
use crate::{Limits, PlayError, play, source};

/// More than the longest instruction.
pub(crate) const CODE: usize = 16;

/// How registers of the recording's processor become those of this one.
#[derive(Debug)]
pub(crate) struct Foreign {
    recorded: Layout,
    here: Layout,
    len: usize,
    /// What means the same on both.
    common: Vec<Range<usize>>,
}

impl Foreign {
    /// `None` where it was the same processor, and where nobody knows: the registers are
    /// taken as they are then.
    pub(crate) fn of<S: Source>(recording: &Recording<S>) -> Option<Self> {
        if source::answers(recording) == processor::ask() {
            return None;
        }
        let recorded = recording.manifest().details.get("extended")?;
        let recorded = Layout::deserialize(recorded).ok()?;
        let here = extended::layout();
        Some(Self {
            common: extended::common(&recorded, &here),
            recorded,
            here,
            len: extended::len(),
        })
    }

    /// The registers of an event become those of this processor.
    pub(crate) fn moves(&self, number: u64, event: &mut Event) -> Result<(), PlayError> {
        match event {
            Event::Start(start) => self.start(number, start),
            Event::Signal(signal) => self.state(number, &mut signal.state),
            Event::Sigreturn(back) => self.state(number, &mut back.state),
            Event::Pause(pause) => self.state(number, &mut pause.state),
            Event::End(end) => self.state(number, &mut end.state),
            Event::Thread(thread) => self.state(number, &mut thread.state),
            Event::Call(_)
            | Event::Tsc(_)
            | Event::Switch(_)
            | Event::Exit(_)
            | Event::Changed(_)
            | Event::Views(_)
            | Event::Answer(_) => Ok(()),
        }
    }

    fn start(&self, number: u64, start: &mut Start) -> Result<(), PlayError> {
        self.state(number, &mut start.state)?;
        let others = start.threads.iter_mut().flat_map(|all| &mut all.others);
        for other in others {
            self.state(number, &mut other.state)?;
        }
        Ok(())
    }

    fn state(&self, event: u64, state: &mut State) -> Result<(), PlayError> {
        let moved = extended::moved(&state.extended, &self.recorded, &self.here, self.len);
        state.extended = moved.map_err(|part| PlayError::Registers {
            event,
            name: extended::name(part),
        })?;
        Ok(())
    }

    /// Whether a byte of the registers is to be compared.
    pub(crate) fn compares(&self, at: usize) -> bool {
        self.common.iter().any(|range| range.contains(&at))
    }
}

/// The event before which a process needs instructions that this processor lacks, and what
/// these are called. Where its code has none, that is soon said; otherwise it is tried.
pub fn lacking<S: Source>(
    recording: &Recording<S>,
    which: Option<u32>,
    limits: &Limits,
) -> Result<Option<(u64, &'static str)>, PlayError> {
    let is_same = source::answers(recording) == processor::ask();
    if is_same || !may_lack(recording, which)? {
        return Ok(None);
    }
    match play(recording, which, limits, &mut |_| {}) {
        Err(PlayError::Lacking { event, name }) => Ok(Some((event, name))),
        _ => Ok(None),
    }
}

/// Whether there are instructions that this processor lacks in the pages of code that a
/// process has used, which does not mean that it has come by them.
fn may_lack<S: Source>(recording: &Recording<S>, which: Option<u32>) -> Result<bool, PlayError> {
    let segment = source::last_segment(recording, which)?;
    let survey = Survey::of(recording, &segment)?;
    let lacking = Lacking::here();
    let mut pages = recording.pages();
    let maps = recording.page_maps().iter();
    let maps = maps.filter(|map| map.stream == segment.process && map.segment & OMITTED == 0);
    let maps: BTreeSet<u32> = maps.map(|map| map.segment).collect();
    for map in maps {
        let mut code = Vec::new();
        let mut end = 0;
        for address in pages.addresses(segment.process, map)? {
            let is_code = |(from, to): &(u64, u64)| (*from..*to).contains(&address);
            if !survey.code.iter().any(is_code) {
                continue;
            }
            if address != end {
                if has_lacking(&code, &lacking) {
                    return Ok(true);
                }
                code.clear();
            }
            if let Some(page) = pages.get(segment.process, map, address)? {
                code.extend_from_slice(&page[..]);
                end = address.saturating_add(PAGE);
            }
        }
        if has_lacking(&code, &lacking) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_lacking(code: &[u8], lacking: &Lacking) -> bool {
    let decoder = Decoder::new(64, code, DecoderOptions::NONE);
    let mut instructions = decoder.into_iter();
    instructions.any(|one| !one.is_invalid() && lacking.of(&one).is_some())
}

/// What the instruction of these bytes needs and this processor lacks.
pub(crate) fn lacked(code: &[u8]) -> Option<&'static str> {
    let instruction = Decoder::new(64, code, DecoderOptions::NONE).decode();
    if instruction.is_invalid() {
        return None;
    }
    Lacking::here().of(&instruction)
}
