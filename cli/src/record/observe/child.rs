//! Running a command to its end, with signals passed on.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;

/// How a command ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Its status as a shell would have it; none if it took longer than it may, and was
    /// killed.
    pub status: Option<u8>,
    /// Whether somebody wanted to end it, or this program.
    pub interrupted: bool,
}

/// Runs a command and returns its status as a shell would.
///
/// What a terminal sends goes to the command as well and is not passed on; what
/// another process sends to this one is.
pub fn run(command: &mut Command) -> io::Result<u8> {
    Ok(run_for(command, None)?.status.unwrap_or_default())
}

/// The same, for a limited time.
pub fn run_for(command: &mut Command, limit: Option<Duration>) -> io::Result<Ended> {
    let mut child = command.spawn()?;
    let mut wanted = SigSet::empty();
    for signal in [
        Signal::SIGINT,
        Signal::SIGQUIT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGUSR1,
        Signal::SIGUSR2,
    ] {
        wanted.add(signal);
    }
    // Only now: the command would inherit what is blocked.
    let pid = Pid::from_raw(child.id().cast_signed());
    let before = wanted.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    let mut watch = Watch::default();
    if before.is_ok() {
        // Without the descriptors the signals wait; the command is not harmed.
        let _ = pass_on(&wanted, pid, limit, &mut watch);
    }
    if watch.late {
        child.kill()?;
    }
    let ended = child.wait()?;
    // Another command may follow.
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    let code = match (ended.code(), ended.signal()) {
        (Some(code), _) => code,
        (None, signal) => 128 + signal.unwrap_or_default(),
    };
    Ok(Ended {
        status: (!watch.late).then(|| u8::try_from(code).unwrap_or(u8::MAX)),
        interrupted: watch.interrupted,
    })
}

/// What happened while a command ran.
#[derive(Debug, Default)]
struct Watch {
    late: bool,
    interrupted: bool,
}

/// Passes signals on until the process ends or takes longer than it may.
fn pass_on(
    signals: &SigSet,
    child: Pid,
    limit: Option<Duration>,
    watch: &mut Watch,
) -> io::Result<()> {
    /// The sender was `kill`, not the kernel on behalf of a terminal.
    const FROM_USER: i32 = 0;
    let signals = SignalFd::with_flags(signals, SfdFlags::SFD_CLOEXEC)?;
    let pid = rustix::process::Pid::from_raw(child.as_raw()).ok_or(io::ErrorKind::NotFound)?;
    let ended = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
    let end = limit.map(|limit| Instant::now() + limit);
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let timeout = left.map_or(PollTimeout::NONE, |left| {
            PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
        });
        let mut waited = [
            PollFd::new(ended.as_fd(), PollFlags::POLLIN),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut waited, timeout) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        if waited[0].any() == Some(true) {
            return Ok(());
        }
        if left.is_some_and(|left| left.is_zero()) {
            watch.late = true;
            return Ok(());
        }
        if waited[1].any() == Some(true)
            && let Some(came) = signals.read_signal()?
            && let Ok(signal) = Signal::try_from(came.ssi_signo.cast_signed())
        {
            watch.interrupted |= !matches!(signal, Signal::SIGUSR1 | Signal::SIGUSR2);
            if came.ssi_code == FROM_USER {
                let _ = kill(child, signal);
            }
        }
    }
}
