//! Memory that a process has at several addresses.

/// The most that an event may name.
pub const VIEWS: usize = 1 << 14;

/// A range of addresses that shows a part of something that others may show, too: what
/// is written in one of them can be read in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Where it begins; a multiple of the page size.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// The number of what it shows, within the recording.
    pub object: u32,
    /// Where in that it begins; a multiple of the page size.
    pub offset: u64,
}
