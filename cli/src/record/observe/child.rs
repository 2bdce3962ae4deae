//! Running a command to its end, with signals passed on.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;

/// Runs a command and returns its status as a shell would.
///
/// What a terminal sends goes to the command as well and is not passed on; what
/// another process sends to this one is.
pub fn run(command: &mut Command) -> io::Result<u8> {
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
    if wanted.thread_block().is_ok() {
        // Without the descriptors the signals wait; the command is not harmed.
        let _ = pass_on(&wanted, pid);
    }
    let ended = child.wait()?;
    let code = match (ended.code(), ended.signal()) {
        (Some(code), _) => code,
        (None, signal) => 128 + signal.unwrap_or_default(),
    };
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Passes signals on until the process ends.
fn pass_on(signals: &SigSet, child: Pid) -> io::Result<()> {
    /// The sender was `kill`, not the kernel on behalf of a terminal.
    const FROM_USER: i32 = 0;
    let signals = SignalFd::with_flags(signals, SfdFlags::SFD_CLOEXEC)?;
    let pid = rustix::process::Pid::from_raw(child.as_raw()).ok_or(io::ErrorKind::NotFound)?;
    let ended = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
    loop {
        let mut waited = [
            PollFd::new(ended.as_fd(), PollFlags::POLLIN),
            PollFd::new(signals.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut waited, PollTimeout::NONE) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        if waited[0].any() == Some(true) {
            return Ok(());
        }
        if waited[1].any() == Some(true)
            && let Some(came) = signals.read_signal()?
            && came.ssi_code == FROM_USER
            && let Ok(signal) = Signal::try_from(came.ssi_signo.cast_signed())
        {
            let _ = kill(child, signal);
        }
    }
}
