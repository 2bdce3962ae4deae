//! What happens to the subject when the recorder is killed.
//!
//! The kernel lets the subject go then, but not without a trace: reading the
//! time-stamp counter would still be a fault, for it and for every process that
//! it makes. So the recorder works in a process of its own, and this one does
//! nothing but wait for it. When the recorder dies, the kernel stops the subject
//! (`PR_SET_PDEATHSIG`), and this process takes over, undoes all that, and waits
//! for the subject's end.
//!
//! It is also the process whose number others know: what a supervisor sends to
//! it is meant for the subject, and is passed on.
//!
//! A signal that waits in the recorder for its place would die with it: which
//! ones wait stands in memory that both share, and so do the processes that the
//! subject has made.
//!
//! A process that the recorder has borrowed for a system call when it is killed comes
//! back from that by itself (`springboard` in `reprise_tracee` says how).
//!
//! Gaps remain: a few instructions between the recorder's death and the stop; a
//! subject that has changed its rights, which the kernel does not stop; the
//! processes that it has made, which run on for the moment that this one takes
//! to stop them; and a thread that is being led out of the vDSO's functions by
//! single steps when a program is attached to or let go.
#![allow(unsafe_code, reason = "fork and signal handlers have no safe form")]

mod left;

use std::collections::HashSet;
use std::fs;
use std::io::{self, PipeWriter, Read as _, Write as _, pipe};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use nix::libc;
use nix::sched::{sched_getaffinity, sched_setaffinity};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::{ForkResult, Pid, fork};
use reprise_tracee::{Resume, SYSCALL_BYTES, Stop, TraceError, Tracee, Trap};

pub(crate) use self::left::{changes, ends, hold, joins, leaves, let_go_of, remember};
use crate::asking::{restore, restores};
use crate::attach::undo_all;
use crate::children::release;
use crate::parting::set_free;
use crate::segment::find_syscall;
use crate::session::Ended;
use crate::shadow::inherit_orphans;
use crate::spawn::{FOR_SUBJECT, OPTIONS, end_of, leave_signals_to_subject};
use crate::threads::state_of;

/// How long the stop that a recorder's death brings is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// How the recorder tells its guard whom to look after.
pub struct Guard(PipeWriter);

impl Guard {
    /// This process is about to be recorded.
    pub fn watch(&mut self, pid: u32) {
        // Without a guard the subject is recorded all the same.
        let _ = self.0.write_all(&pid.to_le_bytes());
    }

    /// This process, which ran before, is about to be recorded. Signals that come
    /// to the guard are for the recorder.
    pub fn watch_attached(&mut self, pid: u32) {
        let _ = self.0.write_all(&pid.wrapping_neg().to_le_bytes());
    }

    /// The work is done, and there is nobody left to look after: the guard may
    /// go, with this status, though this process does not end yet.
    pub fn dismiss(mut self, status: u8) {
        let _ = self.0.write_all(&u32::from(status).to_le_bytes());
    }
}

/// How guarded work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// It returned this status.
    Done(u8),
    /// It was killed, and the subject ended like this; `None` when there was no
    /// subject yet, or it could not be followed.
    Died(Option<Ended>),
}

/// Does the work in a process of its own and looks after the subject if that
/// is killed. To be called while there is one thread.
pub fn guarded(work: impl FnOnce(Guard) -> u8) -> io::Result<Guarded> {
    let (mut watched, watch) = pipe()?;
    left::share();
    // SAFETY: there is only this thread, so the child has all that it needs.
    match unsafe { fork() }? {
        ForkResult::Child => {
            drop(watched);
            let status = work(Guard(watch));
            std::process::exit(status.into());
        }
        ForkResult::Parent { child } => {
            drop(watch);
            leave_signals_to_subject();
            let mut word = [0; 4];
            let subject = watched.read_exact(&mut word).ok().map(|()| {
                let pid = i32::from_le_bytes(word);
                // Who was attached to has a negative number here.
                let to = if pid < 0 { child.as_raw() } else { pid };
                if pid > 0 {
                    // It may end before anybody else looks at it.
                    inherit_orphans();
                }
                pass_signals_to(to, pid < 0);
                Pid::from_raw(pid)
            });
            // The pipe is closed when the recorder ends.
            if watched.read_exact(&mut word).is_ok() {
                let status = u32::from_le_bytes(word);
                return Ok(Guarded::Done(u8::try_from(status).unwrap_or(u8::MAX)));
            }
            let ended = end_of(child).map_err(io::Error::other)?;
            if let Ended::Exited(status) = ended {
                return Ok(Guarded::Done(u8::try_from(status).unwrap_or(u8::MAX)));
            }
            let ended = match subject {
                Some(attached) if attached.as_raw() < 0 => {
                    let process = Pid::from_raw(-attached.as_raw());
                    // What cannot be undone must not keep it from running.
                    let _ = undo_all(process);
                    None
                }
                subject => subject.and_then(|subject| {
                    // Who has ended already cannot be taken over.
                    let ended = take_over(subject).or_else(|_| end_of(subject));
                    ended.ok().or_else(left::ended)
                }),
            };
            Ok(Guarded::Died(ended))
        }
    }
}

