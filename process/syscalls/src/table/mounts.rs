//! Mounts by descriptors, file handles, and watching whole file systems.

use super::{NONE, SECOND, at, call, fixed, on_path, on_path_at, plain};
use crate::shape::{Call, Shape};

/// The longest file handle, with its head.
const HANDLE: u32 = 8 + 128;

pub(super) const CALLS: &[Call] = &[
    on_path(libc::SYS_fsopen, "fsopen", 2),
    plain(libc::SYS_fsconfig, "fsconfig", 5),
    plain(libc::SYS_fsmount, "fsmount", 3),
    on_path_at(libc::SYS_fspick, "fspick", 3),
    on_path_at(libc::SYS_open_tree, "open_tree", 3),
    on_path_at(libc::SYS_move_mount, "move_mount", 5),
    on_path_at(libc::SYS_mount_setattr, "mount_setattr", 5),
    on_path(libc::SYS_pivot_root, "pivot_root", 2),
    call(
        libc::SYS_name_to_handle_at,
        "name_to_handle_at",
        5,
        SECOND,
        &[fixed(2, HANDLE), fixed(3, 8)],
    ),
    plain(libc::SYS_open_by_handle_at, "open_by_handle_at", 3),
    plain(libc::SYS_fanotify_init, "fanotify_init", 2),
    plain(libc::SYS_fanotify_mark, "fanotify_mark", 5),
    // From memory into a pipe, or out of one.
    call(
        libc::SYS_vmsplice,
        "vmsplice",
        4,
        NONE,
        &[at(1, Shape::Iovec(2))],
    ),
];
