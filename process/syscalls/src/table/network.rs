//! Sockets.

use super::{NONE, at, call, filled, fixed, plain, sized};
use crate::shape::{Call, Shape};

pub(super) const CALLS: &[Call] = &[
    plain(libc::SYS_socket, "socket", 3),
    call(libc::SYS_connect, "connect", 3, &[sized(1, 2)], NONE),
    call(
        libc::SYS_accept,
        "accept",
        3,
        NONE,
        &[at(1, Shape::LengthAt(2))],
    ),
    call(
        libc::SYS_accept4,
        "accept4",
        4,
        NONE,
        &[at(1, Shape::LengthAt(2))],
    ),
    call(libc::SYS_sendto, "sendto", 6, &[sized(1, 2)], NONE),
    call(
        libc::SYS_recvfrom,
        "recvfrom",
        6,
        NONE,
        &[filled(1, 2), at(4, Shape::LengthAt(5))],
    ),
    call(
        libc::SYS_sendmsg,
        "sendmsg",
        3,
        &[at(1, Shape::Message)],
        NONE,
    ),
    call(
        libc::SYS_recvmsg,
        "recvmsg",
        3,
        NONE,
        &[at(1, Shape::Message)],
    ),
    call(
        libc::SYS_sendmmsg,
        "sendmmsg",
        4,
        NONE,
        &[at(1, Shape::Messages(2))],
    ),
    call(
        libc::SYS_recvmmsg,
        "recvmmsg",
        5,
        NONE,
        &[at(1, Shape::Messages(2)), fixed(4, 16)],
    ),
    plain(libc::SYS_shutdown, "shutdown", 2),
    call(libc::SYS_bind, "bind", 3, &[sized(1, 2)], NONE),
    plain(libc::SYS_listen, "listen", 2),
    call(
        libc::SYS_getsockname,
        "getsockname",
        3,
        NONE,
        &[at(1, Shape::LengthAt(2))],
    ),
    call(
        libc::SYS_getpeername,
        "getpeername",
        3,
        NONE,
        &[at(1, Shape::LengthAt(2))],
    ),
    call(libc::SYS_socketpair, "socketpair", 4, NONE, &[fixed(3, 8)]),
    plain(libc::SYS_setsockopt, "setsockopt", 5),
    call(
        libc::SYS_getsockopt,
        "getsockopt",
        5,
        NONE,
        &[at(3, Shape::LengthAt(4))],
    ),
];
