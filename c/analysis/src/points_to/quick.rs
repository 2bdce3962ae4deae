//! Which edges there are. Large programs have tens of millions, and ask for each again and
//! again: the hash is a multiplication. Nobody chooses the numbers to do harm; whoever did
//! would wait longer for a program of his own.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::Var;

#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Edges by where they begin and end.
#[derive(Default)]
pub(super) struct QuickSet(HashSet<u64, BuildHasherDefault<Multiply>>);

impl QuickSet {
    /// Whether it is a new one.
    pub(super) fn insert(&mut self, (from, to): (Var, Var)) -> bool {
        self.0.insert(u64::from(from) << 32 | u64::from(to))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
