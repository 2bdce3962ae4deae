//! Finding the chunks of a file that has no usable index.
//!
//! Goes from chunk to chunk by their lengths and checks every checksum. Where
//! a header is damaged it looks for the next sync mark behind which a header
//! of this very recording stands.

use crate::{
    chunk::{self, ChunkHeader},
    damage::{Damage, Damaged},
    header,
    index::ChunkEntry,
    source::{Source, read_full},
};
use std::io;

/// What a scan finds.
#[derive(Default)]
pub(crate) struct Scan {
    pub(crate) entries: Vec<ChunkEntry>,
    pub(crate) damage: Vec<Damaged>,
    /// Where a chunk starts that the file does not hold to its end.
    pub(crate) truncated: Option<u64>,
    pub(crate) unknown_chunks: u64,
}

pub(crate) fn scan(source: &impl Source, id: u64, file_len: u64) -> io::Result<Scan> {
    let mut scan = Scan::default();
    let mut payload = Vec::new();
    let mut offset = header::LEN as u64;
    while offset < file_len {
        let mut bytes = [0; chunk::LEN];
        if file_len - offset < chunk::LEN as u64 {
            scan.truncated = Some(offset);
            break;
        }
        read_full(source, &mut bytes, offset)?;
        let header = match ChunkHeader::read(&bytes, id) {
            Ok(header) => header,
            Err(why) => {
                scan.damage.push(Damaged {
                    offset,
                    what: why.into(),
                });
                match find_header(source, id, offset + 1, file_len)? {
                    Some(next) => offset = next,
                    None => break,
                }
                continue;
            }
        };
        let len = header.len_in_file();
        if file_len - offset < len {
            scan.truncated = Some(offset);
            break;
        }
        payload.resize(header.stored as usize, 0);
        read_full(source, &mut payload, offset + chunk::LEN as u64)?;
        let computed = crc32c::crc32c(&payload);
        if computed != header.payload_crc && chunk::CHECKSUMS_COUNT {
            let found = header.payload_crc;
            scan.damage.push(Damaged {
                offset,
                what: Damage::Payload { found, computed },
            });
        } else if let Some(entry) = ChunkEntry::new(&header, offset) {
            scan.entries.push(entry);
        } else {
            scan.unknown_chunks += 1;
        }
        offset += len;
    }
    Ok(scan)
}

/// The first offset from `from` on at which a valid chunk header stands.
fn find_header(source: &impl Source, id: u64, from: u64, file_len: u64) -> io::Result<Option<u64>> {
    // Small at first: a file full of damage must not cost its square.
    const SMALLEST: u64 = 4 << 10;
    const LARGEST: u64 = 1 << 20;
    let mut size = SMALLEST;
    let mut window = Vec::new();
    let mut at = from;
    while file_len.saturating_sub(at) >= chunk::LEN as u64 {
        let len = (file_len - at).min(size) as usize;
        window.resize(len, 0);
        read_full(source, &mut window, at)?;
        for (i, bytes) in window.windows(chunk::LEN).enumerate() {
            if bytes[0] != chunk::SYNC[0] {
                continue;
            }
            if let Some(bytes) = bytes.first_chunk()
                && ChunkHeader::read(bytes, id).is_ok()
            {
                return Ok(Some(at + i as u64));
            }
        }
        at += (len - chunk::LEN + 1) as u64;
        size = (size * 2).min(LARGEST);
    }
    Ok(None)
}
