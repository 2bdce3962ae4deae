//! Whose turn it is. A thread has its turn until it sleeps in a system call, or
//! until others have waited for long enough: then it ends at the next system
//! call, and if that does not come, in the middle of a computation, with a pause.

use std::cell::Cell;
use std::fs;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sched::sched_yield;
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use reprise_process_events::Position;
use reprise_syscalls::Class;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::calls::{Entered, Way, unrecordable};
use crate::session::{Session, Trouble};
use crate::threads::{Other, Place, Turn, state_of};

/// How long a turn lasts while others wait, if there are system calls.
const TURN: Duration = Duration::from_millis(2);

/// How long a thread may compute while others wait. A loaded machine must not
/// make it less, so it is the thread's own time.
const COMPUTING: Duration = Duration::from_millis(20);

/// The same for one that has waited for others in a loop.
const IDLING: Duration = Duration::from_millis(2);

/// The same where the kernel does not tell a thread's own time.
const WAITING: Duration = Duration::from_millis(100);

/// A segment that begins in the middle of a computation costs a copy of the
/// subject: so many times as long as that takes, the program runs.
const SHARE: u32 = 10;

/// How long a call keeps the turn, though it does not sleep.
const IN_KERNEL: Duration = Duration::from_millis(1);

/// How long nothing is looked at, at most, while something is awaited.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// How often a thread gets the processor before it is asked whether it sleeps.
const YIELDS: u32 = 3;

/// As long as it lives, this thread sees when a traced process has something to
/// tell, and threads that it makes do not.
pub(crate) struct Quiet(SigSet);

impl Quiet {
    pub(crate) fn begin() -> Self {
        let mut child = SigSet::empty();
        child.add(Signal::SIGCHLD);
        let before = child.thread_swap_mask(SigmaskHow::SIG_BLOCK);
        Self(before.unwrap_or_else(|_| SigSet::empty()))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = self.0.thread_set_mask();
    }
}

thread_local! {
    /// Something may have been told that nobody has looked at.
    static TOLD: Cell<bool> = const { Cell::new(false) };
}

/// Waits until some process has something to tell, or for so long. What others
/// than the one that is awaited have to tell is looked at before the next sleep.
pub(crate) fn wait_for_any(at_most: Duration) {
    TOLD.set(true);
    reprise_tracee::wait_for_any(Some(at_most));
}

/// Something has changed that all should look at before the next sleep.
pub(crate) fn look_again() {
    TOLD.set(true);
}

/// Sleeps until some process has something to tell, or until then.
pub(crate) fn sleep(until: Option<Instant>) {
    if TOLD.take() {
        return;
    }
    let at_most = until.map(|until| until.saturating_duration_since(Instant::now()));
    reprise_tracee::wait_for_any(at_most);
}

/// What a look at the threads came to.
enum Look {
    /// This is to be handled.
    Stop(Stop),
    /// Things have changed, so it is worth another look.
    Again,
    /// There is nothing to do until something happens, or for so long.
    Wait(Option<Duration>),
}

impl From<Option<Stop>> for Look {
    fn from(stop: Option<Stop>) -> Self {
        stop.map_or(Self::Again, Self::Stop)
    }
}

/// Whether others may run before a call ends. What changes the address space, or
/// words that other threads look at, must be over before.
pub(crate) fn may_wait(entered: &Entered) -> bool {
    let may = matches!(entered.way, Way::Ordinary | Way::Unknown(_));
    if entered.call.class != Class::Emulated || !may {
        return false;
    }
    match futex(entered) {
        Some(operation) => matches!(operation, libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET),
        None => true,
    }
}