/// The subject, for the handler.
static SUBJECT: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    let subject = SUBJECT.load(Ordering::Relaxed);
    if subject > 0 {
        // SAFETY: `kill` may be called in a handler, and takes two numbers.
        unsafe { libc::kill(subject, signal) };
    }
}

/// Whoever records a program that ran before gets those of the keyboard, too.
fn pass_signals_to(subject: i32, attached: bool) {
    SUBJECT.store(subject, Ordering::Relaxed);
    let handler = SigHandler::Handler(pass_on);
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    let keys = attached.then_some(Signal::SIGINT);
    for signal in FOR_SUBJECT.into_iter().chain(keys) {
        // SAFETY: the handler does only what a handler may.
        let _ = unsafe { sigaction(signal, &action) };
    }
}

/// Undoes what the recorder did to the subject, and follows it to its end.
fn take_over(pid: Pid) -> Result<Ended, TraceError> {
    // A process that it is about to make would belong to its new tracer, too.
    let subject = Tracee::seize(pid, OPTIONS)?;
    for signal in left::held_signals() {
        subject.send(signal)?;
    }
    let mut others = Others::default();
    for member in left::members() {
        others.seize(member, None);
    }
    others.seize(pid, Some(pid));
    // Comes true when the stop that it is in is over.
    subject.interrupt()?;
    let mut undone = false;
    // The kernel's stop may come more than once, for each thread of the recorder that
    // the subject was handed to before all were dead; and it may come late.
    let until = Instant::now() + PATIENCE;
    loop {
        let ours = Instant::now() < until;
        others.undo(ours);
        if others.left.is_empty() && !undone {
            others.seize(pid, Some(pid));
        }
        let stop = if others.left.is_empty() && !ours {
            Some(subject.wait()?)
        } else {
            std::thread::sleep(Duration::from_millis(1));
            subject.wait_now()?
        };
        let Some(stop) = stop else {
            // A thread that was let go may be what the kernel's stop has reached last.
            if ours && others.look_at(pid) {
                subject.send(libc::SIGCONT)?;
            }
            continue;
        };
        match stop {
            Stop::Exited(status) => return Ok(Ended::Exited(status)),
            Stop::Killed(signal) => return Ok(Ended::Killed(signal)),
            Stop::Trap(Trap::Stop(libc::SIGTRAP)) => {
                if !undone {
                    // What cannot be undone must not keep it from running.
                    all_processors(subject);
                    restore(subject);
                    let _ = undo(subject);
                    let _ = subject.set_options(libc::PTRACE_O_TRACESYSGOOD);
                    undone = true;
                }
                subject.resume(Resume::Freely, 0)?;
            }
            other => follow(subject, other, ours)?,
        }
    }
}

/// The threads of the subject but for the first, and those of the processes that
/// it has made.
#[derive(Default)]
struct Others {
    seen: HashSet<Pid>,
    left: Vec<Tracee>,
}

impl Others {
    /// Begins to trace those of a process that are not traced yet, but for one.
    fn seize(&mut self, process: Pid, but: Option<Pid>) {
        for number in threads_of(process) {
            if Some(number) == but || !self.seen.insert(number) {
                continue;
            }
            if let Ok(thread) = Tracee::seize(number, OPTIONS) {
                let _ = thread.interrupt();
                self.left.push(thread);
            }
        }
    }

