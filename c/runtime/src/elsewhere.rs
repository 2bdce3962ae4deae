//! What the C library has in the program's memory and nobody else looks into, as a mutex: its
//! content differs from run to run, so where that memory is inside, the library gets memory
//! elsewhere instead. That begins with what is inside, which is how the program has it begin;
//! what is inside stays as it is.
//!
//! Only inside functions have such an object, or it would be outside: so all that are given it
//! come here. A replay does not, since it calls no library.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::memory::is_owned;

/// As much as the longest of them has, aligned as any of them.
#[repr(align(16))]
struct Piece([u8; LONGEST]);

const LONGEST: usize = 128;

/// The pieces by where their objects are inside. They are never freed: somebody may wait there.
static PIECES: RwLock<BTreeMap<usize, usize>> = RwLock::new(BTreeMap::new());

static ANY: AtomicBool = AtomicBool::new(false);

/// Where the object is that inside memory stands for; other memory is its own.
#[unsafe(no_mangle)]
extern "C" fn __reprise_elsewhere(object: *mut u8, len: usize) -> *mut u8 {
    let address = object.addr();
    if !is_owned(address as u64) || len > LONGEST {
        return object;
    }
    let known = PIECES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(piece) = known.get(&address) {
        return std::ptr::with_exposed_provenance_mut(*piece);
    }
    drop(known);
    let mut all = PIECES.write().unwrap_or_else(PoisonError::into_inner);
    let piece = *all.entry(address).or_insert_with(|| {
        let mut piece = Box::new(Piece([0; LONGEST]));
        // SAFETY: the program gives it to the library as an object of this length.
        unsafe { std::ptr::copy_nonoverlapping(object, piece.0.as_mut_ptr(), len) };
        ANY.store(true, Ordering::Relaxed);
        Box::into_raw(piece).expose_provenance()
    });
    std::ptr::with_exposed_provenance_mut(piece)
}

/// Inside memory is given back: who gets it next has other objects there.
pub(crate) fn forget(start: u64, len: u64) {
    if !ANY.load(Ordering::Relaxed) {
        return;
    }
    let mut all = PIECES.write().unwrap_or_else(PoisonError::into_inner);
    let gone = all.range(start as usize..(start + len) as usize);
    let gone: Vec<usize> = gone.map(|(address, _)| *address).collect();
    for address in gone {
        all.remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_inside_is_its_own() {
        let mut mutex = [7_u8; 40];
        let at = mutex.as_mut_ptr();
        assert_eq!(__reprise_elsewhere(at, 40), at);
        assert!(__reprise_elsewhere(std::ptr::null_mut(), 40).is_null());
    }
}