/// Whether a call can be recorded while there are several threads.
pub(crate) fn check(entered: &Entered) -> Result<(), Trouble> {
    // The kernel changes the lock when a thread begins to wait for it, and not
    // when the call ends.
    const INHERITING: [i32; 6] = [
        libc::FUTEX_LOCK_PI,
        libc::FUTEX_UNLOCK_PI,
        libc::FUTEX_TRYLOCK_PI,
        libc::FUTEX_WAIT_REQUEUE_PI,
        libc::FUTEX_CMP_REQUEUE_PI,
        libc::FUTEX_LOCK_PI2,
    ];
    match futex(entered) {
        Some(operation) if INHERITING.contains(&operation) => Err(unrecordable(
            "a lock with priority inheritance among several threads",
        )),
        _ => Ok(()),
    }
}

/// The operation of a call on a futex.
fn futex(entered: &Entered) -> Option<i32> {
    let is_futex = entered.call.number.cast_signed() == libc::SYS_futex;
    is_futex.then(|| entered.arguments[1] as i32 & libc::FUTEX_CMD_MASK)
}

/// Lets a thread go on; one that has been killed is not there any more.
pub(crate) fn resume(tracee: Tracee, how: Resume, signal: i32) -> Result<(), TraceError> {
    match tracee.resume(how, signal) {
        Err(error) if error.errno == nix::errno::Errno::ESRCH => Ok(()),
        other => other,
    }
}

impl Session {
    pub(crate) fn begin_turn(&mut self) {
        self.others.since = Instant::now();
        self.others.computed = computed(self.thread.tracee);
        self.others.behind_event = false;
    }

    /// Whether the thread whose turn it is stands at a system call, and others
    /// have waited long enough.
    pub(crate) fn is_others_turn(&mut self) -> bool {
        let behind_event = std::mem::take(&mut self.others.behind_event);
        behind_event && !self.others.ready.is_empty() && self.others.since.elapsed() >= TURN
    }

    /// The turn of a thread that stands right behind its last event is over; it
    /// goes on like this when its next turn comes. Returns the stop that is to be
    /// handled, if the next one has stopped.
    pub(crate) fn let_others(&mut self, how: Resume, signal: i32) -> Result<Option<Stop>, Trouble> {
        self.pass_turn(Place::Ready(how, signal), Position::AfterEvent)
    }

    pub(crate) fn pass_turn(
        &mut self,
        place: Place,
        at: Position,
    ) -> Result<Option<Stop>, Trouble> {
        let before = self.thread.tracee;
        let empty = crate::session::Thread::new(before);
        let thread = std::mem::replace(&mut self.thread, empty);
        let turn = self.take_turn(at);
        let other = Other { thread, place };
        match (&turn, place) {
            (Ok(Turn::Nobody), _) => self.thread = other.thread,
            (_, Place::InCall) => self.others.in_calls.push(other),
            _ => self.others.ready.push_back(other),
        }
        Ok(match turn? {
            Turn::Stopped(stop) => Some(stop),
            Turn::Runs | Turn::Nobody => None,
        })
    }

    /// There are others. Returns the stop that is to be handled, which may be one
    /// of another thread, if there is one now.
    pub(crate) fn among_others(&mut self) -> Result<Option<Stop>, Trouble> {
        loop {
            match self.look()? {
                Look::Stop(stop) => return Ok(Some(stop)),
                Look::Again => {}
                Look::Wait(at_most) => {
                    self.wake = at_most.map(|at_most| Instant::now() + at_most);
                    return Ok(None);
                }
            }
        }
    }

    fn look(&mut self) -> Result<Look, Trouble> {
        if !self.others.vacant
            && let Some(stop) = self.thread.tracee.wait_now()?
        {
            return Ok(Look::Stop(stop));
        }
        self.look_at_others()?;
        if self.others.ending {
            return Ok(Look::Stop(self.all_end()?.into()));
        }
        if self.others.vacant {
            return Ok(match self.take_turn(Position::AfterEvent)? {
                Turn::Nobody => Look::Wait(None),
                Turn::Stopped(stop) => Look::Stop(stop),
                Turn::Runs => Look::Again,
            });
        }
        match &self.thread.entered {
            Some(entered) if may_wait(entered) => self.wait_in_call(),
            Some(_) => Ok(Look::Wait(Some(PAUSE))),
            None => self.wait_in_program(),
        }
    }

