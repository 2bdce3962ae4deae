//! The access vector of a shared program element: which thread accessed it, in
//! order, with consecutive accesses by one thread counted instead of listed.

use super::limits;
use super::thread::{ThreadId, ThreadMap};
use super::{Fingerprint, Spe};

/// Consecutive accesses by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    /// Who.
    pub thread: ThreadId,
    /// How often; never 0.
    pub count: u64,
}

/// A sequence of thread ids, run-length encoded. Two neighbouring stretches
/// are never of the same thread, so equal sequences are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AccessVector {
    stretches: Vec<Stretch>,
    accesses: u64,
}

/// There are more accesses than a vector may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an access vector is longer than {} accesses", limits::ACCESSES)]
pub struct TooLong;

impl AccessVector {
    /// Adds `count` accesses by `thread`.
    pub fn push(&mut self, thread: ThreadId, count: u64) -> Result<(), TooLong> {
        let accesses = self.accesses.checked_add(count);
        let accesses = accesses.filter(|&all| all <= limits::ACCESSES);
        self.accesses = accesses.ok_or(TooLong)?;
        match self.stretches.last_mut() {
            _ if count == 0 => {}
            Some(last) if last.thread == thread => last.count += count,
            _ => self.stretches.push(Stretch { thread, count }),
        }
        Ok(())
    }

    /// The stretches, in order.
    #[must_use]
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// How many accesses there are.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// The threads, one item for each access.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let each = |stretch: &Stretch| {
            let thread = stretch.thread;
            (0..stretch.count).map(move |_| thread)
        };
        self.stretches.iter().flat_map(each)
    }

    /// The hash by which vectors of different logs are compared, or `None` when
    /// a thread is not in the map.
    ///
    /// It is over the keys of the threads, so it does not depend on how a log
    /// numbers them, and over the SPE: the vectors of two SPEs are two vectors,
    /// even where the threads are the same. (The paper's weights add up to 1
    /// only then.)
    #[must_use]
    pub fn fingerprint(&self, spe: Spe, threads: &ThreadMap) -> Option<Fingerprint> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&spe.0.to_le_bytes());
        for stretch in &self.stretches {
            hasher.update(threads.key(stretch.thread)?.bytes());
            hasher.update(&stretch.count.to_le_bytes());
        }
        Some(Fingerprint(super::shorten(&hasher)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(threads: &[u32]) -> AccessVector {
        let mut vector = AccessVector::default();
        for &thread in threads {
            vector.push(ThreadId(thread), 1).unwrap();
        }
        vector
    }

    #[test]
    fn consecutive_accesses_are_counted() {
        let vector = vector(&[1, 1, 1, 0, 1]);
        let counts: Vec<_> = vector.stretches().iter().map(|s| s.count).collect();
        assert_eq!(counts, [3, 1, 1]);
        assert_eq!(vector.accesses(), 5);
        let threads: Vec<_> = vector.iter().map(|thread| thread.0).collect();
        assert_eq!(threads, [1, 1, 1, 0, 1]);
    }

    #[test]
    fn no_access_leaves_no_trace() {
        let mut vector = vector(&[1]);
        vector.push(ThreadId(7), 0).unwrap();
        vector.push(ThreadId(1), 1).unwrap();
        assert_eq!(vector.stretches().len(), 1);
    }

    #[test]
    fn it_does_not_grow_without_limit() {
        let mut vector = AccessVector::default();
        vector.push(ThreadId(0), limits::ACCESSES).unwrap();
        assert_eq!(vector.push(ThreadId(0), 1), Err(TooLong));
        assert_eq!(vector.push(ThreadId(0), u64::MAX), Err(TooLong));
        assert_eq!(vector.push(ThreadId(1), 0), Ok(()));
        assert_eq!(vector.accesses(), limits::ACCESSES);
    }
}
