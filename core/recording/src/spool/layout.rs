//! The bytes of a spool, for whoever writes into one.
//!
//! Numbers are little-endian; `u64` fields are 8-byte aligned. *W* marks a
//! field that the writer (the subject) stores, *D* one that the drainer
//! stores. Whoever stores a field is the only one who does, but for those
//! marked *atomic*.
//!
//! ```text
//! The spool header, one page
//!    0   8  magic           "RPRSPOOL"
//!    8   4  version         1
//!   12   4  rings           how many rings the file has room for
//!   16   8  ring_size       bytes of data in each ring, a power of two
//!   24   8  controls_at     offset of the first ring control
//!   32   8  regions_at      offset of the first ring region
//!   40   4  dead_after_ms   how long a drainer may be silent before a waiting
//!                           writer takes it for dead
//!   64   8  heartbeat    D  changes every 20 milliseconds or so
//!  128   4  state           0 recording, 1 ended by the drainer, 2 ended by a
//!                           writer because the drainer was silent (atomic)
//!  132   4  turned_away  W  threads that found no ring (atomic add)
//!  136   4  wanted       W  threads that had to wait for a ring (atomic add)
//!  140   4  stop            1: somebody wants the drainer to end the recording,
//!                           which is then for the drainer to do (atomic)
//!  192   8  stamp        W  the last stamp given out (atomic add); first is 1
//!  256   8  segment      D  the segment that events belong to from now on
//!  264   8  first_live   W  the first segment no ring has dropped (atomic max)
//!  512  32  kind[0]         name of a kind of event, 28 bytes of UTF-8 padded
//!                           with zeros, then its version as u32
//!  544  32  kind[1] …       up to kind[63]; the first with no name ends them
//!
//! A ring control, 256 bytes; ring i's is at controls_at + 256 i
//!    0   4  state           0 absent, 1 ready, 2 taken, 3 closed (atomic)
//!    4   4  policy       W  0 block, 1 ring
//!    8   4  process      W  its id, as the subject sees it
//!   12   4  kind         W  index into the header's kinds
//!   16   8  thread       W  the kind's own number for the thread
//!   24   4  flags        W  1: a table, which other streams refer to
//!   28   4  name_len     W  up to 64
//!   32  64  name         W  UTF-8, what a person calls the thread
//!  128   8  head         W  position behind the last complete record
//!  136   8  discarded    W  events that came after the recording had ended
//!  144   8  last_word    W  an event that is the last one if nothing follows it:
//!                           its length in the first byte, 0 if there is none,
//!                           then up to seven bytes
//!  192   8  tail            position of the oldest record that is still needed;
//!                           D under block, W under ring
//!  200  24  mark[0]      D  how far the recording has got, see below
//!  224  24  mark[1]      D
//!  248   8  segment_mark D  the segment that the stream is in, see below
//!
//! A ring region; ring i's is at regions_at + (4096 + ring_size) i
//!    0  24  start[0]     W  segment (u64), position (u64), event number (u64)
//!   24  24  start[1] …   W  up to start[63]: where segments begin, used in turn
//! 4096      the ring's data
//! ```
//!
//! The file has its full length from the start; only the rings that were ready
//! once have blocks on the disk, so that no other region may be touched.
//!
//! **Positions** are below 2⁶² and only grow, also from one thread that uses a
//! ring to the next; the byte of position p is data\[p mod ring_size\]. What lies from `head` up
//! to `tail + ring_size` is the writer's to scribble on. Records are not
//! aligned. A record never wraps: when the bytes up to the end of the data do
//! not hold it, the writer puts a [pad](super::record) there and goes on at the
//! start.
//!
//! **To claim a ring** a thread makes sure that the spool's state is 0, looks
//! for a control in state 1 and changes it to 2 by compare-and-swap; then it
//! stores policy, process, kind, thread, flags and name (a longer one is cut
//! off), and loads `head`, which is where its first record goes and the only
//! field that it takes over. Its first record names the segment, as the header
//! has it. No ready ring: it adds 1 to `wanted`, once, and
//! the drainer will have prepared more in a moment; who
//! has waited for `dead_after_ms` (as counted below) goes on without, and adds 1 to
//! `turned_away`; if `heartbeat` has not changed in that time, it ends the
//! recording as below. A thread that ends stores
//! state 3, with release order, and the ring is used again once it is drained.
//! After a fork the child must not touch its parent's rings; it claims its own.
//!
//! **To append** a thread writes the record behind `head` and then stores the
//! new `head`, with release order where its memory model has one. That single
//! store is what makes the record exist. There must be room: the new head may
//! not exceed `tail + ring_size`. A writer keeps the last `tail` it saw and
//! looks again, with acquire order, only when that is used up. A pad is
//! appended by itself, before the writer waits for the room behind it: the
//! drainer holds back slices and segments that no event follows, up to half of
//! the ring, so that nobody can count on more than the other half.
//!
//! **To wait for room** a writer looks at `tail` again and again, with a rest
//! in between. When it sees `state` other than 0, recording has ended for this
//! ring, for good. When `heartbeat` has not changed for `dead_after_ms` by the
//! writer's own clock, it changes `state` from 0 to 2 by compare-and-swap, and
//! recording has ended, too. A rest that took longer than a quarter of
//! `dead_after_ms` counts as a quarter, here and below: the program was stopped,
//! and the drainer perhaps with it. A writer that waits stores `policy`, `head` and the
//! ring's state again, in case something else in the subject has overwritten
//! them, and gives its ring up when the heart beats and `tail` has not moved for
//! ten times `dead_after_ms`. Events from then on are counted in `discarded`.
//! A writer that has room need not look at `state`; what it appends behind the
//! end is not seen by anybody.
//!
//! **A last word** is for what a writer counts and does not write down each time. It stores 0
//! there before it appends what the word was about. When the recording ends, the drainer appends
//! the word of a ring from which nothing has come since.
//!
//! **Events have numbers**, from 0 for each claim of a ring. Nobody stores
//! them: the drainer counts events of every form, and as many as a lost record
//! says. Slices, segments and pads do not count.
//!
//! **Segments** are below 2³². When the header's has changed, a writer begins
//! it where its kind of events allows, with a segment record. **Stamps** grow
//! within a ring; to take one is to add 1 to the header's `stamp`, and the sum
//! is the stamp.
//!
//! **A mark** is a position, an event number, the stream (u32) and a CRC32C of
//! those 20 bytes: up to this position, which is where this event of this
//! stream begins, the recording has everything. The drainer writes the two in
//! turn, so that one is always whole; the valid one with the larger position
//! counts. The segment mark is a segment (u32) and a CRC32C of it and the
//! stream: the stream has entered this segment, and the record that said so was
//! released before an event followed it. A mark with the event number 2⁶²−1 says
//! that the ring was corrupt, and that nothing more of it is read. Only
//! [recovery](super::recover) reads them. A ring that is ready has none of them.
//!
//! **Under the ring policy** the tail is always the position of one of the
//! region's starts. A writer that begins its k-th segment (from 0 for each
//! claim), which is s, at position p with event e stores
//! start\[k mod 64\] = (s, p, e), then the segment record; p is where that
//! record is, and e counts the events that were discarded, too. Behind the
//! segment record it repeats its last stamp, if it has one. With the first
//! start it moves its tail to p. A writer that needs room, or a start while all
//! 64 are in use, raises `first_live` above its oldest segment and moves its
//! tail to the next start; a store fence keeps what it then overwrites behind
//! the new tail. When even the current segment does not fit, it raises
//! `first_live` above that and discards events until the next segment; so it
//! does with an event that is too long for the ring: there are no outside and
//! no lost records under this policy. With every segment that it begins or
//! drops it looks at `state`, and stops for good when that is not 0. A mark
//! under this policy says up to where a copy was taken; the tail stays the
//! writer's.