    /// Finds out which of the others have come out of their calls, and whether
    /// any has.
    pub(crate) fn look_at_others(&mut self) -> Result<bool, Trouble> {
        let mut found = false;
        let mut index = 0;
        while let Some(other) = self.others.in_calls.get(index) {
            match other.thread.tracee.wait_now() {
                Ok(None) => index += 1,
                Ok(Some(Stop::Trap(Trap::Exit) | Stop::Exited(_) | Stop::Killed(_))) | Err(_) => {
                    self.others.ending = true;
                    index += 1;
                }
                Ok(Some(stop)) => {
                    let mut other = self.others.in_calls.remove(index);
                    other.place = Place::Stopped(stop);
                    self.others.ready.push_back(other);
                    found = true;
                }
            }
        }
        // They are stopped, but whoever is killed stops no more.
        let mut ready = self.others.ready.iter();
        self.others.ending |= ready.any(|other| {
            let stop = other.thread.tracee.wait_now();
            matches!(
                stop,
                Ok(Some(
                    Stop::Trap(Trap::Exit) | Stop::Exited(_) | Stop::Killed(_)
                )) | Err(_)
            )
        });
        Ok(found)
    }

    /// The thread whose turn it is is in a call.
    fn wait_in_call(&mut self) -> Result<Look, Trouble> {
        if self.others.ready.is_empty() {
            return Ok(Look::Wait(None));
        }
        for _ in 0..YIELDS {
            let _ = sched_yield();
            if let Some(stop) = self.thread.tracee.wait_now()? {
                return Ok(Look::Stop(stop));
            }
        }
        let sleeps = matches!(state_of(self.thread.tracee.pid()), Some(b'S' | b'D'));
        if !sleeps && self.others.called.elapsed() < IN_KERNEL {
            return Ok(Look::Wait(Some(IN_KERNEL)));
        }
        Ok(self.pass_turn(Place::InCall, Position::AtCall)?.into())
    }

    /// The thread whose turn it is runs the program.
    fn wait_in_program(&mut self) -> Result<Look, Trouble> {
        if let Some(deadline) = self.thread.deadline {
            if Instant::now() >= deadline {
                self.thread.deadline = None;
                self.thread.tracee.interrupt()?;
                return Ok(Look::Stop(self.thread.tracee.wait()?));
            }
            return Ok(Look::Wait(Some(Duration::from_millis(1))));
        }
        if let Some(stop) = self.stop_to_leave()? {
            return Ok(Look::Stop(stop));
        }
        if self.others.ready.is_empty() {
            if let Some(stop) = self.turn_in_program()? {
                return Ok(Look::Stop(stop));
            }
            let look = self.next_look();
            let until = look.map(|look| look.saturating_duration_since(Instant::now()));
            return Ok(Look::Wait(until));
        }
        if self.is_in_program() && self.has_computed_enough() {
            return Ok(self.cut_off()?.into());
        }
        let idles = self.thread.idles;
        Ok(Look::Wait(Some(if idles { IDLING } else { PAUSE })))
    }

    fn has_computed_enough(&self) -> bool {
        let now = computed(self.thread.tracee);
        let pause = self.log.took() * SHARE;
        let (computing, waiting) = if self.thread.idles {
            (IDLING, IDLING)
        } else {
            (COMPUTING.max(pause), WAITING.max(pause))
        };
        match (self.others.computed, now) {
            (Some(before), Some(now)) => {
                Duration::from_nanos(now.saturating_sub(before)) >= computing
            }
            _ => self.others.since.elapsed() >= waiting,
        }
    }
}

/// For how many nanoseconds a thread has had a processor, if the kernel tells.
fn computed(thread: Tracee) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/schedstat", thread.pid())).ok()?;
    text.split(' ').next()?.parse().ok()
}
