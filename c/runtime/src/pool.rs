//! The heap of the inside: it gives the same addresses in a replay, since all that
//! it knows is inside memory, too.
//!
//! Sizes are rounded up to a few per power of two; what is freed is given out again
//! to the next who wants the same size. In front of each piece stands its size.

use reprise_c_events::area;

const CLASSES: usize = 192;
const HEAD: u64 = 16;

struct Pool {
    /// Up to where the area is in use.
    end: u64,
    /// The first free piece of each size; it holds the address of the next.
    free: [u64; CLASSES],
}

#[unsafe(link_section = "reprise_inside")]
static mut POOL: Pool = Pool {
    end: area::POOL,
    free: [0; CLASSES],
};

/// The pool. Only code that is inside uses it, one thread at a time.
fn pool() -> &'static mut Pool {
    let pool = &raw mut POOL;
    // SAFETY: as said above, and no caller keeps it.
    unsafe { &mut *pool }
}

/// The part of the area that is in use.
pub(crate) fn used() -> (u64, u64) {
    (area::POOL, pool().end)
}

/// The class of a size, and the size of its pieces: multiples of 16 up to 512, and
/// four per power of two from there on.
fn class(size: u64) -> Option<(usize, u64)> {
    if size <= 512 {
        let class = size.div_ceil(16).max(1);
        return Some((class as usize, class * 16));
    }
    if size > area::LEN / 2 {
        return None;
    }
    let power = 63 - (size - 1).leading_zeros();
    let step = 1_u64 << (power - 2);
    let quarter = (size - (1 << power)).div_ceil(step);
    let class = 32 + (u64::from(power) - 9) * 4 + quarter;
    Some((class as usize, (1 << power) + quarter * step))
}

fn word(address: u64) -> *mut u64 {
    address as *mut u64
}

pub(crate) fn allocate(size: u64) -> u64 {
    let Some((class, size)) = class(size) else {
        return 0;
    };
    let pool = pool();
    let Some(free) = pool.free.get_mut(class) else {
        return 0;
    };
    let piece = *free;
    if piece != 0 {
        // SAFETY: a piece of the pool that nobody uses holds the next.
        *free = unsafe { word(piece).read() };
        return piece;
    }
    let piece = pool.end + HEAD;
    if size > area::POOL_END - piece {
        return 0;
    }
    pool.end = (piece + size).next_multiple_of(16);
    // SAFETY: within the area, behind everything that was given out.
    unsafe { word(piece - HEAD).write(size) };
    piece
}

pub(crate) fn size_of(piece: u64) -> u64 {
    // SAFETY: `piece` was given out by the pool, so its size is in front of it.
    unsafe { word(piece - HEAD).read() }
}

pub(crate) fn release(piece: u64) {
    let Some((class, _)) = class(size_of(piece)) else {
        return;
    };
    if let Some(free) = pool().free.get_mut(class) {
        // SAFETY: the piece is the pool's again, and every piece has room for this.
        unsafe { word(piece).write(*free) };
        *free = piece;
    }
}
