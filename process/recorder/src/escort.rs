//! The recording has ended and the subject has several threads: each is let go
//! where it next comes by. One that sleeps in the kernel is not woken for that,
//! since some calls fail when they are interrupted; one that computes may never come
//! by, and is stopped.

use std::time::Instant;

use reprise_syscalls::is_restart;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use crate::asking::{restore, restores_at};
use crate::calls::put_off;
use crate::children::release;
use crate::computing::COMPUTING;
use crate::guard;
use crate::parting::counter_on;
use crate::session::{Ended, Phase, Session, was_interrupted};
use crate::signals::emulate_counter;
use crate::spawn::Processors;
use crate::threads::{Other, Place};
use crate::turns::PAUSE;

/// A thread that is still traced.
struct Left {
    tracee: Tracee,
    place: Where,
    processors: Option<Processors>,
}

/// Where a thread is that is still traced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    InCall,
    /// In its program, at least since then.
    InProgram(Instant),
    /// The same, and it was asked to stop.
    Asked,
    /// Somebody has stopped it.
    Halted,
}

impl Where {
    fn program() -> Self {
        Self::InProgram(Instant::now())
    }
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
            let place_now = match thread.entered {
                Some(_) => Where::InCall,
                None => Where::program(),
            };
            let mut left = Left {
                tracee,
                place: place_now,
                processors,
            };
            let stays = match place {
                Place::InCall => true,
                Place::Stopped(stop) => left.has_stopped(stop),
                Place::Ready(how, signal) => {
                    left.place = Where::program();
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
                    Ok(None) => left.is_asked_to_stop(),
                    Ok(Some(stop)) => left.has_stopped(stop),
                    Err(_) => false,
                }
        });
        let is_left = self.left.iter().any(|left| left.tracee == first);
        if !matters && !is_left {
            return Ok(self.left.is_empty().then_some(Phase::LetGo));
        }
        let stop = first.wait_now()?;
        match stop {
            Some(Stop::Exited(status)) => {
                return Ok(Some(Phase::Over(Some(Ended::Exited(status)))));
            }
            Some(Stop::Killed(signal)) => {
                return Ok(Some(Phase::Over(Some(Ended::Killed(signal)))));
            }
            _ => {}
        }
        let mut lefts = self.left.iter_mut();
        let stays = match (lefts.find(|left| left.tracee == first), stop) {
            (Some(left), Some(stop)) => left.has_stopped(stop),
            (Some(left), None) => left.is_asked_to_stop(),
            (None, Some(_)) => {
                // It was let go, being about to die, or has a new program.
                let _ = first.detach(0);
                true
            }
            (None, None) => true,
        };
        if !stays {
            self.left.retain(|left| left.tracee != first);
        }
        Ok(None)
    }

    /// When to look again, whether something was told or not.
    pub(crate) fn wake(&self) -> Option<Instant> {
        (!self.left.is_empty()).then(|| Instant::now() + PAUSE)
    }
}

impl Left {
    /// It has not stopped. If it computes, it is to stop now. Returns whether it is still
    /// to be followed.
    fn is_asked_to_stop(&mut self) -> bool {
        if let Where::InProgram(since) = self.place
            && since.elapsed() >= COMPUTING
        {
            self.place = Where::Asked;
            return self.tracee.interrupt().is_ok();
        }
        true
    }

    /// It has stopped. Returns whether it is still to be followed.
    fn has_stopped(&mut self, stop: Stop) -> bool {
        let tracee = self.tracee;
        let resumed = match stop {
            Stop::Exited(_) | Stop::Killed(_) => return false,
            Stop::Call if self.place == Where::Asked => {
                // It has come to a call meanwhile, which must not be cut off: it is made
                // when it has been let go.
                let put_off = tracee.registers().and_then(|all| put_off(tracee, all));
                put_off.and_then(|_| tracee.resume(Resume::ToCall, 0))
            }
            Stop::Call => {
                let was_in_call = self.place == Where::InCall;
                self.place = match was_in_call {
                    true => Where::program(),
                    false => Where::InCall,
                };
                if was_in_call && self.is_let_go() {
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
                self.place = Where::InCall;
                tracee.resume(Resume::ToCall, 0)
            }
            Stop::Trap(Trap::Exit) => tracee.resume(Resume::ToCall, 0),
            Stop::Trap(Trap::Stop(nix::libc::SIGTRAP)) => {
                let was_asked = self.place == Where::Asked;
                if was_asked && guard::undo(tracee).is_ok() && tracee.detach(0).is_ok() {
                    return false;
                }
                if self.place != Where::InCall {
                    self.place = Where::program();
                }
                tracee.resume(Resume::ToCall, 0)
            }
            Stop::Trap(Trap::Stop(_)) => {
                self.place = Where::Halted;
                tracee.resume(Resume::Listening, 0)
            }
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
