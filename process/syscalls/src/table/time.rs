//! Clocks and timers. Here are also the calls that a program makes only when
//! it finds no vDSO, which a recorder hides.

use super::{NONE, call, fixed, plain};
use crate::shape::Call;

pub(super) const CALLS: &[Call] = &[
    call(libc::SYS_time, "time", 1, NONE, &[fixed(0, 8)]),
    call(
        libc::SYS_gettimeofday,
        "gettimeofday",
        2,
        NONE,
        &[fixed(0, 16), fixed(1, 8)],
    ),
    plain(libc::SYS_settimeofday, "settimeofday", 2),
    call(
        libc::SYS_clock_gettime,
        "clock_gettime",
        2,
        NONE,
        &[fixed(1, 16)],
    ),
    call(
        libc::SYS_clock_getres,
        "clock_getres",
        2,
        NONE,
        &[fixed(1, 16)],
    ),
    plain(libc::SYS_clock_settime, "clock_settime", 2),
    call(libc::SYS_adjtimex, "adjtimex", 1, NONE, &[fixed(0, 208)]),
    call(
        libc::SYS_clock_adjtime,
        "clock_adjtime",
        2,
        NONE,
        &[fixed(1, 208)],
    ),
    call(libc::SYS_nanosleep, "nanosleep", 2, NONE, &[fixed(1, 16)]),
    call(
        libc::SYS_clock_nanosleep,
        "clock_nanosleep",
        4,
        NONE,
        &[fixed(3, 16)],
    ),
    call(libc::SYS_times, "times", 1, NONE, &[fixed(0, 32)]),
    plain(libc::SYS_alarm, "alarm", 1),
    call(libc::SYS_getitimer, "getitimer", 2, NONE, &[fixed(1, 32)]),
    call(libc::SYS_setitimer, "setitimer", 3, NONE, &[fixed(2, 32)]),
    call(
        libc::SYS_timer_create,
        "timer_create",
        3,
        NONE,
        &[fixed(2, 4)],
    ),
    call(
        libc::SYS_timer_settime,
        "timer_settime",
        4,
        NONE,
        &[fixed(3, 32)],
    ),
    call(
        libc::SYS_timer_gettime,
        "timer_gettime",
        2,
        NONE,
        &[fixed(1, 32)],
    ),
    plain(libc::SYS_timer_getoverrun, "timer_getoverrun", 1),
    plain(libc::SYS_timer_delete, "timer_delete", 1),
    plain(libc::SYS_timerfd_create, "timerfd_create", 2),
    call(
        libc::SYS_timerfd_settime,
        "timerfd_settime",
        4,
        NONE,
        &[fixed(3, 32)],
    ),
    call(
        libc::SYS_timerfd_gettime,
        "timerfd_gettime",
        2,
        NONE,
        &[fixed(1, 32)],
    ),
    call(
        libc::SYS_sched_rr_get_interval,
        "sched_rr_get_interval",
        2,
        NONE,
        &[fixed(1, 16)],
    ),
];
