//! Taking records apart: the drainer's view of a ring's bytes.
//!
//! What it is given is a private copy of bytes that a subject wrote, which may
//! be corrupt or hostile. Whatever they are, it returns records or an error.

use super::record::{self, Tag};

/// One record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    Event {
        payload: &'a [u8],
        replaced: bool,
    },
    Slice(u64),
    Segment(u64),
    Outside {
        number: u64,
        len: u64,
        replaced: bool,
    },
    Lost(u64),
}

/// The bytes at this position are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt {
    pub(crate) pos: u64,
}

/// Goes through the records of a stretch of a ring.
pub(crate) struct Unpacker<'a> {
    bytes: &'a [u8],
    /// The position of the next record.
    pos: u64,
    ring_size: u64,
    /// The stretch ends at the head; otherwise anywhere, perhaps in a record.
    to_head: bool,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(bytes: &'a [u8], pos: u64, ring_size: u64, to_head: bool) -> Self {
        Self {
            bytes,
            pos,
            ring_size,
            to_head,
        }
    }

    /// The position behind the last record.
    pub(crate) fn pos(&self) -> u64 {
        self.pos
    }

    /// How far it is to the end of the ring's data.
    #[inline]
    fn to_boundary(&self) -> u64 {
        // The size is a power of two, and a division would show here.
        self.ring_size - (self.pos & (self.ring_size - 1))
    }

    /// The next record if it is a plain event: the bytes from its payload on,
    /// and the payload's length. Nearly all records are, so this is quick.
    #[inline]
    pub(crate) fn next_plain(&mut self) -> Option<(&'a [u8], usize)> {
        let (head, bytes) = self.bytes.split_first_chunk::<{ record::HEAD }>()?;
        let len = usize::from(u16::from_le_bytes(*head));
        let whole = record::HEAD + len;
        if len > record::MAX_BODY || whole > self.bytes.len() || whole as u64 > self.to_boundary() {
            return None;
        }
        self.bytes = self.bytes.get(whole..)?;
        self.pos += whole as u64;
        Some((bytes, len))
    }

    /// The next record; `None` at the end of the stretch.
    pub(crate) fn next(&mut self) -> Result<Option<Record<'a>>, Corrupt> {
        loop {
            if self.bytes.is_empty() {
                return Ok(None);
            }
            let to_boundary = self.to_boundary();
            if to_boundary < record::HEAD as u64 {
                self.skip(to_boundary as usize);
                continue;
            }
            // A record ends before the data does.
            let room = self.bytes.len().min(to_boundary as usize);
            let cut = self.bytes.len() < to_boundary as usize;
            let (available, _) = self.bytes.split_at(room);
            let Some((head, body)) = available.split_first_chunk::<{ record::HEAD }>() else {
                return self.incomplete(cut);
            };
            let (tag, len) = record::read_head(u16::from_le_bytes(*head));
            if tag == Tag::Pad {
                if len != 0 {
                    return Err(Corrupt { pos: self.pos });
                }
                self.skip(to_boundary as usize);
                continue;
            }
            let Some((record, taken)) = read_body(tag, len, body, self.ring_size)
                .map_err(|()| Corrupt { pos: self.pos })?
            else {
                return self.incomplete(cut);
            };
            self.skip(record::HEAD + taken);
            return Ok(Some(record));
        }
    }

    fn skip(&mut self, len: usize) {
        // A pad at the end of the stretch reaches up to the boundary, where
        // the next stretch begins.
        self.bytes = self.bytes.get(len..).unwrap_or_default();
        self.pos += len as u64;
    }

    fn incomplete(&self, cut: bool) -> Result<Option<Record<'a>>, Corrupt> {
        // Heads are stored behind whole records only.
        if cut && !self.to_head {
            return Ok(None);
        }
        Err(Corrupt { pos: self.pos })
    }
}

