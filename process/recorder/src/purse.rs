//! The memory that the logs of all processes of the subject may take together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What may be taken. Clones share it.
#[derive(Clone)]
pub(crate) struct Purse(Arc<Inner>);

struct Inner {
    allowed: u64,
    taken: AtomicU64,
    takers: AtomicU64,
    /// What is nobody's alone.
    common: AtomicU64,
}

/// Something that is nobody's alone, until it is dropped.
pub(crate) struct Common {
    purse: Purse,
    len: u64,
}

/// What one log takes of it, until it is dropped.
pub(crate) struct Share {
    purse: Purse,
    taken: u64,
}

impl Purse {
    pub(crate) fn new(allowed: u64) -> Self {
        Self(Arc::new(Inner {
            allowed,
            taken: AtomicU64::new(0),
            takers: AtomicU64::new(0),
            common: AtomicU64::new(0),
        }))
    }

    pub(crate) fn share(&self) -> Share {
        self.0.takers.fetch_add(1, Ordering::Relaxed);
        Share {
            purse: self.clone(),
            taken: 0,
        }
    }

    pub(crate) fn allowed(&self) -> u64 {
        self.0.allowed
    }

    /// Something of this length is kept for several.
    pub(crate) fn count(&self, len: u64) -> Common {
        self.0.common.fetch_add(len, Ordering::Relaxed);
        let purse = self.clone();
        Common { purse, len }
    }

    /// What is nobody's alone.
    pub(crate) fn common(&self) -> u64 {
        self.0.common.load(Ordering::Relaxed)
    }

    /// What is left for the logs.
    fn left(&self) -> u64 {
        self.0.allowed.saturating_sub(self.common())
    }

    /// Whether more is taken than allowed.
    pub(crate) fn is_overdrawn(&self) -> bool {
        self.0.taken.load(Ordering::Relaxed) > self.left() || self.common() > self.0.allowed
    }
}

impl Drop for Common {
    fn drop(&mut self) {
        self.purse.0.common.fetch_sub(self.len, Ordering::Relaxed);
    }
}

impl Share {
    /// So much is taken now.
    pub(crate) fn take(&mut self, now: u64) {
        let before = std::mem::replace(&mut self.taken, now);
        let taken = &self.purse.0.taken;
        taken.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }

    /// Whether it has to become less: more is taken than allowed, and here more
    /// than is fair.
    pub(crate) fn is_too_much(&self) -> bool {
        let takers = self.purse.0.takers.load(Ordering::Relaxed).max(1);
        self.purse.is_overdrawn() && self.taken > self.purse.left() / takers
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.take(0);
        self.purse.0.takers.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_takes_more_than_is_fair_gives_up_first() {
        let purse = Purse::new(100);
        let (mut greedy, mut modest) = (purse.share(), purse.share());
        greedy.take(90);
        modest.take(10);
        assert!(!greedy.is_too_much() && !modest.is_too_much());
        modest.take(30);
        assert!(purse.is_overdrawn());
        assert!(greedy.is_too_much() && !modest.is_too_much());
        drop(modest);
        assert!(!greedy.is_too_much());
        greedy.take(101);
        assert!(greedy.is_too_much());
    }

    #[test]
    fn what_is_kept_for_several_leaves_less_for_each() {
        let purse = Purse::new(100);
        let (mut one, _other) = (purse.share(), purse.share());
        one.take(30);
        assert!(!one.is_too_much());
        let common = purse.count(80);
        assert!(purse.is_overdrawn() && one.is_too_much());
        drop(common);
        assert!(!purse.is_overdrawn());
    }
}
