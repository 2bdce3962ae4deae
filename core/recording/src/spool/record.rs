//! The bytes of one record in a ring.
//!
//! ```text
//!  0  2  head   bits 0..13: length of the body; bits 13..16: what it is
//!  2     body
//!
//!    tag       length  body
//!  0 event        any  the event, up to 8191 bytes
//!  1 replaced     any  an event whose payload is a stand-in for a private one
//!  2 slice          8  u64: the stamp of the events that follow
//!  3 segment        8  u64: the segment that the events that follow belong to
//!  4 long      0 or 1  u32 length, then the event, up to a quarter of the ring;
//!                      the head's length says 0 for an event, 1 for a replaced
//!                      one, and nothing about the body
//!  5 outside       20  u64 number, u64 length, u32 1 if replaced, otherwise 0:
//!                      the event is in a file of its own, `FOLDER/RING-NUMBER`
//!  6 pad            0  none; the rest up to the end of the data is skipped
//!  7 lost           8  u64: so many events were not recorded here (too long, or
//!                      no room for their file)
//! ```
//! Numbers are little-endian and not aligned. A length other than in this table
//! makes the rest of the ring corrupt.
//!
//! An event takes the first form that it fits: event, long, outside. One of
//! more than 256 MiB is lost.
//!
//! Where fewer than two bytes are left to the end of the data, they are
//! skipped with no pad. The folder of outside events is the spool's name with
//! `.d` behind it, and is there already. RING is the ring's index and NUMBER
//! any number that this claim of the ring has not used yet, both in decimal.
//! The file is whole before the record exists; a file of that name that is
//! there before is nobody's and is overwritten. The drainer removes them. Where
//! the process has a limit on the size of files that is lower than the event,
//! the event is lost: to write past it would be the end of the subject.

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[allow(missing_docs, reason = "the module's drawing says what they are")]
pub enum Tag {
    Event = 0,
    Replaced = 1,
    Slice = 2,
    Segment = 3,
    Long = 4,
    Outside = 5,
    Pad = 6,
    Lost = 7,
}

/// The longest body that a record's head can say.
pub const MAX_BODY: usize = (1 << 13) - 1;
/// The length of a record's head.
pub const HEAD: usize = 2;
/// The longest event that a recording takes.
pub const LONGEST: usize = 256 << 20;
/// The body of a record that says where an outside event is.
pub const OUTSIDE_BODY: usize = 20;

/// The head of a record.
#[must_use]
pub const fn head(tag: Tag, len: usize) -> u16 {
    (tag as u16) << 13 | (len as u16 & MAX_BODY as u16)
}

/// What a head says.
#[must_use]
pub const fn read_head(head: u16) -> (Tag, usize) {
    let tag = match head >> 13 {
        0 => Tag::Event,
        1 => Tag::Replaced,
        2 => Tag::Slice,
        3 => Tag::Segment,
        4 => Tag::Long,
        5 => Tag::Outside,
        6 => Tag::Pad,
        _ => Tag::Lost,
    };
    (tag, head as usize & MAX_BODY)
}

/// The longest event that goes into a ring of this size; what is longer goes
/// outside.
#[must_use]
pub const fn longest_inside(ring_size: u64) -> usize {
    (ring_size / 4) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_round_trip() {
        for number in 0..=u16::MAX {
            let (tag, len) = read_head(number);
            assert_eq!(head(tag, len), number);
        }
    }
}
