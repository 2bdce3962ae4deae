//! Calls for whoever keeps the system itself, calls that the kernel answers with
//! ENOSYS since long, and the newest ones, which few programs know.

use super::{NONE, call, filled, fixed, on_path, on_path_at, plain, sized};
use crate::shape::Call;

pub(super) const CALLS: &[Call] = &[
    // The system itself.
    plain(libc::SYS_reboot, "reboot", 4),
    on_path(libc::SYS_swapon, "swapon", 2),
    on_path(libc::SYS_swapoff, "swapoff", 1),
    plain(libc::SYS_init_module, "init_module", 3),
    plain(libc::SYS_finit_module, "finit_module", 3),
    on_path(libc::SYS_delete_module, "delete_module", 2),
    plain(libc::SYS_kexec_load, "kexec_load", 4),
    plain(libc::SYS_kexec_file_load, "kexec_file_load", 5),
    // The longest of the structures has 192 bytes.
    call(libc::SYS_quotactl, "quotactl", 4, NONE, &[fixed(3, 256)]),
    call(443, "quotactl_fd", 4, NONE, &[fixed(3, 256)]),
    call(libc::SYS_ustat, "ustat", 2, NONE, &[fixed(1, 32)]),
    call(libc::SYS_sysfs, "sysfs", 3, NONE, &[fixed(2, 256)]),
    // The kernel has them no more, or never had.
    plain(libc::SYS_uselib, "uselib", 1),
    plain(libc::SYS__sysctl, "_sysctl", 1),
    plain(174, "create_module", 2),
    plain(177, "get_kernel_syms", 1),
    plain(178, "query_module", 5),
    plain(libc::SYS_nfsservctl, "nfsservctl", 3),
    plain(libc::SYS_getpmsg, "getpmsg", 5),
    plain(libc::SYS_putpmsg, "putpmsg", 5),
    plain(libc::SYS_afs_syscall, "afs_syscall", 5),
    plain(libc::SYS_tuxcall, "tuxcall", 3),
    plain(libc::SYS_security, "security", 3),
    plain(libc::SYS_vserver, "vserver", 5),
    plain(libc::SYS_lookup_dcookie, "lookup_dcookie", 3),
    plain(libc::SYS_epoll_ctl_old, "epoll_ctl_old", 4),
    plain(libc::SYS_epoll_wait_old, "epoll_wait_old", 4),
    // For programs of 32 bits.
    plain(libc::SYS_set_thread_area, "set_thread_area", 1),
    plain(libc::SYS_get_thread_area, "get_thread_area", 1),
    // Since Linux 6.5, by their numbers.
    call(451, "cachestat", 4, NONE, &[fixed(2, 40)]),
    call(457, "statmount", 4, NONE, &[sized(1, 2)]),
    call(
        458,
        "listmount",
        4,
        NONE,
        &[super::at(
            1,
            crate::shape::Shape::Bytes(crate::shape::Size::Result { limit: 2, unit: 8 }),
        )],
    ),
    // How long it is stands where the third argument points.
    call(
        459,
        "lsm_get_self_attr",
        4,
        NONE,
        &[fixed(1, 4096), fixed(2, 4)],
    ),
    plain(460, "lsm_set_self_attr", 4),
    call(
        461,
        "lsm_list_modules",
        3,
        NONE,
        &[fixed(0, 1024), fixed(1, 4)],
    ),
    on_path_at(463, "setxattrat", 6),
    // Where the value goes stands in the structure: not looked at, so not here:
    // 464, `getxattrat`.
    call(465, "listxattrat", 5, &[super::text(1)], &[filled(3, 4)]),
    on_path_at(466, "removexattrat", 4),
    on_path_at(467, "open_tree_attr", 5),
    call(468, "file_getattr", 5, &[super::text(1)], &[sized(2, 3)]),
    on_path_at(469, "file_setattr", 5),
    // Wait, wake and move by the words of `futex`, which write nothing.
    plain(454, "futex_wake", 4),
    plain(455, "futex_wait", 6),
    plain(456, "futex_requeue", 4),
];