/// The first bytes of a spool.
pub const MAGIC: [u8; 8] = *b"RPRSPOOL";
/// The version of the spool.
pub const VERSION: u32 = 1;

/// Offsets in the spool header.
#[allow(missing_docs, reason = "the module's drawing says what they are")]
pub mod header {
    pub const MAGIC: usize = 0;
    pub const VERSION: usize = 8;
    pub const RINGS: usize = 12;
    pub const RING_SIZE: usize = 16;
    pub const CONTROLS_AT: usize = 24;
    pub const REGIONS_AT: usize = 32;
    pub const DEAD_AFTER_MS: usize = 40;
    pub const HEARTBEAT: usize = 64;
    pub const STATE: usize = 128;
    pub const TURNED_AWAY: usize = 132;
    pub const WANTED: usize = 136;
    pub const STOP: usize = 140;
    pub const STAMP: usize = 192;
    pub const SEGMENT: usize = 256;
    pub const FIRST_LIVE: usize = 264;
    pub const KINDS: usize = 512;
    pub const KIND_LEN: usize = 32;
    pub const KIND_NAME_LEN: usize = 28;
    pub const MAX_KINDS: usize = 64;
    pub const LEN: usize = 4096;
}

/// Offsets in a ring control.
#[allow(missing_docs, reason = "the module's drawing says what they are")]
pub mod control {
    pub const STATE: usize = 0;
    pub const POLICY: usize = 4;
    pub const PROCESS: usize = 8;
    pub const KIND: usize = 12;
    pub const THREAD: usize = 16;
    pub const FLAGS: usize = 24;
    pub const NAME_LEN: usize = 28;
    pub const NAME: usize = 32;
    pub const MAX_NAME: usize = 64;
    pub const HEAD: usize = 128;
    pub const DISCARDED: usize = 136;
    pub const LAST_WORD: usize = 144;
    pub const MAX_LAST_WORD: usize = 7;
    pub const TAIL: usize = 192;
    pub const MARKS: usize = 200;
    pub const MARK_LEN: usize = 24;
    pub const SEGMENT_MARK: usize = 248;
    pub const LEN: usize = 256;
    pub const FLAG_TABLE: u32 = 1;
}

