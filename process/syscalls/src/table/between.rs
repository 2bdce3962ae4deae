//! Talk between processes that is no socket: semaphores, message queues, keys.

use super::{NONE, at, call, denied, filled, fixed, mapping, on_path, plain, sized};
use crate::shape::{Call, Shape, Size};

/// The most that a set of semaphores holds, two bytes each.
const SEMAPHORES: u32 = 32_000 * 2;

/// The most that a key's operation answers.
const KEY: u32 = 4096;

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
    // How long the memory is, no argument says: it stands behind those in the event.
    mapping(libc::SYS_shmat, "shmat", 3),
    mapping(libc::SYS_shmdt, "shmdt", 1),
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
    // A key's content or description, or an answer of the cryptographic operations,
    // which no key is too long for.
    call(
        libc::SYS_keyctl,
        "keyctl",
        5,
        NONE,
        &[filled(2, 3), fixed(4, KEY)],
    ),
    // What another process gets is its own affair.
    call(
        libc::SYS_process_vm_writev,
        "process_vm_writev",
        6,
        &[at(1, Shape::Iovec(2))],
        &[at(3, Shape::Iovec(4))],
    ),
    denied(libc::SYS_ptrace, "ptrace", 4),
    // Wakes by itself, and writes nothing.
    plain(libc::SYS_futex_waitv, "futex_waitv", 5),
    plain(libc::SYS_kcmp, "kcmp", 5),
    plain(libc::SYS_process_mrelease, "process_mrelease", 2),
    plain(libc::SYS_process_madvise, "process_madvise", 5),
];
