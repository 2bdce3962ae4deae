//! Who is who among the threads of a run.
//!
//! A thread is known by its parent and by how many threads that parent had
//! started before: `0.2.1` is the second child of the third child of the first
//! thread. That is the same in every run, whatever the interleaving; the number
//! that a log uses for a thread ([`ThreadId`]) is its place in that log's map
//! and means nothing in another log.

use super::limits;

/// A thread, as its place in the [`ThreadMap`] of one log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u32);

/// Where a thread comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Birth {
    /// Who started it; the first thread of a program has no parent.
    pub parent: Option<ThreadId>,
    /// How many threads its parent had started before it.
    pub order: u32,
}

/// What identifies a thread across runs: a hash of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadKey([u8; 16]);

impl ThreadKey {
    /// The bytes of the hash.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// The threads of a run, parents before their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadMap {
    births: Vec<Birth>,
    keys: Vec<ThreadKey>,
}

/// Why a thread cannot be added to a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThreadError {
    /// Its parent is not in the map.
    #[error("thread {thread} has the parent {parent}, which does not come before it")]
    Parent {
        /// The thread's number.
        thread: usize,
        /// The parent's.
        parent: u32,
    },
    /// There are too many.
    #[error("there are more than {} threads", limits::THREADS)]
    TooMany,
}

impl ThreadMap {
    /// Adds a thread.
    pub fn add(&mut self, birth: Birth) -> Result<ThreadId, ThreadError> {
        let thread = self.births.len();
        if thread >= limits::THREADS {
            return Err(ThreadError::TooMany);
        }
        let mut hasher = blake3::Hasher::new();
        if let Some(parent) = birth.parent {
            let Some(key) = self.key(parent) else {
                let parent = parent.0;
                return Err(ThreadError::Parent { thread, parent });
            };
            hasher.update(key.bytes());
        }
        hasher.update(&birth.order.to_le_bytes());
        self.births.push(birth);
        self.keys.push(ThreadKey(super::shorten(&hasher)));
        Ok(ThreadId(thread as u32))
    }

    /// The births, in the order of the thread numbers.
    #[must_use]
    pub fn births(&self) -> &[Birth] {
        &self.births
    }

    /// How many threads there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.births.len()
    }

    /// Whether there is no thread.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.births.is_empty()
    }

    /// What identifies a thread in other logs.
    #[must_use]
    pub fn key(&self, thread: ThreadId) -> Option<&ThreadKey> {
        self.keys.get(thread.0 as usize)
    }

    /// The births from the first thread down to this one, `[0, 2, 1]` for
    /// `0.2.1`.
    #[must_use]
    pub fn path(&self, thread: ThreadId) -> Option<Vec<u32>> {
        let mut path = Vec::new();
        let mut next = Some(thread);
        while let Some(thread) = next {
            let birth = self.births.get(thread.0 as usize)?;
            path.push(birth.order);
            // A parent's number is smaller, so this ends.
            next = birth.parent;
        }
        path.reverse();
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn birth(parent: Option<u32>, order: u32) -> Birth {
        let parent = parent.map(ThreadId);
        Birth { parent, order }
    }

    #[test]
    fn a_thread_is_the_same_whatever_its_number() {
        let mut first = ThreadMap::default();
        for birth in [birth(None, 0), birth(Some(0), 0), birth(Some(0), 1)] {
            first.add(birth).unwrap();
        }
        let mut second = ThreadMap::default();
        for birth in [birth(None, 0), birth(Some(0), 1), birth(Some(0), 0)] {
            second.add(birth).unwrap();
        }
        assert_eq!(first.key(ThreadId(1)), second.key(ThreadId(2)));
        assert_eq!(first.key(ThreadId(2)), second.key(ThreadId(1)));
        assert_ne!(first.key(ThreadId(1)), first.key(ThreadId(2)));
        assert_eq!(second.path(ThreadId(1)), Some(vec![0, 1]));
        assert_eq!(second.path(ThreadId(3)), None);
    }

    #[test]
    fn a_path_is_not_its_digits() {
        // 0.1 and a first thread with number 1 are two threads.
        let mut map = ThreadMap::default();
        let root = map.add(birth(None, 0)).unwrap();
        let child = map.add(birth(Some(0), 1)).unwrap();
        let other = map.add(birth(None, 1)).unwrap();
        assert_ne!(map.key(child), map.key(other));
        assert_ne!(map.key(root), map.key(other));
    }

    #[test]
    fn a_parent_comes_first() {
        let mut map = ThreadMap::default();
        let found = map.add(birth(Some(0), 0));
        assert_eq!(
            found,
            Err(ThreadError::Parent {
                thread: 0,
                parent: 0
            })
        );
    }
}
