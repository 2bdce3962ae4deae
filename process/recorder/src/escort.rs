//! The recording has ended and the subject has several threads: each is let go
//! where it next comes by. One that sleeps in the kernel is not woken for that,
//! since some calls fail when they are interrupted.

use std::time::Instant;

use reprise_syscalls::is_restart;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::asking::{restore, restores_at};
use crate::children::release;
use crate::parting::counter_on;
use crate::session::{Ended, Phase, Session, was_interrupted};
use crate::signals::emulate_counter;
use crate::spawn::Processors;
use crate::threads::{Other, Place};
use crate::turns::PAUSE;

/// A thread that is still traced.
struct Left {
    tracee: Tracee,
    /// It is in a system call.
    in_call: bool,
    processors: Option<Processors>,
}

/// Those that are left.
pub(crate) struct Escort {
    first: Tracee,
    left: Vec<Left>,
}

impl Session {
    /// Begins to let all other threads go.
    pub(crate) fn escort(&mut self) -> Escort {
        let processors = self.processors;
        let mut all: Vec<Left> = Vec::new();
        let ready = self.others.ready.drain(..);
        for Other { thread, place } in ready.chain(self.others.in_calls.drain(..)) {
            let tracee = thread.tracee;
            if let Some(processors) = processors {
                processors.restore(tracee.pid());
            }
            let mut left = Left {
                tracee,
                in_call: thread.entered.is_some(),
                processors,
            };
            let stays = match place {
                Place::InCall => true,
                Place::Stopped(stop) => left.has_stopped(stop),
                Place::Ready(how, signal) => {
                    left.in_call = false;
                    !left.is_let_go() && tracee.resume(how, signal).is_ok()
                }
            };
            if stays {
                all.push(left);
            }
            for waiting in thread.waiting {
                let _ = tracee.send(waiting.number);
            }
        }
        Escort {
            first: Tracee::already(self.process),
            left: all,
        }
    }
}

impl Escort {
    /// Lets those go that have come by. Returns what comes next, when all that is
    /// to be done here has been: the end of a process matters where this is its
    /// parent.
    pub(crate) fn step(&mut self, matters: bool) -> Result<Option<Phase>, TraceError> {
        let first = self.first;
        self.left.retain_mut(|left| {
            left.tracee == first
                || match left.tracee.wait_now() {
                    Ok(None) => true,
                    Ok(Some(stop)) => left.has_stopped(stop),
                    Err(_) => false,
                }
        });
        let is_left = self.left.iter().any(|left| left.tracee == first);
        if !matters && !is_left {
            return Ok(self.left.is_empty().then_some(Phase::LetGo));
        }
        match first.wait_now()? {
            Some(Stop::Exited(status)) => {
                return Ok(Some(Phase::Over(Some(Ended::Exited(status)))));
            }
            Some(Stop::Killed(signal)) => {
                return Ok(Some(Phase::Over(Some(Ended::Killed(signal)))));
            }
            Some(stop) => {
                let mut lefts = self.left.iter_mut();
                match lefts.find(|left| left.tracee == first) {
                    Some(left) => {
                        if !left.has_stopped(stop) {
                            self.left.retain(|left| left.tracee != first);
                        }
                    }
                    // It was let go, being about to die, or has a new program.
                    None => drop(first.detach(0)),
                }
            }
            None => {}
        }
        Ok(None)
    }

    /// When to look again, whether something was told or not.
    pub(crate) fn wake(&self) -> Option<Instant> {
        (!self.left.is_empty()).then(|| Instant::now() + PAUSE)
    }
}

impl Left {
    /// It has stopped. Returns whether it is still to be followed.
    fn has_stopped(&mut self, stop: Stop) -> bool {
        let tracee = self.tracee;
        let resumed = match stop {
            Stop::Exited(_) | Stop::Killed(_) => return false,
            Stop::Call => {
                self.in_call = !self.in_call;
                if !self.in_call && self.is_let_go() {
                    return false;
                }
                tracee.resume(Resume::ToCall, 0)
            }
            Stop::Signal(signal) => match answers(tracee, signal) {
                Ok(true) => tracee.resume(Resume::ToCall, 0),
                _ => tracee.resume(Resume::ToCall, signal),
            },
            Stop::Trap(Trap::Child) => {
                let child = tracee.message().unwrap_or_default();
                let child = i32::try_from(child).unwrap_or_default();
                let child = Tracee::already(nix::unistd::Pid::from_raw(child));
                release(child, |child| {
                    restore(child);
                    if let Some(processors) = self.processors {
                        processors.restore(child.pid());
                    }
                });
                tracee.resume(Resume::ToCall, 0)
            }
            Stop::Trap(Trap::Exec) => {
                self.in_call = true;
                tracee.resume(Resume::ToCall, 0)
            }
            Stop::Trap(Trap::Exit | Trap::Stop(nix::libc::SIGTRAP)) => {
                tracee.resume(Resume::ToCall, 0)
            }
            Stop::Trap(Trap::Stop(_)) => tracee.resume(Resume::Listening, 0),
        };
        // Killed meanwhile: its end comes next.
        let _ = resumed;
        true
    }

    /// Lets it go, if it stands where it can be given back what was taken.
    fn is_let_go(&self) -> bool {
        let Ok(registers) = self.tracee.registers() else {
            return false;
        };
        let behind = registers.rip();
        if !self.tracee.is_behind_syscall(behind)
            || was_interrupted(registers.rax())
            || is_restart(registers.rax())
        {
            return false;
        }
        counter_on(self.tracee, behind).is_ok() && self.tracee.detach(0).is_ok()
    }
}

/// Whether a thread has stopped at an instruction that was made to, and can go on.
fn answers(tracee: Tracee, signal: i32) -> Result<bool, TraceError> {
    Ok(emulate_counter(tracee, signal)? || restores_at(tracee, signal))
}