/// Offsets in a ring region.
#[allow(missing_docs, reason = "the module's drawing says what they are")]
pub mod region {
    pub const START_LEN: usize = 24;
    pub const STARTS: usize = 64;
    pub const DATA: usize = 4096;
}

/// States of the whole spool.
pub mod state {
    /// Events are wanted.
    pub const RECORDING: u32 = 0;
    /// The drainer wants no more.
    pub const ENDED: u32 = 1;
    /// A writer waited for a drainer that gave no sign of life.
    pub const DRAINER_SILENT: u32 = 2;
}

/// States of a ring.
pub mod ring_state {
    /// Its region is not there yet and must not be touched.
    pub const ABSENT: u32 = 0;
    /// Free to be claimed.
    pub const READY: u32 = 1;
    /// A thread writes into it.
    pub const TAKEN: u32 = 2;
    /// Its thread has ended; it waits to be drained.
    pub const CLOSED: u32 = 3;
}

/// What a writer does when its ring is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Policy {
    /// Wait for the drainer.
    #[default]
    Block = 0,
    /// Drop the oldest segment.
    Ring = 1,
}

/// The numbers of the spool header that both sides compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spool {
    /// How many rings the file has room for.
    pub rings: u32,
    /// Bytes of data in each ring.
    pub ring_size: u64,
    /// How long a drainer may be silent.
    pub dead_after_ms: u32,
}

/// The smallest ring, so that a page of records fits several times.
pub const MIN_RING: u64 = 16 << 10;
/// The largest ring.
pub const MAX_RING: u64 = 1 << 30;
/// Positions and event numbers are below this, which no thread lives to see:
/// a larger one is corrupt, and sums of the others do not overflow.
pub const MAX_POSITION: u64 = 1 << 62;
/// The most rings.
pub const MAX_RINGS: u32 = 1 << 16;

