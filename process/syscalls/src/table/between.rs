//! Talk between processes that is no socket: semaphores, message queues, keys.

use super::{NONE, at, call, filled, fixed, on_path, plain, sized};
use crate::shape::{Call, Shape, Size};

/// The most that a set of semaphores holds, two bytes each.
const SEMAPHORES: u32 = 32_000 * 2;

pub(super) const CALLS: &[Call] = &[
    plain(libc::SYS_semget, "semget", 3),
    plain(libc::SYS_semop, "semop", 3),
    plain(libc::SYS_semtimedop, "semtimedop", 4),
    // The last argument is a number or a pointer, as the command says: to a
    // description or to as many values as there are. What is there is kept, if
    // anything is.
    call(libc::SYS_semctl, "semctl", 4, NONE, &[fixed(3, SEMAPHORES)]),
    plain(libc::SYS_msgget, "msgget", 2),
    // In front of a message is its type.
    call(
        libc::SYS_msgsnd,
        "msgsnd",
        4,
        &[at(1, Shape::Bytes(Size::More(2, 8)))],
        NONE,
    ),
    call(
        libc::SYS_msgrcv,
        "msgrcv",
        5,
        NONE,
        &[at(1, Shape::Bytes(Size::More(2, 8)))],
    ),
    call(libc::SYS_msgctl, "msgctl", 3, NONE, &[fixed(2, 120)]),
    plain(libc::SYS_shmget, "shmget", 3),
    call(libc::SYS_shmctl, "shmctl", 3, NONE, &[fixed(2, 112)]),
    on_path(libc::SYS_mq_open, "mq_open", 4),
    on_path(libc::SYS_mq_unlink, "mq_unlink", 1),
    call(
        libc::SYS_mq_timedsend,
        "mq_timedsend",
        5,
        &[sized(1, 2)],
        NONE,
    ),
    call(
        libc::SYS_mq_timedreceive,
        "mq_timedreceive",
        5,
        NONE,
        &[filled(1, 2), fixed(3, 4)],
    ),
    plain(libc::SYS_mq_notify, "mq_notify", 2),
    call(
        libc::SYS_mq_getsetattr,
        "mq_getsetattr",
        3,
        NONE,
        &[fixed(2, 64)],
    ),
    plain(libc::SYS_add_key, "add_key", 5),
    plain(libc::SYS_request_key, "request_key", 4),
    // Wakes by itself, and writes nothing.
    plain(libc::SYS_futex_waitv, "futex_waitv", 5),
    plain(libc::SYS_kcmp, "kcmp", 5),
    plain(libc::SYS_process_mrelease, "process_mrelease", 2),
    plain(libc::SYS_process_madvise, "process_madvise", 5),
];
