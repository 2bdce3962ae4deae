//! What the JVM says: reader of what `Report.java` writes.
//!
//! ```text
//! 1 diverged    thread u4, number u8, where text, line u4, expected, actual
//! 2 done        events u8, divergences u8
//! 3 unplayable  thread u4, number u8, why text
//!
//! text  length u4, UTF-8        a fact  kind u1, member text, index u4, value text
//! ```
//! Numbers are big-endian, as Java writes them. The JVM runs a stranger's
//! classes, so nothing here is believed: lengths are limited, and what cannot
//! be read ends the replay.

use std::io::{self, Read};

use crate::divergence::{Fact, Location};

/// The longest text that is taken.
const LONGEST: u32 = 1 << 16;

/// One thing the JVM said.
#[derive(Debug)]
pub(crate) enum Said {
    Diverged {
        thread: u32,
        number: u64,
        location: Option<Location>,
        expected: Fact,
        actual: Fact,
    },
    Done {
        events: u64,
        diverged: u64,
    },
    Unplayable {
        thread: u32,
        number: u64,
        why: String,
    },
}

impl Said {
    /// Waits for the next.
    pub(crate) fn read(input: &mut impl Read) -> io::Result<Self> {
        Ok(match u8::from_be_bytes(bytes(input)?) {
            1 => {
                let thread = u32::from_be_bytes(bytes(input)?);
                let number = u64::from_be_bytes(bytes(input)?);
                let method = text(input)?;
                let line = u32::from_be_bytes(bytes(input)?);
                Self::Diverged {
                    thread,
                    number,
                    location: (!method.is_empty()).then_some(Location { method, line }),
                    expected: fact(input)?,
                    actual: fact(input)?,
                }
            }
            2 => Self::Done {
                events: u64::from_be_bytes(bytes(input)?),
                diverged: u64::from_be_bytes(bytes(input)?),
            },
            3 => Self::Unplayable {
                thread: u32::from_be_bytes(bytes(input)?),
                number: u64::from_be_bytes(bytes(input)?),
                why: text(input)?,
            },
            other => return Err(invalid(&format!("a report of kind {other}"))),
        })
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn bytes<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn text(input: &mut impl Read) -> io::Result<String> {
    let length = u32::from_be_bytes(bytes(input)?);
    if length > LONGEST {
        return Err(invalid("a text that is too long"));
    }
    let mut text = Vec::new();
    input.take(length.into()).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn fact(input: &mut impl Read) -> io::Result<Fact> {
    let kind = u8::from_be_bytes(bytes(input)?);
    let member = text(input)?;
    let index = u32::from_be_bytes(bytes(input)?);
    let value = text(input)?;
    let given = |value: String| (!value.is_empty()).then_some(value);
    Ok(match kind {
        1 => Fact::Call { member },
        2 => Fact::Argument {
            member,
            index,
            value,
        },
        3 => Fact::Read {
            member,
            receiver: given(value),
        },
        4 => Fact::Write {
            member,
            value: given(value),
        },
        5 => Fact::Return { value },
        6 => Fact::Throw { value },
        9 => Fact::Number { number: member },
        _ => Fact::Other { what: member },
    })
}
