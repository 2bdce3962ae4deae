//! What a replay takes, and what it does to the pages that its recording holds.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reprise_process_events::{OMITTED, PAGE};
use reprise_recording::{Recording, Source};

use crate::play::Play;
use crate::{Limits, PlayError, source};

/// What was measured.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// From nothing to the first instruction.
    pub loading: Duration,
    /// From there to the end.
    pub playing: Duration,
    /// The pages of the process in the recording that hold the same at the end: code, and
    /// data that was only read.
    pub read: u64,
    /// Those that hold something else, or are no longer there.
    pub written: u64,
}

/// Plays a process of a recording as [`crate::play`] does, and measures it.
pub fn measure<S: Source>(
    recording: &Recording<S>,
    which: Option<u32>,
    limits: &Limits,
) -> Result<Measured, PlayError> {
    let began = Instant::now();
    let segment = source::last_segment(recording, which)?;
    let nobody = &mut |_: crate::Wrote<'_>| {};
    let mut play = crate::begun(recording, &segment, limits, nobody)?;
    let loading = began.elapsed();
    let began = Instant::now();
    play.run()?;
    let playing = began.elapsed();
    let (read, written) = kinds(&play)?;
    Ok(Measured {
        loading,
        playing,
        read,
        written,
    })
}

/// How many pages are as they were recorded, and how many are not.
fn kinds<S: Source>(play: &Play<'_, '_, S>) -> Result<(u64, u64), PlayError> {
    let process = play.process;
    let maps = play.recording.page_maps().iter();
    let maps: BTreeSet<u32> = maps
        .filter(|map| map.stream == process && map.segment & OMITTED == 0)
        .map(|map| map.segment)
        .collect();
    let mut pages = play.recording.pages();
    let (mut read, mut written) = (0, 0);
    for map in maps {
        for address in pages.addresses(process, map)? {
            let mut now = [0; PAGE as usize];
            let there = play.blank.tracee.read(address, &mut now) == now.len();
            if there && pages.get(process, map, address)? == Some(now) {
                read += 1;
            } else {
                written += 1;
            }
        }
    }
    Ok((read, written))
}