    /// Looks for threads of a process that have stopped unseen: those that were let go
    /// before they could be, from here on, and whether there is one that nobody traces.
    fn look_at(&mut self, process: Pid) -> bool {
        let mut stopped = false;
        for thread in threads_of(process) {
            match state_of(thread) {
                Some(b'T') => stopped = true,
                Some(b't') if thread != process => {
                    let thread = Tracee::already(thread);
                    if !self.left.contains(&thread) && is_traced_here(thread.pid()) {
                        self.left.push(thread);
                    }
                }
                _ => {}
            }
        }
        stopped
    }

    /// Undoes what was done to those that have stopped, and lets them go. Stops may be
    /// `ours`, by the recorder's death.
    fn undo(&mut self, ours: bool) {
        self.left.retain(|&thread| match thread.wait_now() {
            Ok(None) => true,
            Err(_) | Ok(Some(Stop::Exited(_) | Stop::Killed(_))) => false,
            Ok(Some(Stop::Trap(Trap::Stop(libc::SIGTRAP)))) => {
                all_processors(thread);
                restore(thread);
                let _ = undo(thread);
                thread.detach(0).is_err()
            }
            Ok(Some(stop)) => follow(thread, stop, ours).is_ok(),
        });
    }
}

/// Lets a thread go on that has stopped in some way on its own, or for the recorder's
/// death where that may be.
fn follow(thread: Tracee, stop: Stop, ours: bool) -> Result<(), TraceError> {
    match stop {
        Stop::Trap(Trap::Stop(libc::SIGSTOP)) if ours => {
            thread.send(libc::SIGCONT)?;
            thread.resume(Resume::Freely, 0)
        }
        Stop::Signal(libc::SIGSTOP) if ours => thread.resume(Resume::Freely, 0),
        Stop::Signal(libc::SIGILL) if restores(thread) => thread.resume(Resume::Freely, 0),
        // The step that the recorder had it make.
        Stop::Signal(libc::SIGTRAP) if is_step(thread) => thread.resume(Resume::Freely, 0),
        Stop::Signal(signal) => thread.resume(Resume::Freely, signal),
        Stop::Trap(Trap::Child) => {
            let child = i32::try_from(thread.message()?).unwrap_or_default();
            release(Tracee::already(Pid::from_raw(child)), |child| {
                all_processors(child);
                restore(child);
            });
            thread.resume(Resume::Freely, 0)
        }
        Stop::Trap(Trap::Stop(_)) => thread.resume(Resume::Listening, 0),
        _ => thread.resume(Resume::Freely, 0),
    }
}

fn threads_of(process: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let names = tasks.into_iter().flatten().flatten();
    let numbers = names.filter_map(|task| task.file_name().to_str()?.parse().ok());
    numbers.map(Pid::from_raw).collect()
}

/// Whether this process traces a thread.
fn is_traced_here(thread: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    let tracer = status
        .lines()
        .find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|tracer| tracer.trim() == std::process::id().to_string())
}

fn is_step(thread: Tracee) -> bool {
    let info = thread.signal_info();
    info.is_ok_and(|info| info.si_code == libc::TRAP_TRACE)
}

/// A process that shared its recorder's processor may use all that we may.
fn all_processors(process: Tracee) {
    if let Ok(all) = sched_getaffinity(Pid::from_raw(0)) {
        let _ = sched_setaffinity(process.pid(), &all);
    }
}

/// Undoes what was done to a stopped process, by whatever instruction for
/// system calls it has, or else by one that it gets for that.
pub(crate) fn undo(subject: Tracee) -> Result<(), TraceError> {
    let here = subject.registers()?.rip();
    if subject.is_behind_syscall(here) {
        return set_free(subject, here);
    }
    if let Some(behind) = find_syscall(subject) {
        return set_free(subject, behind);
    }
    let before = subject.read_some(here, SYSCALL_BYTES.len());
    subject.write_code(here, &SYSCALL_BYTES)?;
    let done = set_free(subject, here + SYSCALL_BYTES.len() as u64);
    subject.write_code(here, &before)?;
    done
}
