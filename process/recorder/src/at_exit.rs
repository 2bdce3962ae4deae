//! What the kernel does to memory when a thread ends, which no call tells about.

use nix::libc;

/// The most locks that are looked at when a thread ends; as in the kernel.
const LOCKS: usize = 2048;

/// What the kernel does to memory when a thread ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtExit {
    /// Where its number is taken away; 0 is nowhere.
    pub(crate) clears: u64,
    /// The list of locks that it holds.
    locks: u64,
}

impl AtExit {
    /// A call has been made that may change it.
    pub(crate) fn learn(&mut self, call: u64, arguments: &[u64; 6]) {
        match call.cast_signed() {
            libc::SYS_set_tid_address => self.clears = arguments[0],
            libc::SYS_set_robust_list => self.locks = arguments[0],
            _ => {}
        }
    }

    /// The words that may change.
    pub(crate) fn words(&self, word: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut words = Vec::new();
        if self.clears != 0 {
            words.push(self.clears);
        }
        if self.locks == 0 {
            return words;
        }
        // A list, whose elements are at a distance from their locks, and one more
        // element that is about to come or go. The lowest bit says what kind.
        let element = |at: u64| word(at) & !1;
        let distance = word(self.locks.wrapping_add(8));
        let mut locks = vec![element(self.locks.wrapping_add(16))];
        let mut next = element(self.locks);
        while next != self.locks && next != 0 && locks.len() < LOCKS {
            locks.push(next);
            next = element(next);
        }
        let locks = locks.into_iter().filter(|&lock| lock != 0);
        words.extend(locks.map(|lock| lock.wrapping_add(distance)));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_when_a_thread_ends_is_found() {
        let memory = |address: u64| match address {
            // The list: one element, and one that is about to come.
            0x100 => 0x201,
            0x108 => 0x20u64.wrapping_neg(),
            0x110 => 0x300,
            0x200 => 0x100,
            _ => 0,
        };
        let mut at_exit = AtExit::default();
        assert!(at_exit.words(memory).is_empty());
        at_exit.learn(libc::SYS_set_tid_address.cast_unsigned(), &[0x40; 6]);
        at_exit.learn(libc::SYS_set_robust_list.cast_unsigned(), &[0x100; 6]);
        at_exit.learn(libc::SYS_getpid.cast_unsigned(), &[0x999; 6]);
        assert_eq!(at_exit.words(memory), [0x40, 0x2e0, 0x1e0]);
    }
}
