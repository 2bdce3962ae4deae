//! Text on its way to a terminal.
//!
//! A recording may come from a stranger, and what the subject printed, named or
//! threw may contain anything: sequences that clear the screen or retitle the
//! window, marks that reverse the direction of the text, bytes that are not
//! UTF-8. Such text is shown with those parts spelt out. A backslash is doubled,
//! so that what is shown can only have come from one text.

use std::fmt::{self, Write as _};

/// What happens to the ends of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// The text stays on one line: line ends and tabs are spelt out.
    One,
    /// The text may have several lines: `\n` and tabs are kept.
    Many,
}

/// Bytes that display as text which is safe to send to a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a> {
    bytes: &'a [u8],
    lines: Lines,
}

/// Makes bytes displayable.
pub fn escape(bytes: &[u8], lines: Lines) -> Escaped<'_> {
    Escaped { bytes, lines }
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' | '\t' if self.lines == Lines::Many => out.write_char(c)?,
                    '\n' => out.write_str("\\n")?,
                    '\t' => out.write_str("\\t")?,
                    '\r' => out.write_str("\\r")?,
                    '\\' => out.write_str("\\\\")?,
                    '\0'..='\x7f' if c.is_ascii_control() => write!(out, "\\x{:02x}", c as u32)?,
                    _ if is_deceptive(c) => write!(out, "\\u{{{:x}}}", c as u32)?,
                    _ => out.write_char(c)?,
                }
            }
            for byte in chunk.invalid() {
                write!(out, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Characters that command a terminal, break lines, or change how their
/// neighbours are read without being seen themselves.
pub(crate) fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Marks, embeddings, overrides and isolates of text direction.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separators.
            | '\u{2028}' | '\u{2029}'
            // Zero width: two names that look the same would not be.
            | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
            // Tags and interlinear annotation: text that is not displayed.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(input: &[u8], expected: &str) {
        assert_eq!(escape(input, Lines::One).to_string(), expected);
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        check("".as_bytes(), "");
        check("größer 数 🎬 a/b".as_bytes(), "größer 数 🎬 a/b");
    }

    #[test]
    fn terminal_sequences_are_spelt_out() {
        check(b"\x1b[2J\x07\x7f", "\\x1b[2J\\x07\\x7f");
        check("\u{9b}2J".as_bytes(), "\\u{9b}2J");
        check(b"\r\n\t\0", "\\r\\n\\t\\x00");
    }

    #[test]
    fn text_direction_cannot_be_reversed() {
        check("\u{202e}cod.exe".as_bytes(), "\\u{202e}cod.exe");
        check("\u{2066}\u{2069}".as_bytes(), "\\u{2066}\\u{2069}");
    }

    #[test]
    fn invalid_utf8_is_shown_byte_by_byte() {
        check(b"a\xffb\xe2\x82", "a\\xffb\\xe2\\x82");
    }

    #[test]
    fn an_escape_cannot_be_forged() {
        check(b"\\x1b", "\\\\x1b");
    }

    #[test]
    fn several_lines_keep_only_line_ends_and_tabs() {
        let text = escape(b"a\n\tat b\r\x1b", Lines::Many).to_string();
        assert_eq!(text, "a\n\tat b\\r\\x1b");
    }

    /// Arbitrary bytes rarely contain the interesting ones.
    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<u8>().prop_map(|byte| vec![byte]),
            any::<char>().prop_map(|c| c.to_string().into_bytes()),
            (0x2000u32..0x2070).prop_map(|c| char::from_u32(c)
                .map(String::from)
                .unwrap_or_default()
                .into_bytes()),
            Just(b"\\".to_vec()),
            Just(b"\n".to_vec()),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    fn unescape(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            if c != '\\' {
                bytes.extend_from_slice(c.to_string().as_bytes());
                continue;
            }
            let (kind, after) = rest.split_at(1);
            rest = after;
            match kind {
                "n" => bytes.push(b'\n'),
                "t" => bytes.push(b'\t'),
                "r" => bytes.push(b'\r'),
                "\\" => bytes.push(b'\\'),
                "x" => {
                    bytes.push(u8::from_str_radix(&rest[..2], 16).unwrap());
                    rest = &rest[2..];
                }
                "u" => {
                    let (digits, after) = rest[1..].split_once('}').unwrap();
                    let c = char::from_u32(u32::from_str_radix(digits, 16).unwrap());
                    bytes.extend_from_slice(c.unwrap().to_string().as_bytes());
                    rest = after;
                }
                other => panic!("there is no escape {other}"),
            }
        }
        bytes
    }

    proptest! {
        #[test]
        fn one_line_never_contains_a_deceptive_character(input in hostile()) {
            let text = escape(&input, Lines::One).to_string();
            prop_assert!(!text.chars().any(is_deceptive), "{text:?}");
        }

        #[test]
        fn many_lines_contain_no_other_than_line_ends_and_tabs(input in hostile()) {
            let text = escape(&input, Lines::Many).to_string();
            let rest = text.replace(['\n', '\t'], "");
            prop_assert!(!rest.chars().any(is_deceptive), "{text:?}");
            let lines = input.iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(text.matches('\n').count(), lines);
        }

        #[test]
        fn what_is_shown_can_only_have_come_from_one_text(input in hostile()) {
            let text = escape(&input, Lines::One).to_string();
            prop_assert_eq!(unescape(&text), input);
        }
    }
}
