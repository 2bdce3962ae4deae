//! How a chunk's payload is packed: as it is, or with zstd.

use crate::limits;
use std::io::Read;

/// Payload stored as it is.
pub(crate) const STORED: u8 = 0;
/// Payload compressed with zstd.
pub(crate) const ZSTD: u8 = 1;

/// Packs payloads; keeps its working memory between calls.
pub(crate) struct Packer {
    zstd: zstd::bulk::Compressor<'static>,
    out: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(level: i32) -> std::io::Result<Self> {
        Ok(Self {
            zstd: zstd::bulk::Compressor::new(level)?,
            out: Vec::new(),
        })
    }

    /// Packs `raw` with whatever makes it smaller.
    pub(crate) fn pack<'a>(&'a mut self, raw: &'a [u8]) -> (u8, &'a [u8]) {
        // Below this zstd's own header eats what it saves.
        const WORTHWHILE: usize = 64;
        if raw.len() < WORTHWHILE {
            return (STORED, raw);
        }
        self.out.clear();
        self.out.reserve(zstd::zstd_safe::compress_bound(raw.len()));
        match self.zstd.compress_to_buffer(raw, &mut self.out) {
            Ok(len) if len < raw.len() => (ZSTD, &self.out),
            _ => (STORED, raw),
        }
    }
}

/// Unpacks a payload that must be `raw_len` bytes long; `None` when it is not.
pub(crate) fn unpack(codec: u8, stored: Vec<u8>, raw_len: usize) -> Option<Vec<u8>> {
    match codec {
        STORED => (stored.len() == raw_len).then_some(stored),
        ZSTD if raw_len <= limits::TRUSTED_ALLOCATION => {
            let raw = zstd::bulk::decompress(&stored, raw_len).ok()?;
            (raw.len() == raw_len).then_some(raw)
        }
        ZSTD => {
            // Grows with what really comes out, never by what the header says.
            let mut raw = Vec::new();
            let decoder = zstd::stream::read::Decoder::new(&stored[..]).ok()?;
            let mut limited = decoder.take(raw_len as u64 + 1);
            limited.read_to_end(&mut raw).ok()?;
            (raw.len() == raw_len).then_some(raw)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(raw: &[u8]) -> u8 {
        let mut packer = Packer::new(1).unwrap();
        let (codec, stored) = packer.pack(raw);
        let stored = stored.to_vec();
        assert_eq!(
            unpack(codec, stored.clone(), raw.len()).as_deref(),
            Some(raw)
        );
        assert_eq!(unpack(codec, stored, raw.len() + 1), None);
        codec
    }

    #[test]
    fn takes_what_is_smaller() {
        assert_eq!(round_trip(b"short"), STORED);
        assert_eq!(round_trip(&[7; 4096]), ZSTD);
        assert_eq!(round_trip(&vec![7; limits::TRUSTED_ALLOCATION * 3]), ZSTD);
        let mut noise = [0; 4096];
        blake3::Hasher::new().finalize_xof().fill(&mut noise);
        assert_eq!(round_trip(&noise), STORED);
    }

    #[test]
    fn an_unknown_codec_is_refused() {
        assert_eq!(unpack(9, vec![1, 2, 3], 3), None);
    }
}
