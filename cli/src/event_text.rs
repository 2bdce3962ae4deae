//! What an event says, in one line for people.
//!
//! Each kind of event has its own payload, and only its recorder knows what it
//! means. A kind that can put its events into words adds a line to `KINDS`;
//! the events of all others are shown as text or as bytes. Those of a [`jvm`]
//! mean something only in their turn, and those of a program that was [`cut`] with its
//! names.

pub mod cut;
pub mod jvm;

use std::fmt::Write as _;

use crate::escape::{Lines, escape, is_deceptive};

/// Puts a payload of one kind of event into words; `None` when it is not what
/// the kind writes. The words need not be escaped.
type Describe = fn(&[u8]) -> Option<String>;

/// The kinds that can put their events into words.
const KINDS: &[(&str, Describe)] = &[
    (crate::tour::KIND, crate::tour::describe),
    (crate::share::file::LOG, crate::share::file::describe),
    (reprise_process_events::KIND, |payload| {
        let event = reprise_process_events::wire::read(payload).ok()?;
        Some(reprise_process_events::describe(&event))
    }),
    (reprise_process_events::PLACES, |payload| {
        let place = reprise_process_events::wire::read_place(payload).ok()?;
        Some(reprise_process_events::describe_place(place))
    }),
];

/// The longest text of an event, and the most bytes that are shown as bytes.
const TEXT_BYTES: usize = 160;
const HEX_BYTES: usize = 24;

/// What an event of a kind says, safe for a terminal and of a bounded length.
pub fn describe(kind: &str, payload: &[u8]) -> String {
    let known = KINDS.iter().find(|(name, _)| *name == kind);
    match known.and_then(|(_, describe)| describe(payload)) {
        Some(text) => words(&text),
        None if payload.is_empty() => "(empty)".into(),
        None if is_text(payload) => cut(payload, payload.len(), ["\"", "\""]),
        None => hex(payload),
    }
}

/// A kind's own words, safe for a terminal and of a bounded length.
pub fn words(text: &str) -> String {
    cut(text.as_bytes(), text.len(), ["", ""])
}

/// As much of a text as fits, and how long it was if that is not all of it.
fn cut(text: &[u8], len: usize, [open, close]: [&str; 2]) -> String {
    if len <= TEXT_BYTES {
        return format!("{open}{}{close}", escape(text, Lines::One));
    }
    let mut end = TEXT_BYTES;
    // A character is not cut in half: continuation bytes begin with 10.
    while end > TEXT_BYTES - 4 && text[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    let text = escape(&text[..end], Lines::One);
    format!("{open}{text}…{close} ({len} bytes)")
}

fn hex(payload: &[u8]) -> String {
    let shown = &payload[..payload.len().min(HEX_BYTES)];
    let mut text = String::with_capacity(shown.len() * 3 + 24);
    for (i, byte) in shown.iter().enumerate() {
        if i > 0 {
            text.push(' ');
        }
        text.extend(hex_digits(*byte));
    }
    if payload.len() > shown.len() {
        let _ = write!(text, " … ({} bytes)", payload.len());
    }
    text
}

/// The two digits of a byte. With `write!` for each, a listing of a million
/// events of bytes took 2.8 s instead of 2.1 s (dev build).
pub(crate) fn hex_digits(byte: u8) -> [char; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)].into())
}

/// Whether bytes are better shown as text: nearly all of what would be seen of
/// them is printable.
fn is_text(payload: &[u8]) -> bool {
    let seen = &payload[..payload.len().min(TEXT_BYTES)];
    let mut printable = 0;
    for chunk in seen.utf8_chunks() {
        let valid = chunk.valid().chars();
        let good = valid.filter(|c| !is_deceptive(*c) || c.is_ascii_whitespace());
        printable += good.map(char::len_utf8).sum::<usize>();
    }
    printable * 10 >= seen.len() * 9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(payload: &[u8], expected: &str) {
        assert_eq!(describe("no such kind", payload), expected);
    }

    #[test]
    fn text_is_shown_as_text() {
        check(b"", "(empty)");
        check(b"GET / HTTP/1.1\r\n", "\"GET / HTTP/1.1\\r\\n\"");
        check("größer".as_bytes(), "\"größer\"");
        check(
            b"twenty letters \x1b[2J and more",
            "\"twenty letters \\x1b[2J and more\"",
        );
    }

    #[test]
    fn bytes_are_shown_as_bytes() {
        check(&[0, 0x1b, 0xff], "00 1b ff");
        let long = describe("no such kind", &[0xab; 1000]);
        assert!(long.starts_with("ab ab ab"), "{long}");
        assert!(long.ends_with("ab … (1000 bytes)"), "{long}");
    }

    #[test]
    fn what_is_long_is_cut_between_characters() {
        let text = "ä".repeat(1000);
        let shown = describe("no such kind", text.as_bytes());
        assert_eq!(shown, format!("\"{}…\" (2000 bytes)", "ä".repeat(80)));
        let odd = describe("no such kind", format!("x{text}").as_bytes());
        assert_eq!(odd, format!("\"x{}…\" (2001 bytes)", "ä".repeat(79)));
    }

    #[test]
    fn a_known_kind_has_its_own_words() {
        let payload = b"transfer 40 from anna to ben";
        let shown = describe(crate::tour::KIND, payload);
        assert_eq!(shown, "transfer 40 from anna to ben");
        // What that kind never writes is shown as what it is.
        assert_eq!(describe(crate::tour::KIND, b"\xff\xfe"), "ff fe");
    }

    #[test]
    fn a_known_kinds_words_are_escaped() {
        let shown = describe(crate::tour::KIND, b"transfer \x1b[2J");
        assert_eq!(shown, "transfer \\x1b[2J");
    }
}
