//! How long anything in a partial log may be. A reader holds every length
//! against these, and against the bytes that are left, before it allocates.

/// Shared program elements of one program.
pub const SPES: u32 = 1 << 20;
/// Threads of one run.
pub const THREADS: usize = 1 << 16;
/// Bytes of a name, of what failed, or of the place where it did.
pub const TEXT: usize = 1 << 12;
/// Accesses in one vector. Together with [`THREADS`] it keeps the number that
/// stands for a stretch of accesses within 64 bits.
pub const ACCESSES: u64 = 1 << 40;
