//! What of a recording cannot be read.
//!
//! Opening through the index looks at few chunks. A recording of ordinary size
//! is gone through once more with every checksum; for a very large one that
//! would take longer than people wait, and the view says so.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use reprise_recording::{Damage, Damaged, OpenError, Recording, StreamId};

/// The largest file whose every byte is checked: a fraction of a second.
const CHECKED_BYTES: u64 = 256 << 20;

/// What of a recording cannot be read.
#[derive(Debug, Default)]
pub struct Health {
    /// Every checksum was looked at.
    pub checked: bool,
    /// The file ends inside the chunk that starts here.
    pub truncated: Option<u64>,
    /// Damaged places, in the order of the file.
    pub damage: Vec<Harm>,
    /// Chunks of kinds that this version does not know.
    pub unknown_chunks: u64,
}

/// A damaged place and what is lost with it.
#[derive(Debug)]
pub struct Harm {
    /// Where, and what is wrong.
    pub damaged: Damaged,
    /// The events that stood there, where the index knows.
    pub lost: Option<Lost>,
}

/// Events that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Their stream.
    pub stream: StreamId,
    /// The number of the first.
    pub first: u64,
    /// How many.
    pub count: u32,
    /// How many bytes of the file they take.
    pub bytes: u64,
}

impl Health {
    /// Whether everything that was written can be read, as far as is known.
    pub fn is_good(&self) -> bool {
        self.truncated.is_none() && self.damage.is_empty() && self.unknown_chunks == 0
    }

    /// What is missing, in a few words.
    pub fn words(&self) -> String {
        let lost = self.damage.iter().filter_map(|harm| harm.lost);
        let lost: u64 = lost.map(|lost| u64::from(lost.count)).sum();
        match lost {
            0 if self.damage.is_empty() && self.truncated.is_some() => "the file is cut off".into(),
            0 => "something cannot be read".into(),
            1 => "1 event is lost".into(),
            lost => format!("{lost} events are lost"),
        }
    }

    /// How many events of a stream are known to be lost.
    pub fn lost(&self, stream: StreamId) -> u64 {
        let lost = self.damage.iter().filter_map(|harm| harm.lost);
        let lost = lost.filter(|lost| lost.stream == stream);
        lost.map(|lost| u64::from(lost.count)).sum()
    }

    /// Adds what was found out later, while reading.
    pub fn add(&mut self, recording: &Recording, damage: &[Damaged]) {
        if damage.is_empty() {
            return;
        }
        let lost = lost_at(recording);
        for damaged in damage {
            self.damage.push(Harm {
                damaged: *damaged,
                lost: lost.get(&damaged.offset).copied(),
            });
        }
        self.damage.sort_by_key(|harm| harm.damaged.offset);
        self.damage.dedup_by_key(|harm| harm.damaged.offset);
    }
}

/// What is wrong with a place, for people: the numbers are for programs.
pub fn words(damage: &Damage) -> String {
    match damage {
        Damage::Payload { .. } => "the bytes are not as they were written".into(),
        Damage::Header(_) => "no part of the recording can be made out there".into(),
        Damage::Undeclared { stream } => {
            format!("it belongs to stream {stream}, whose description is lost")
        }
        other => other.to_string(),
    }
}

/// Checks the recording at `path`, which was opened as `recording`.
pub fn check(path: &Path, recording: &Recording) -> io::Result<Health> {
    let opened = recording.opened();
    let mut health = Health {
        checked: !opened.by_index,
        truncated: opened.truncated,
        damage: Vec::new(),
        unknown_chunks: opened.unknown_chunks,
    };
    let mut damage = opened.damage.clone();
    if opened.by_index && recording.file_len() <= CHECKED_BYTES {
        match Recording::scan(File::open(path)?) {
            Ok(scanned) => {
                let found = scanned.opened();
                health.checked = true;
                health.truncated = found.truncated;
                health.unknown_chunks = found.unknown_chunks;
                damage.extend(&found.damage);
            }
            Err(OpenError::Io(error)) => return Err(error),
            // It has been replaced since it was opened.
            Err(_) => {}
        }
    }
    health.add(recording, &damage);
    Ok(health)
}

/// Which events the index has at which place of the file.
fn lost_at(recording: &Recording) -> BTreeMap<u64, Lost> {
    let mut lost = BTreeMap::new();
    for (stream, _) in recording.streams() {
        for chunk in recording.chunks(stream) {
            let events = Lost {
                stream,
                first: chunk.first,
                count: chunk.count,
                bytes: chunk.len,
            };
            lost.insert(chunk.offset, events);
        }
    }
    lost
}
