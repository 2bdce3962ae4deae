//! Letting go of a program that was attached to: all of its threads are stopped,
//! get back what was taken from them, and go on.

use nix::sched::{sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use reprise_tracee::{Resume, Stop, TraceError, Tracee, Trap};

use super::{Loans, settle, step_out, stop_all};
use crate::calls::{Way, put_off};
use crate::children::release;
use crate::parting::counter_on;
use crate::segment::find_syscall;
use crate::session::{Phase, Session, Thread};
use crate::shadow;
use crate::signals::{emulate_counter, is_fault};
use crate::threads::{Other, Place};

/// A thread that stands between two instructions, and the signals that it is to
/// get.
struct Halted {
    tracee: Tracee,
    signals: Vec<i32>,
}

impl Session {
    /// Lets all threads go, with what was taken from them.
    pub(crate) fn release(&mut self, loans: &Loans) {
        let mut threads: Vec<(Thread, Place)> = Vec::new();
        if !self.others.vacant {
            let empty = Thread::new(self.thread.tracee);
            let running = std::mem::replace(&mut self.thread, empty);
            threads.push((running, Place::InCall));
        }
        let others = &mut self.others;
        for Other { thread, place } in others.ready.drain(..).chain(others.in_calls.drain(..)) {
            threads.push((thread, place));
        }
        let halted: Vec<Halted> = threads
            .into_iter()
            .filter_map(|(thread, place)| halt(&thread, place).ok().flatten())
            .collect();
        if let Some(first) = halted.first() {
            self.settle_accounts(first.tracee, &halted, loans);
        }
        for Halted { tracee, signals } in halted {
            for signal in signals {
                let _ = tracee.send(signal);
            }
            let _ = tracee.detach(0);
        }
        self.phase = Phase::Over(None);
    }

    fn settle_accounts(&mut self, first: Tracee, halted: &[Halted], loans: &Loans) {
        // A new program has nothing of what the old one had.
        if !self.new_program {
            for thread in halted {
                let _ = step_out(thread.tracee, loans.vdso.range);
            }
            let _ = loans.vdso.restore(first);
        }
        self.log.clear();
        let Some(behind) = find_syscall(first) else {
            return;
        };
        // What is kept of processes that have ended may have become its children.
        self.shared.archive.give_up_orphans(self.process);
        shadow::bury_children(self.process, |shadow| {
            shadow::wait_in_name(first, behind, shadow)
        });
        for thread in halted {
            loans.give_back(thread.tracee, behind);
        }
    }
}

/// Brings a thread to a place between two instructions. `None` if it is gone.
fn halt(thread: &Thread, place: Place) -> Result<Option<Halted>, TraceError> {
    let tracee = thread.tracee;
    let mut signals: Vec<i32> = thread
        .waiting
        .iter()
        .map(|waiting| waiting.number)
        .collect();
    let mut in_call = thread.entered.is_some();
    let mut stop = match place {
        Place::Ready(_, signal) => {
            signals.extend((signal != 0).then_some(signal));
            return Ok(Some(Halted { tracee, signals }));
        }
        Place::Stopped(stop) => stop,
        Place::InCall => {
            tracee.interrupt()?;
            tracee.wait()?
        }
    };
    loop {
        match stop {
            Stop::Exited(_) | Stop::Killed(_) => return Ok(None),
            Stop::Call if !in_call && is_at_beginning(tracee)? => {
                put_off(tracee, tracee.registers()?)?;
                break;
            }
            Stop::Call => {
                leave(thread)?;
                break;
            }
            Stop::Trap(Trap::Stop(_)) => {
                settle(tracee)?;
                break;
            }
            Stop::Signal(signal) => {
                let info = tracee.signal_info()?;
                // What it does itself, it does again.
                if !emulate_counter(tracee, signal)? && !is_fault(signal, &info) {
                    signals.push(signal);
                }
                settle(tracee)?;
                break;
            }
            Stop::Trap(Trap::Exit) => {
                let _ = tracee.detach(0);
                return Ok(None);
            }
            Stop::Trap(Trap::Child) => {
                let child = i32::try_from(tracee.message()?).unwrap_or_default();
                release(Tracee::already(Pid::from_raw(child)), |_| {});
            }
            Stop::Trap(Trap::Exec) => in_call = true,
        }
        tracee.resume(Resume::ToCall, 0)?;
        stop = tracee.wait()?;
    }
    Ok(Some(Halted { tracee, signals }))
}

/// Whether a thread that has stopped at a call has not made it yet.
fn is_at_beginning(tracee: Tracee) -> Result<bool, TraceError> {
    let no_result = (-i64::from(nix::libc::ENOSYS)).cast_unsigned();
    Ok(tracee.registers()?.rax() == no_result)
}

/// A thread stands at the end of a call, which may have been cut off by us.
fn leave(thread: &Thread) -> Result<(), TraceError> {
    let tracee = thread.tracee;
    let Some(entered) = &thread.entered else {
        return settle(tracee).map(|_| ());
    };
    let result = match entered.way {
        Way::Refused(answer) => Some(answer),
        Way::Pretended => Some(0),
        _ => None,
    };
    if let Some(result) = result {
        let mut registers = entered.registers;
        registers.set_rax(result);
        registers.set_orig_rax(u64::MAX);
        return tracee.set_registers(&registers);
    }
    let mut registers = tracee.registers()?;
    if entered.call.name == "madvise" && registers.arguments() != entered.arguments {
        registers.set_arguments(entered.arguments);
        tracee.set_registers(&registers)?;
    }
    settle(tracee)?;
    Ok(())
}

/// Undoes what a recorder that was killed did to a program: what would harm it.
pub(crate) fn undo_all(process: Pid) -> Result<(), TraceError> {
    let threads = stop_all(process)?;
    let behind = threads.first().and_then(|first| find_syscall(*first));
    for thread in threads {
        settle(thread)?;
        if let Some(behind) = behind {
            counter_on(thread, behind)?;
        }
        if let Ok(all) = sched_getaffinity(Pid::from_raw(0)) {
            let _ = sched_setaffinity(thread.pid(), &all);
        }
        thread.detach(0)?;
    }
    Ok(())
}
