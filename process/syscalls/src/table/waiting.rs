//! Waiting for descriptors and memory.

use super::{NONE, at, call, fixed, plain};
use crate::shape::{Call, Shape, Size};

/// The kernel stores the remaining time where the program gave the time.
const SELECT: &[crate::shape::Place] = &[
    at(1, Shape::Descriptors(0)),
    at(2, Shape::Descriptors(0)),
    at(3, Shape::Descriptors(0)),
    fixed(4, 16),
];

const EVENTS: &[crate::shape::Place] = &[at(1, Shape::Bytes(Size::Result { limit: 2, unit: 12 }))];

pub(super) const CALLS: &[Call] = &[
    call(
        libc::SYS_poll,
        "poll",
        3,
        NONE,
        &[at(0, Shape::Bytes(Size::Elements(1, 8)))],
    ),
    call(
        libc::SYS_ppoll,
        "ppoll",
        5,
        NONE,
        &[at(0, Shape::Bytes(Size::Elements(1, 8))), fixed(2, 16)],
    ),
    call(libc::SYS_select, "select", 5, NONE, SELECT),
    call(libc::SYS_pselect6, "pselect6", 6, NONE, SELECT),
    plain(libc::SYS_epoll_create, "epoll_create", 1),
    plain(libc::SYS_epoll_create1, "epoll_create1", 1),
    call(libc::SYS_epoll_ctl, "epoll_ctl", 4, &[fixed(3, 12)], NONE),
    call(libc::SYS_epoll_wait, "epoll_wait", 4, NONE, EVENTS),
    call(libc::SYS_epoll_pwait, "epoll_pwait", 6, NONE, EVENTS),
    call(libc::SYS_epoll_pwait2, "epoll_pwait2", 6, NONE, EVENTS),
    plain(libc::SYS_eventfd, "eventfd", 1),
    plain(libc::SYS_eventfd2, "eventfd2", 2),
    // Some operations store to one or both of the words.
    call(
        libc::SYS_futex,
        "futex",
        6,
        NONE,
        &[fixed(0, 4), fixed(4, 4)],
    ),
];
