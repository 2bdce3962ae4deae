//! Signals.

use super::{NONE, call, control, fixed, plain, sized};
use crate::shape::Call;

pub(super) const CALLS: &[Call] = &[
    call(
        libc::SYS_rt_sigaction,
        "rt_sigaction",
        4,
        NONE,
        &[fixed(2, 32)],
    ),
    call(
        libc::SYS_rt_sigprocmask,
        "rt_sigprocmask",
        4,
        NONE,
        &[sized(2, 3)],
    ),
    call(
        libc::SYS_rt_sigpending,
        "rt_sigpending",
        2,
        NONE,
        &[sized(0, 1)],
    ),
    call(
        libc::SYS_rt_sigtimedwait,
        "rt_sigtimedwait",
        4,
        NONE,
        &[fixed(1, 128)],
    ),
    plain(libc::SYS_rt_sigsuspend, "rt_sigsuspend", 2),
    plain(libc::SYS_rt_sigqueueinfo, "rt_sigqueueinfo", 3),
    plain(libc::SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", 4),
    control(libc::SYS_rt_sigreturn, "rt_sigreturn", 0, NONE),
    control(libc::SYS_restart_syscall, "restart_syscall", 0, NONE),
    call(
        libc::SYS_sigaltstack,
        "sigaltstack",
        2,
        NONE,
        &[fixed(1, 24)],
    ),
    plain(libc::SYS_kill, "kill", 2),
    plain(libc::SYS_tkill, "tkill", 2),
    plain(libc::SYS_tgkill, "tgkill", 3),
    plain(libc::SYS_pidfd_send_signal, "pidfd_send_signal", 4),
    plain(libc::SYS_signalfd, "signalfd", 3),
    plain(libc::SYS_signalfd4, "signalfd4", 4),
    plain(libc::SYS_pause, "pause", 0),
];
