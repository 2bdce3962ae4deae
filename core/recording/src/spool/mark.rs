//! Marks: what a position in a ring means, for whoever comes after a dead
//! drainer. The [layout](super::layout) says where they are.

use super::layout::MAX_POSITION;
use crate::stream::StreamId;

/// The event number of a mark that gives its ring up.
pub(crate) const GIVEN_UP: u64 = MAX_POSITION - 1;

/// A mark as three words.
pub(crate) fn write(pos: u64, number: u64, stream: u32) -> [u64; 3] {
    let crc = crc(pos, number, stream);
    [pos, number, u64::from(stream) | u64::from(crc) << 32]
}

/// What a mark says; `None` when it is torn, senseless or was never written.
pub(crate) fn read([pos, number, last]: [u64; 3]) -> Option<(u64, u64, StreamId)> {
    let stream = last as u32;
    let good = (stream != 0 || number == GIVEN_UP)
        && pos < MAX_POSITION
        && number < MAX_POSITION
        && (last >> 32) as u32 == crc(pos, number, stream);
    good.then_some((pos, number, StreamId(stream)))
}

/// A segment mark: which segment a stream is in.
pub(crate) fn write_segment(segment: u32, stream: StreamId) -> u64 {
    u64::from(segment) | u64::from(segment_crc(segment, stream)) << 32
}

/// What a segment mark says of this stream.
pub(crate) fn read_segment(word: u64, stream: StreamId) -> Option<u32> {
    let segment = word as u32;
    ((word >> 32) as u32 == segment_crc(segment, stream)).then_some(segment)
}

fn segment_crc(segment: u32, stream: StreamId) -> u32 {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&segment.to_le_bytes());
    bytes[4..].copy_from_slice(&stream.0.to_le_bytes());
    crc32c::crc32c(&bytes)
}

fn crc(pos: u64, number: u64, stream: u32) -> u32 {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&pos.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    bytes[16..].copy_from_slice(&stream.to_le_bytes());
    crc32c::crc32c(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_mark_is_for_one_stream() {
        let word = write_segment(7, StreamId(3));
        assert_eq!(read_segment(word, StreamId(3)), Some(7));
        assert_eq!(read_segment(word, StreamId(4)), None);
        assert_eq!(read_segment(0, StreamId(3)), None);
    }

    #[test]
    fn a_torn_mark_is_none() {
        let old = write(1000, 10, 3);
        let new = write(2000, 20, 3);
        assert_eq!(read(new), Some((2000, 20, StreamId(3))));
        assert_eq!(read([new[0], old[1], old[2]]), None);
        assert_eq!(read([new[0], new[1], old[2]]), None);
        assert_eq!(read([0; 3]), None);
    }
}
