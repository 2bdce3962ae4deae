//! The recording has ended and the subject has several threads: each is let go
//! where it next comes by. One that sleeps in the kernel is not woken for that,
//! since some calls fail when they are interrupted.

use reprise_syscalls::is_restart;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap, wait_for_any};

use crate::children::release;
use crate::session::{Ended, Session, counter_on, was_interrupted};
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

impl Session {
    /// Lets all other threads go, and waits for the end of the subject.
    pub(crate) fn escort(&mut self) -> Result<Ended, TraceError> {
        let processors = self.processors;
        let first = Tracee::already(self.process);
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
        loop {
            all.retain_mut(|left| {
                left.tracee == first
                    || match left.tracee.wait_now() {
                        Ok(None) => true,
                        Ok(Some(stop)) => left.has_stopped(stop),
                        Err(_) => false,
                    }
            });
            match first.wait_now()? {
                Some(Stop::Exited(status)) => return Ok(Ended::Exited(status)),
                Some(Stop::Killed(signal)) => return Ok(Ended::Killed(signal)),
                Some(stop) => {
                    let mut lefts = all.iter_mut();
                    match lefts.find(|left| left.tracee == first) {
                        Some(left) => {
                            if !left.has_stopped(stop) {
                                all.retain(|left| left.tracee != first);
                            }
                        }
                        // It was let go, being about to die, or has a new
                        // program.
                        None => drop(first.detach(0)),
                    }
                }
                None => {}
            }
            wait_for_any(if all.is_empty() { None } else { Some(PAUSE) });
        }
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
            Stop::Signal(signal) => match emulate_counter(tracee, signal) {
                Ok(true) => tracee.resume(Resume::ToCall, 0),
                _ => tracee.resume(Resume::ToCall, signal),
            },
            Stop::Trap(Trap::Child) => {
                let child = tracee.message().unwrap_or_default();
                let child = i32::try_from(child).unwrap_or_default();
                let child = Tracee::already(nix::unistd::Pid::from_raw(child));
                release(child, |child| {
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