impl Spool {
    /// Offset of a ring's control.
    #[must_use]
    pub fn control_at(&self, ring: u32) -> u64 {
        header::LEN as u64 + u64::from(ring) * control::LEN as u64
    }

    /// Offset of a ring's region.
    #[must_use]
    pub fn region_at(&self, ring: u32) -> u64 {
        let controls = u64::from(self.rings) * control::LEN as u64;
        let regions_at = (header::LEN as u64 + controls).next_multiple_of(4096);
        regions_at + u64::from(ring) * (region::DATA as u64 + self.ring_size)
    }

    /// Offset of a ring's data.
    #[must_use]
    pub fn data_at(&self, ring: u32) -> u64 {
        self.region_at(ring) + region::DATA as u64
    }

    /// The length of the file with every ring present.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        self.region_at(self.rings)
    }

    /// Reads the header's first bytes; `None` when they are not a spool's.
    #[must_use]
    pub fn read(bytes: &[u8; header::LEN]) -> Option<Self> {
        let u32_at = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        let spool = Self {
            rings: u32_at(header::RINGS),
            ring_size: u64_at(header::RING_SIZE),
            dead_after_ms: u32_at(header::DEAD_AFTER_MS),
        };
        let sane = bytes[..8] == MAGIC
            && u32_at(header::VERSION) == VERSION
            && (1..=MAX_RINGS).contains(&spool.rings)
            && (MIN_RING..=MAX_RING).contains(&spool.ring_size)
            && spool.ring_size.is_power_of_two()
            && u64_at(header::CONTROLS_AT) == spool.control_at(0)
            && u64_at(header::REGIONS_AT) == spool.region_at(0);
        sane.then_some(spool)
    }

    /// Writes the header's first bytes.
    pub fn write(&self, bytes: &mut [u8; header::LEN]) {
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(header::MAGIC, &MAGIC);
        put(header::VERSION, &VERSION.to_le_bytes());
        put(header::RINGS, &self.rings.to_le_bytes());
        put(header::RING_SIZE, &self.ring_size.to_le_bytes());
        put(header::CONTROLS_AT, &self.control_at(0).to_le_bytes());
        put(header::REGIONS_AT, &self.region_at(0).to_le_bytes());
        put(header::DEAD_AFTER_MS, &self.dead_after_ms.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPOOL: Spool = Spool {
        rings: 100,
        ring_size: 1 << 20,
        dead_after_ms: 1000,
    };

    #[test]
    fn round_trip() {
        let mut bytes = [0; header::LEN];
        SPOOL.write(&mut bytes);
        assert_eq!(Spool::read(&bytes), Some(SPOOL));
    }

    #[test]
    fn nothing_overlaps() {
        assert_eq!(SPOOL.control_at(1) - SPOOL.control_at(0), 256);
        assert!(SPOOL.control_at(SPOOL.rings) <= SPOOL.region_at(0));
        assert_eq!(SPOOL.region_at(0) % 4096, 0);
        assert_eq!(SPOOL.region_at(1) - SPOOL.data_at(0), SPOOL.ring_size);
        const { assert!(control::MARKS + 2 * control::MARK_LEN == control::SEGMENT_MARK) };
        const { assert!(control::SEGMENT_MARK + 8 == control::LEN) };
        const { assert!(region::STARTS * region::START_LEN <= region::DATA) };
        const { assert!(header::KINDS + header::KIND_LEN * header::MAX_KINDS <= header::LEN) };
    }

    #[test]
    fn a_header_that_lies_is_refused() {
        for (at, value) in [
            (0, 0u8),
            (8, 2),
            (12, 0),
            (16, 1),
            (18, 0xff),
            (24, 9),
            (32, 9),
        ] {
            let mut bytes = [0; header::LEN];
            SPOOL.write(&mut bytes);
            bytes[at] = value;
            if at == 12 {
                bytes[12..16].fill(0xff);
            }
            assert_eq!(Spool::read(&bytes), None, "byte {at}");
        }
    }
}
