//! Who runs, of the processes that share memory: one at a time, who came first is first.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::turns;

/// How long a process may compute while others want the token.
const COMPUTING: Duration = Duration::from_millis(50);

/// Who runs, of the processes that share memory.
#[derive(Default)]
pub(crate) struct Token {
    holder: Cell<Option<(Pid, Instant)>>,
    /// Those that wait for it, in the order in which they came.
    queue: RefCell<VecDeque<Pid>>,
}

impl Token {
    pub(crate) fn take(&self, process: Pid) -> bool {
        if self.is_held_by(process) {
            return true;
        }
        let mut queue = self.queue.borrow_mut();
        let is_next = queue.front().is_none_or(|next| *next == process);
        if self.holder.get().is_none() && is_next {
            queue.pop_front();
            self.holder.set(Some((process, Instant::now())));
            return true;
        }
        if !queue.contains(&process) {
            queue.push_back(process);
        }
        false
    }

    pub(crate) fn is_held_by(&self, process: Pid) -> bool {
        self.holder
            .get()
            .is_some_and(|(holder, _)| holder == process)
    }

    /// The process does not hold it any more, nor want it.
    pub(crate) fn give_back(&self, process: Pid) {
        let mut queue = self.queue.borrow_mut();
        queue.retain(|waiting| *waiting != process);
        if self.is_held_by(process) {
            self.holder.set(None);
        }
        if !queue.is_empty() {
            turns::look_again();
        }
    }

    /// Who has held it for too long.
    pub(crate) fn overdue(&self) -> Option<Pid> {
        let (holder, since) = self.holder.get()?;
        let wanted = !self.queue.borrow().is_empty();
        (wanted && since.elapsed() >= COMPUTING).then_some(holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_the_token_at_a_time() {
        let (one, two) = (Pid::from_raw(1), Pid::from_raw(2));
        let token = Token::default();
        assert!(token.take(one) && token.take(one));
        assert!(!token.take(two));
        assert!(token.is_held_by(one));
        let three = Pid::from_raw(3);
        assert!(!token.take(three));
        token.give_back(one);
        // Who came first is first.
        assert!(!token.take(three) && !token.take(one));
        assert!(token.take(two) && token.overdue().is_none());
        token.give_back(three);
        token.give_back(two);
        assert!(!token.take(two) && token.take(one));
    }
}
