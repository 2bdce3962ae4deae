//! Names of classes, methods and source files, and how they are written.
//!
//! A word of a schedule ends at white space, and `#` begins a comment, but a
//! JVM allows both in names, and some languages make use of it. Such characters
//! are written `\u{20}`, the character's number in hexadecimal digits, and so
//! are those that would not be seen. A backslash that is not followed by `u{` is
//! a backslash.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::limits;

/// A name that is not empty and not longer than a class file can hold. Cloning
/// one is cheap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is nothing.
    #[error("a name is empty")]
    Empty,
    /// A class file could not hold it.
    #[error("a name has {0} bytes; at most {max} are allowed", max = limits::NAME)]
    TooLong(usize),
}

impl Name {
    /// The text as a name.
    pub fn new(text: &str) -> Result<Self, NameError> {
        match text.len() {
            0 => Err(NameError::Empty),
            length if length > limits::NAME => Err(NameError::TooLong(length)),
            _ => Ok(Self(text.into())),
        }
    }

    /// The name of a class as people write it, `com.acme.Producer`, from that or
    /// from the form of class files, `com/acme/Producer`.
    pub fn class(text: &str) -> Result<Self, NameError> {
        if text.contains('/') {
            Self::new(&text.replace('/', "."))
        } else {
            Self::new(text)
        }
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Shows the name with nothing escaped.
impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Writes `text` as a part of a word; `also` are characters that would mean
/// something else at this place.
pub(crate) fn write_word(out: &mut impl fmt::Write, text: &str, also: &[char]) -> fmt::Result {
    write(out, text, |c| c.is_whitespace() || also.contains(&c))
}

/// Writes `text` as the message of a `log` command, where single blanks stay.
pub(crate) fn write_message(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    write(out, text, |c| c.is_whitespace() && c != ' ')
}

fn write(out: &mut impl fmt::Write, text: &str, escaped: impl Fn(char) -> bool) -> fmt::Result {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let forged = c == '\\' && rest.as_str().starts_with("u{");
        if c == '#' || forged || is_unseen(c) || escaped(c) {
            write!(out, "\\u{{{:x}}}", c as u32)?;
        } else {
            out.write_char(c)?;
        }
    }
    Ok(())
}

/// Characters that command a terminal, or that change how their neighbours are
/// read without being seen themselves.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Reads escapes. The error is the position in bytes of one that makes no sense.
pub(crate) fn unescape(text: &str) -> Result<std::borrow::Cow<'_, str>, usize> {
    if !text.contains("\\u{") {
        return Ok(text.into());
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u{") {
        let at = text.len() - rest.len() + before.len();
        let (digits, behind) = after.split_once('}').ok_or(at)?;
        let fits = (1..=6).contains(&digits.len())
            && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = fits.then(|| u32::from_str_radix(digits, 16).ok()).flatten();
        let c = number.and_then(char::from_u32).ok_or(at)?;
        plain.push_str(before);
        plain.push(c);
        rest = behind;
    }
    plain.push_str(rest);
    Ok(plain.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, written: &str) {
        let mut out = String::new();
        write_word(&mut out, text, &[':']).unwrap();
        assert_eq!(out, written);
        assert_eq!(unescape(&out).as_deref(), Ok(text));
    }

    #[test]
    fn what_would_end_a_word_is_escaped() {
        check("run", "run");
        check("it works", "it\\u{20}works");
        check("a#b:c", "a\\u{23}b\\u{3a}c");
        check("größer数", "größer数");
        check("a\u{202e}b\u{1b}", "a\\u{202e}b\\u{1b}");
    }

    #[test]
    fn a_backslash_is_a_backslash_unless_it_could_be_an_escape() {
        check("C:\\temp\\u", "C\\u{3a}\\temp\\u");
        check("\\u{20}", "\\u{5c}u{20}");
    }

    #[test]
    fn an_escape_that_makes_no_sense_is_an_error_with_its_place() {
        assert_eq!(unescape("ab\\u{}"), Err(2));
        assert_eq!(unescape("\\u{41}\\u{d800}"), Err(6));
        assert_eq!(unescape("\\u{1234567}"), Err(0));
        assert_eq!(unescape("x\\u{4"), Err(1));
        assert_eq!(unescape("\\u{+4}"), Err(0));
    }
}
