//! Events that are short, as most are: they are made in the spool itself.

use reprise_recording::spool::StdEnvironment;
use reprise_recording::spool::ring::RingWriter;

/// A byte, and a number of a site with another number and a word, or with a difference.
pub(crate) struct Short<'a> {
    bytes: &'a mut [u8; LEN],
    len: usize,
}

/// A number of 32 bits has at most five bytes, one of 64 has ten: nothing begins behind this.
const STARTS: usize = 16;

const LEN: usize = STARTS + 8;

/// Appends one.
#[inline]
pub(crate) fn append(
    ring: &mut RingWriter<StdEnvironment>,
    tag: u8,
    make: impl FnOnce(&mut Short<'_>),
) {
    ring.append_made(|bytes| {
        bytes[0] = tag;
        let mut short = Short { bytes, len: 1 };
        make(&mut short);
        short.len
    });
}

impl Short<'_> {
    #[inline]
    pub(crate) fn number(&mut self, mut number: u64) -> &mut Self {
        // Most have two bytes at most.
        while number >= 0x4000 {
            self.put(number as u8 | 0x80);
            number >>= 7;
        }
        if number >= 0x80 {
            self.put(number as u8 | 0x80);
            number >>= 7;
        }
        self.put(number as u8);
        self
    }

    #[inline]
    fn put(&mut self, byte: u8) {
        // Nothing is longer, so that this changes nothing, and nobody has to look.
        self.bytes[self.len % STARTS] = byte;
        self.len += 1;
    }

    /// So many bytes of a word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64, len: usize) -> &mut Self {
        let at = self.len % STARTS;
        self.bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        self.len += len;
        self
    }
}