/// Reads a record's body; `Ok(None)` when there are too few bytes, `Err` when
/// no bytes could make it a record.
fn read_body(
    tag: Tag,
    len: usize,
    body: &[u8],
    ring_size: u64,
) -> Result<Option<(Record<'_>, usize)>, ()> {
    let number_at = |at: usize| {
        body.get(at..)
            .and_then(|bytes| bytes.first_chunk())
            .map(|bytes| u64::from_le_bytes(*bytes))
    };
    let number = |make: fn(u64) -> Record<'static>| {
        if len != 8 {
            return Err(());
        }
        Ok(number_at(0).map(|number| (make(number), 8)))
    };
    match tag {
        Tag::Event | Tag::Replaced => {
            let replaced = tag == Tag::Replaced;
            let event = |payload| (Record::Event { payload, replaced }, len);
            Ok(body.get(..len).map(event))
        }
        Tag::Slice => number(Record::Slice),
        Tag::Segment => number(Record::Segment),
        Tag::Lost => number(Record::Lost),
        Tag::Long => {
            let Some((long, rest)) = body.split_first_chunk::<4>() else {
                return Ok(None);
            };
            let long = u32::from_le_bytes(*long) as usize;
            if len > 1 || long > record::longest_inside(ring_size) {
                return Err(());
            }
            let replaced = len == 1;
            let event = |payload| (Record::Event { payload, replaced }, 4 + long);
            Ok(rest.get(..long).map(event))
        }
        Tag::Outside => {
            if len != record::OUTSIDE_BODY {
                return Err(());
            }
            let (Some(number), Some(length), Some(replaced)) =
                (number_at(0), number_at(8), body.get(16..20))
            else {
                return Ok(None);
            };
            let replaced = match replaced {
                [0, 0, 0, 0] => false,
                [1, 0, 0, 0] => true,
                _ => return Err(()),
            };
            let outside = Record::Outside {
                number,
                len: length,
                replaced,
            };
            Ok(Some((outside, record::OUTSIDE_BODY)))
        }
        Tag::Pad => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZE: u64 = 1 << 14;

    fn all(bytes: &[u8], pos: u64, to_head: bool) -> Result<Vec<Record<'_>>, Corrupt> {
        let slow = read_all(bytes, pos, to_head, false);
        // The quick way must not change what is read.
        assert_eq!(read_all(bytes, pos, to_head, true), slow);
        slow
    }

    fn read_all(
        bytes: &[u8],
        pos: u64,
        to_head: bool,
        quick: bool,
    ) -> Result<Vec<Record<'_>>, Corrupt> {
        let mut unpacker = Unpacker::new(bytes, pos, SIZE, to_head);
        let mut records = Vec::new();
        loop {
            while quick && let Some((bytes, len)) = unpacker.next_plain() {
                records.push(event(&bytes[..len]));
            }
            let Some(record) = unpacker.next()? else {
                return Ok(records);
            };
            records.push(record);
        }
    }

    fn event(payload: &[u8]) -> Record<'_> {
        let replaced = false;
        Record::Event { payload, replaced }
    }

    #[test]
    fn reads_records_by_hand() {
        let bytes = [
            3, 0x00, b'a', b'b', b'c', // an event
            1, 0x20, b'x', // a replaced one
            8, 0x40, 7, 0, 0, 0, 0, 0, 0, 0, // slice 7
            0, 0x00, // an event with nothing in it
        ];
        let expected = [
            event(b"abc"),
            Record::Event {
                payload: b"x",
                replaced: true,
            },
            Record::Slice(7),
            event(b""),
        ];
        assert_eq!(all(&bytes, 5, true).unwrap(), expected);
    }

    #[test]
    fn a_pad_and_a_single_byte_reach_the_boundary() {
        let mut bytes = vec![0, 0xc0, 9, 9, 9, 1, 0, b'a'];
        assert_eq!(all(&bytes, SIZE - 5, true).unwrap(), [event(b"a")]);
        bytes = vec![9, 1, 0, b'a'];
        assert_eq!(all(&bytes, SIZE - 1, true).unwrap(), [event(b"a")]);
    }

    #[test]
    fn a_record_over_the_boundary_or_the_head_is_corrupt() {
        let bytes = [4, 0, 1, 2, 3, 4];
        assert_eq!(all(&bytes, SIZE - 5, false), Err(Corrupt { pos: SIZE - 5 }));
        assert_eq!(all(&bytes[..4], 0, true), Err(Corrupt { pos: 0 }));
        assert_eq!(all(&bytes[..4], 0, false), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes: Vec<u8>, pos in 0..1u64 << 40, to_head: bool) {
            let _ = all(&bytes, pos, to_head);
        }
    }
}
