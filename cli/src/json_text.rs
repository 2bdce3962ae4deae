//! JSON on its way to a terminal.
//!
//! Programs read `--json`, and people look at it, too. Characters that command
//! a terminal or deceive the eye are written as `\u` escapes, which mean the
//! same to a program and do nothing to a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::escape::is_deceptive;

/// Writes a value on one line.
pub fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(
        &mut *out,
        Safe(CompactFormatter),
    ))?;
    out.write_all(b"\n")
}

/// Writes a value over several lines.
pub fn write_pretty(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Safe(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    out.write_all(b"\n")
}

/// Another formatter, with safe strings.
struct Safe<F>(F);

/// Hands calls through to the formatter inside.
macro_rules! same {
    ($($name:ident($($argument:ident: $type:ty),*);)+) => {
        $(fn $name<W: ?Sized + Write>(
            &mut self, writer: &mut W $(, $argument: $type)*
        ) -> io::Result<()> {
            self.0.$name(writer $(, $argument)*)
        })+
    };
}

impl<F: Formatter> Formatter for Safe<F> {
    same! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut written = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| is_deceptive(*c)) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_deceptive_is_written_and_nothing_is_lost() {
        let text = "\u{1b}[2J \u{9b}2J \u{202e}cod \u{7f} \u{e0041} grün";
        let mut out = Vec::new();
        write_line(&mut out, &[text]).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(
            out,
            "[\"\\u001b[2J \\u009b2J \\u202ecod \\u007f \\udb40\\udc41 grün\"]\n"
        );
        assert_eq!(serde_json::from_str::<[String; 1]>(&out).unwrap(), [text]);
    }

    #[test]
    fn pretty_is_pretty() {
        let mut out = Vec::new();
        write_pretty(&mut out, &serde_json::json!({ "a": [1] })).unwrap();
        assert_eq!(out, b"{\n  \"a\": [\n    1\n  ]\n}\n");
    }
}
