//! The bytes of an event.

use crate::{Crossing, Reason};

/// Why bytes are no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// They end inside a value.
    #[error("the event ends too early")]
    Short,
    /// There is no such event.
    #[error("no event begins with {0}")]
    Unknown(u8),
    /// A number does not fit.
    #[error("a number is too large")]
    Number,
    /// It is said by one before it, which is not there.
    #[error("it is as one before it that is not there")]
    Before,
    /// There is more than the event.
    #[error("{0} bytes follow the event")]
    Long(usize),
}

/// Appends an event to `out`.
pub fn write(event: &Crossing, out: &mut Vec<u8>) {
    match event {
        Crossing::Entry {
            function,
            arguments,
        } => {
            out.push(1);
            number(out, u64::from(*function));
            out.extend_from_slice(arguments);
        }
        Crossing::Value { site, same, bytes } => {
            out.push(if *same > 0 { 9 } else { 2 });
            number(out, u64::from(*site));
            if *same > 0 {
                number(out, u64::from(*same));
            }
            out.extend_from_slice(bytes);
        }
        Crossing::Result {
            site,
            bytes,
            filled,
        } => {
            out.push(3);
            number(out, u64::from(*site));
            number(out, bytes.len() as u64);
            out.extend_from_slice(bytes);
            for (address, bytes) in filled {
                out.extend_from_slice(&address.to_le_bytes());
                number(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
        }
        Crossing::SameResult { site } => {
            out.push(10);
            number(out, u64::from(*site));
        }
        Crossing::NearResult { site, more } => {
            out.push(13);
            number(out, u64::from(*site));
            number(out, (more << 1 ^ more >> 63).cast_unsigned());
        }
        Crossing::Same { count } => {
            out.push(12);
            number(out, u64::from(*count));
        }
        Crossing::LikeEntry {
            function,
            changed,
            arguments,
        } => {
            out.push(11);
            number(out, u64::from(*function));
            number(out, *changed);
            for argument in arguments {
                number(out, argument.len() as u64);
                out.extend_from_slice(argument);
            }
        }
        Crossing::Forked { process, events } => {
            out.push(7);
            number(out, u64::from(*process));
            out.extend_from_slice(&events.to_le_bytes());
        }
        Crossing::Turn { thread, new } => {
            out.push(6);
            number(out, u64::from(*thread) << 1 | u64::from(*new));
        }
        Crossing::Jump { mark, value } => {
            out.push(5);
            number(out, u64::from(*mark));
            out.extend_from_slice(&value.to_le_bytes());
        }
        Crossing::Left { why, site } => {
            out.push(8);
            number(out, *why as u64);
            number(out, site.map_or(0, |site| u64::from(site) + 1));
        }
        Crossing::End { sum, pool } => {
            out.push(4);
            out.extend_from_slice(&sum.to_le_bytes());
            out.extend_from_slice(&pool.to_le_bytes());
        }
    }
}

/// Whether the first event of a stream says that it is that of a child. A child that ends
/// before its parent may be written before it.
#[must_use]
pub fn begins_child(first: &[u8]) -> bool {
    matches!(read(first), Ok(Crossing::Forked { .. }))
}

/// Reads an event.
pub fn read(bytes: &[u8]) -> Result<Crossing, WireError> {
    let mut rest = bytes;
    let (tag, after) = rest.split_first().ok_or(WireError::Short)?;
    rest = after;
    let small = |rest: &mut &[u8]| {
        let number = take_number(rest)?;
        u32::try_from(number).map_err(|_| WireError::Number)
    };
    Ok(match tag {
        1 => Crossing::Entry {
            function: small(&mut rest)?,
            arguments: rest.to_vec(),
        },
        2 => Crossing::Value {
            site: small(&mut rest)?,
            same: 0,
            bytes: rest.to_vec(),
        },
        9 => Crossing::Value {
            site: small(&mut rest)?,
            same: small(&mut rest)?,
            bytes: rest.to_vec(),
        },
        3 => {
            let site = small(&mut rest)?;
            let bytes = take_bytes(&mut rest)?;
            let mut filled = Vec::new();
            while !rest.is_empty() {
                filled.push((take_word(&mut rest)?, take_bytes(&mut rest)?));
            }
            Crossing::Result {
                site,
                bytes,
                filled,
            }
        }
        4 => {
            let (sum, pool) = (take_word(&mut rest)?, take_word(&mut rest)?);
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            Crossing::End { sum, pool }
        }
        5 => {
            let mark = small(&mut rest)?;
            let (value, rest) = rest.split_first_chunk::<4>().ok_or(WireError::Short)?;
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            let value = i32::from_le_bytes(*value);
            Crossing::Jump { mark, value }
        }
        6 => {
            let both = small(&mut rest)?;
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            Crossing::Turn {
                thread: both >> 1,
                new: both & 1 != 0,
            }
        }
        7 => {
            let process = small(&mut rest)?;
            let events = take_word(&mut rest)?;
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            Crossing::Forked { process, events }
        }
        8 => {
            let (why, site) = (take_number(&mut rest)?, take_number(&mut rest)?);
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            let mut all = Reason::ALL.into_iter();
            let site = site.checked_sub(1).map(u32::try_from).transpose();
            Crossing::Left {
                why: all
                    .find(|one| *one as u64 == why)
                    .ok_or(WireError::Number)?,
                site: site.map_err(|_| WireError::Number)?,
            }
        }
        10 => {
            let site = small(&mut rest)?;
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            Crossing::SameResult { site }
        }
        11 => {
            let (function, changed) = (small(&mut rest)?, take_number(&mut rest)?);
            let mut arguments = Vec::new();
            for _ in 0..changed.count_ones() {
                let argument = take_bytes(&mut rest)?;
                if argument.len() > 8 {
                    return Err(WireError::Number);
                }
                arguments.push(argument);
            }
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            Crossing::LikeEntry {
                function,
                changed,
                arguments,
            }
        }
        12 => {
            let count = small(&mut rest)?;
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            Crossing::Same { count }
        }
        13 => {
            let (site, twice) = (small(&mut rest)?, take_number(&mut rest)?);
            if !rest.is_empty() {
                return Err(WireError::Long(rest.len()));
            }
            let more = (twice >> 1).cast_signed() ^ -(twice & 1).cast_signed();
            Crossing::NearResult { site, more }
        }
        other => return Err(WireError::Unknown(*other)),
    })
}

fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(rest: &mut &[u8]) -> Result<u64, WireError> {
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let (byte, after) = rest.split_first().ok_or(WireError::Short)?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(WireError::Number)
}

fn take_word(rest: &mut &[u8]) -> Result<u64, WireError> {
    let (word, after) = rest.split_first_chunk::<8>().ok_or(WireError::Short)?;
    *rest = after;
    Ok(u64::from_le_bytes(*word))
}

fn take_bytes(rest: &mut &[u8]) -> Result<Vec<u8>, WireError> {
    let len = take_number(rest)?;
    let len = usize::try_from(len).map_err(|_| WireError::Number)?;
    let (bytes, after) = rest.split_at_checked(len).ok_or(WireError::Short)?;
    *rest = after;
    Ok(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events() -> impl Strategy<Value = Crossing> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..300);
        let filled = prop::collection::vec((any::<u64>(), bytes()), 0..3);
        prop_oneof![
            (any::<u32>(), bytes()).prop_map(|(function, arguments)| Crossing::Entry {
                function,
                arguments
            }),
            (any::<u32>(), any::<u16>(), bytes()).prop_map(|(site, same, bytes)| {
                let same = u32::from(same / 2);
                Crossing::Value { site, same, bytes }
            }),
            (any::<u32>(), bytes(), filled).prop_map(|(site, bytes, filled)| {
                Crossing::Result {
                    site,
                    bytes,
                    filled,
                }
            }),
            any::<u32>().prop_map(|site| Crossing::SameResult { site }),
            any::<u32>().prop_map(|count| Crossing::Same { count }),
            (any::<u32>(), -1_i64 << 40..1 << 40)
                .prop_map(|(site, more)| Crossing::NearResult { site, more }),
            (
                any::<u32>(),
                0_u64..1 << 6,
                prop::collection::vec(0_u64..1 << 40, 6)
            )
                .prop_map(|(function, changed, words)| {
                    let words = words.iter().take(changed.count_ones() as usize);
                    let arguments = words.map(|word| word.to_le_bytes().to_vec()).collect();
                    Crossing::LikeEntry {
                        function,
                        changed,
                        arguments,
                    }
                }),
            (any::<u64>(), any::<u64>()).prop_map(|(sum, pool)| Crossing::End { sum, pool }),
            (any::<u32>(), any::<u64>())
                .prop_map(|(process, events)| Crossing::Forked { process, events }),
            (0..u32::MAX / 2, any::<bool>())
                .prop_map(|(thread, new)| Crossing::Turn { thread, new }),
            (any::<u32>(), any::<i32>()).prop_map(|(mark, value)| Crossing::Jump { mark, value }),
            (prop::sample::select(&Reason::ALL), any::<Option<u32>>())
                .prop_map(|(why, site)| Crossing::Left { why, site }),
        ]
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(event in events()) {
            let mut bytes = Vec::new();
            write(&event, &mut bytes);
            prop_assert_eq!(read(&bytes), Ok(event));
        }

        #[test]
        fn any_bytes_are_an_event_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn version_1_is_read() {
        let text: &[u8] = &[3, 5, 4, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0x20, 0, 0, 1, 9];
        let filled = vec![(0x2000_0000_0000, vec![9])];
        let expected = Crossing::Result {
            site: 5,
            bytes: vec![1, 2, 3, 4],
            filled,
        };
        assert_eq!(read(text), Ok(expected));
        assert_eq!(read(&[4, 1]), Err(WireError::Short));
        assert_eq!(read(&[99]), Err(WireError::Unknown(99)));
    }
}
