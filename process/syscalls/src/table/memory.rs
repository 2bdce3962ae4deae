//! The address space.

use super::{NONE, at, call, filled, mapping, plain, refused};
use crate::shape::{Call, Shape, Size};

pub(super) const CALLS: &[Call] = &[
    mapping(libc::SYS_mmap, "mmap", 6),
    mapping(libc::SYS_mprotect, "mprotect", 3),
    mapping(libc::SYS_munmap, "munmap", 2),
    mapping(libc::SYS_brk, "brk", 1),
    mapping(libc::SYS_mremap, "mremap", 5),
    mapping(libc::SYS_madvise, "madvise", 3),
    plain(libc::SYS_msync, "msync", 3),
    call(
        libc::SYS_mincore,
        "mincore",
        3,
        NONE,
        &[at(2, Shape::Bytes(Size::Pages(1)))],
    ),
    plain(libc::SYS_mlock, "mlock", 2),
    plain(libc::SYS_mlock2, "mlock2", 3),
    plain(libc::SYS_munlock, "munlock", 2),
    plain(libc::SYS_mlockall, "mlockall", 1),
    plain(libc::SYS_munlockall, "munlockall", 0),
    plain(462, "mseal", 3),
    plain(
        libc::SYS_set_mempolicy_home_node,
        "set_mempolicy_home_node",
        4,
    ),
    call(
        libc::SYS_move_pages,
        "move_pages",
        6,
        NONE,
        &[at(4, Shape::Bytes(Size::Elements(1, 4)))],
    ),
    plain(libc::SYS_membarrier, "membarrier", 3),
    call(libc::SYS_getrandom, "getrandom", 3, NONE, &[filled(0, 1)]),
    refused(libc::SYS_pkey_alloc, "pkey_alloc", 2),
    refused(libc::SYS_pkey_free, "pkey_free", 1),
    refused(libc::SYS_pkey_mprotect, "pkey_mprotect", 4),
    refused(libc::SYS_userfaultfd, "userfaultfd", 1),
    refused(libc::SYS_memfd_secret, "memfd_secret", 1),
    // Its rings are written to by the kernel.
    refused(libc::SYS_perf_event_open, "perf_event_open", 5),
];
