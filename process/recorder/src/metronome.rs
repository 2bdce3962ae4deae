//! The thread that follows a subject sleeps, most of the time, in a call that only the
//! subject ends: to wait for something else beside it would cost each system call of the
//! subject a tenth more. So another thread looks now and then whether it should look up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use reprise_tracee::{Stop, TraceError, Tracee, Waiter};

use crate::shared::Orders;

/// The thread that looks, until this is dropped.
pub(crate) struct Metronome {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

struct Inner {
    waiter: Waiter,
    began: Instant,
    /// Until when it waits, in microseconds, if it does; otherwise `NOT`.
    until: AtomicU64,
    over: AtomicBool,
}

/// It does not wait.
const NOT: u64 = u64::MAX;
/// It waits for as long as it takes.
const FOR_EVER: u64 = u64::MAX - 1;

impl Metronome {
    /// For this thread, which is looked at so often.
    pub(crate) fn start(every: Duration, orders: &Orders) -> Self {
        let waiter = Waiter::this();
        orders.are_followed_by(waiter);
        let inner = Arc::new(Inner {
            waiter,
            began: Instant::now(),
            until: AtomicU64::new(NOT),
            over: AtomicBool::new(false),
        });
        let (looked_at, orders) = (inner.clone(), orders.clone());
        let thread = thread::spawn(move || {
            while !looked_at.over.load(Ordering::Relaxed) {
                thread::park_timeout(every);
                looked_at.look(&orders);
            }
        });
        Self {
            inner,
            thread: Some(thread),
        }
    }

    /// Waits for a process, but not much longer than until then, nor while somebody wants
    /// something.
    pub(crate) fn wait(
        &self,
        tracee: Tracee,
        until: Option<Instant>,
    ) -> Result<Option<Stop>, TraceError> {
        let until = until.map_or(FOR_EVER, |until| self.inner.micros(until));
        self.inner.until.store(until, Ordering::Relaxed);
        let stop = tracee.wait_once();
        self.inner.until.store(NOT, Ordering::Relaxed);
        stop
    }
}

impl Drop for Metronome {
    fn drop(&mut self) {
        self.inner.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn micros(&self, moment: Instant) -> u64 {
        let since = moment.saturating_duration_since(self.began);
        u64::try_from(since.as_micros()).map_or(FOR_EVER, |micros| micros.min(FOR_EVER))
    }

    /// A nudge that comes just before it waits is lost, and there is another one soon.
    fn look(&self, orders: &Orders) {
        let until = self.until.load(Ordering::Relaxed);
        if until != NOT && (until <= self.micros(Instant::now()) || orders.is_anything_wanted()) {
            self.waiter.nudge();
        }
    }
}
