//! A byte of the recording goes bad: what it belongs to is named, and the rest
//! is shown.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use reprise_recording::{Recording, chunk};

use super::stage::{Stage, wrong};
use super::subject_killed::FILE as GOOD;
use crate::failure::Failure;

const FILE: &str = "damaged.reprise";

pub(super) fn play(stage: &mut Stage) -> Result<(), Failure> {
    let file = stage.file(FILE);
    let fail = |error| Failure::new(format!("damage {}", file.display()), error);
    fs::copy(stage.file(GOOD), &file).map_err(fail)?;
    let place = place(&file)?;
    flip(&file, place).map_err(fail)?;
    stage.say(&format!(
        "Disks and transfers make mistakes. In a copy of the first recording, byte {place} is \
         changed."
    ))?;
    let shown = stage.show(&[FILE, "--limit", "3"])?;
    if !shown.stdout.contains("lost: events ") {
        return Err(wrong("the damage was not noticed"));
    }
    stage.say("Every part has its own checksum: the damage is found, and it stays where it is.")
}

/// A byte in the middle of the part with the most events.
fn place(file: &Path) -> Result<u64, Failure> {
    let recording = Recording::open(file)
        .map_err(|error| Failure::new(format!("read {}", file.display()), error))?;
    let chunk = recording
        .streams()
        .flat_map(|(stream, _)| recording.chunks(stream))
        .max_by_key(|chunk| chunk.count);
    let chunk = chunk.ok_or_else(|| wrong("the first recording is empty"))?;
    let start = chunk.offset + chunk::LEN as u64;
    Ok(start + (chunk.offset + chunk.len - start) / 2)
}

fn flip(file: &Path, place: u64) -> std::io::Result<()> {
    let file = File::options().read(true).write(true).open(file)?;
    let mut byte = [0];
    file.read_exact_at(&mut byte, place)?;
    file.write_all_at(&[!byte[0]], place)
}
