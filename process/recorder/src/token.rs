//! Who runs, of the processes that share memory: one at a time, who came first is first.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::turns;

/// How long a process may compute while others want the token.
const COMPUTING: Duration = Duration::from_millis(50);

/// Through how many calls, and for how long, a process keeps the token while others want
/// it. To hand it over costs a look at all memory that is shared.
const CALLS: u32 = 64;
const TURN: Duration = Duration::from_millis(20);

/// How long a call lasts before it is asked whether it sleeps.
const SHORT: Duration = Duration::from_micros(100);

/// How long a call keeps the token, though it does not sleep.
pub(crate) const IN_KERNEL: Duration = Duration::from_millis(1);

/// Who runs, of the processes that share memory.
#[derive(Default)]
pub(crate) struct Token {
    holder: Cell<Option<(Pid, Instant)>>,
    /// Those that wait for it, in the order in which they came.
    queue: RefCell<VecDeque<Pid>>,
    /// Through how many calls it has been kept.
    kept: Cell<u32>,
    /// The holder is in a call.
    call: Cell<Option<InCall>>,
}

/// A call in which the token is kept.
#[derive(Clone, Copy)]
struct InCall {
    began: Instant,
    /// When it was last asked whether it sleeps.
    asked: Instant,
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
            self.kept.set(0);
            self.call.set(None);
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
            self.call.set(None);
        }
        if !queue.is_empty() {
            turns::look_again();
        }
    }

    fn is_wanted(&self) -> bool {
        !self.queue.borrow().is_empty()
    }

    /// A process begins a call that should be short. Returns whether it holds the token
    /// and has not kept it for long enough; then it keeps it until it runs again.
    pub(crate) fn is_kept_by(&self, process: Pid) -> bool {
        let Some((_, since)) = self.holder.get().filter(|(one, _)| *one == process) else {
            return false;
        };
        let began = Instant::now();
        let long = self.kept.get() >= CALLS || began.duration_since(since) >= TURN;
        if long && self.is_wanted() {
            return false;
        }
        self.kept.set(self.kept.get().saturating_add(1));
        let asked = began;
        self.call.set(Some(InCall { began, asked }));
        true
    }

    /// The holder runs its program.
    pub(crate) fn runs(&self) {
        self.call.set(None);
    }

    /// When to ask whether a call sleeps that others wait for.
    pub(crate) fn wake(&self) -> Option<Instant> {
        let call = self.call.get().filter(|_| self.is_wanted())?;
        Some(call.asked + SHORT)
    }

    /// Who is in a call that may sleep while others wait, and for how long it has been.
    pub(crate) fn lingering(&self) -> Option<(Pid, Duration)> {
        let now = Instant::now();
        if self.wake()? > now {
            return None;
        }
        let (holder, _) = self.holder.get()?;
        let mut call = self.call.get()?;
        call.asked = now;
        self.call.set(Some(call));
        Some((holder, now.duration_since(call.began)))
    }

    /// Who has computed for too long while it held it.
    pub(crate) fn overdue(&self) -> Option<Pid> {
        let (holder, since) = self.holder.get()?;
        let computes = self.call.get().is_none();
        (computes && self.is_wanted() && since.elapsed() >= COMPUTING).then_some(holder)
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

    #[test]
    fn the_token_is_kept_through_short_calls_until_others_have_waited() {
        let (one, two) = (Pid::from_raw(1), Pid::from_raw(2));
        let token = Token::default();
        assert!(!token.is_kept_by(one));
        assert!(token.take(one));
        for _ in 0..2 * CALLS {
            assert!(token.is_kept_by(one));
            assert!(token.wake().is_none() && token.lingering().is_none());
            token.runs();
        }
        assert!(!token.take(two));
        assert!(!token.is_kept_by(one) && !token.is_kept_by(two));
        token.give_back(one);
        assert!(token.take(two) && !token.take(one));
        assert!(token.is_kept_by(two));
        std::thread::sleep(SHORT);
        let (holder, _) = token.lingering().unwrap();
        assert_eq!(holder, two);
        // It is not asked all the time.
        assert!(
            token
                .wake()
                .is_some_and(|wake| wake > Instant::now() - SHORT)
        );
        token.runs();
        assert!(token.wake().is_none());
    }
}
