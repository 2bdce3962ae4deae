//! Events that are short, as most are: without memory of their own.

use reprise_recording::spool::StdEnvironment;
use reprise_recording::spool::ring::RingWriter;

/// A byte, and at most three numbers or words.
pub(crate) struct Short {
    bytes: [u8; 40],
    len: usize,
}

impl Short {
    pub(crate) fn new(tag: u8) -> Self {
        let mut bytes = [0; 40];
        bytes[0] = tag;
        Self { bytes, len: 1 }
    }

    #[inline]
    pub(crate) fn number(&mut self, mut number: u64) -> &mut Self {
        while number >= 0x80 {
            self.bytes[self.len] = number as u8 | 0x80;
            number >>= 7;
            self.len += 1;
        }
        self.bytes[self.len] = number as u8;
        self.len += 1;
        self
    }

    /// So many bytes of a word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64, len: usize) -> &mut Self {
        self.bytes[self.len..self.len + 8].copy_from_slice(&word.to_le_bytes());
        self.len += len;
        self
    }

    #[inline]
    pub(crate) fn append(&self, ring: &mut RingWriter<StdEnvironment>) {
        ring.append(&self.bytes[..self.len]);
    }
}
