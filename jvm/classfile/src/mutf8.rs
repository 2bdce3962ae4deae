//! Modified UTF-8, the text encoding of class files.
//!
//! It differs from UTF-8 in two ways: U+0000 takes two bytes (`C0 80`), and a
//! character beyond U+FFFF is written as its two surrogates, three bytes each.
//! A class file may also hold lone surrogates, so decoding to a Rust string
//! can lose text. Everything in this crate therefore compares and copies the
//! raw bytes, and decodes only to show them.

use std::borrow::Cow;
use std::fmt;

/// Text of a class file, in its own encoding.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Utf8<'a>(pub &'a [u8]);

impl<'a> Utf8<'a> {
    /// The bytes as they stand in the file.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text, with a replacement character for each lone surrogate and each
    /// malformed sequence.
    pub fn to_str_lossy(self) -> Cow<'a, str> {
        decode_lossy(self.0)
    }
}

impl PartialEq<str> for Utf8<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == encode(other).as_ref()
    }
}

impl PartialEq<&str> for Utf8<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Display for Utf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str_lossy())
    }
}

impl fmt::Debug for Utf8<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str_lossy())
    }
}

/// The modified UTF-8 of `text`; borrowed where it equals UTF-8.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|b| b != 0 && b < 0xF0) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut out = Vec::with_capacity(text.len().saturating_add(8));
    for unit in text.encode_utf16() {
        let [high, low] = unit.to_be_bytes();
        match unit {
            1..=0x7F => out.push(low),
            0 | 0x80..=0x7FF => {
                out.push(0xC0 | (high << 2) | (low >> 6));
                out.push(0x80 | (low & 0x3F));
            }
            _ => {
                out.push(0xE0 | (high >> 4));
                out.push(0x80 | ((high & 0x0F) << 2) | (low >> 6));
                out.push(0x80 | (low & 0x3F));
            }
        }
    }
    Cow::Owned(out)
}

/// Decodes modified UTF-8; what is malformed becomes U+FFFD.
pub fn decode_lossy(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let (unit, after) = match (first, tail) {
            (0..=0x7F, _) => (u16::from(*first), tail),
            (0xC0..=0xDF, [b @ 0x80..=0xBF, after @ ..]) => {
                (u16::from(first & 0x1F) << 6 | u16::from(b & 0x3F), after)
            }
            (0xE0..=0xEF, [b @ 0x80..=0xBF, c @ 0x80..=0xBF, after @ ..]) => (
                u16::from(first & 0x0F) << 12 | u16::from(b & 0x3F) << 6 | u16::from(c & 0x3F),
                after,
            ),
            _ => (0xFFFD, tail),
        };
        units.push(unit);
        rest = after;
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_what_rust_can_hold() {
        for text in ["", "plain", "a\0b", "é ß", "日本", "🎈 x"] {
            assert_eq!(decode_lossy(&encode(text)), text);
        }
        assert_eq!(encode("\0").as_ref(), [0xC0, 0x80]);
        assert_eq!(encode("🎈").len(), 6);
    }

    #[test]
    fn a_lone_surrogate_is_shown_as_a_replacement() {
        assert_eq!(decode_lossy(&[b'a', 0xED, 0xA0, 0x80, b'b']), "a\u{FFFD}b");
        assert_eq!(decode_lossy(&[0xE0, 0x80]), "\u{FFFD}\u{FFFD}");
    }
}
