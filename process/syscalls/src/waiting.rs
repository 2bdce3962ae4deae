//! Calls that are there to wait for something. Others may sleep, too, for a disk or a full
//! pipe, but a caller expects them to be over soon.

use libc::c_long;

use crate::shape::Call;

const WAITING: &[c_long] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_clock_nanosleep,
    libc::SYS_connect,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_epoll_wait,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_timedsend,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_nanosleep,
    libc::SYS_pause,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_yield,
    libc::SYS_select,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_sync,
    libc::SYS_sync_file_range,
    libc::SYS_syncfs,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

/// Whether a call is there to wait.
#[must_use]
pub fn is_to_wait(call: &Call, arguments: &[u64; 6]) -> bool {
    let number = call.number.cast_signed();
    match number {
        libc::SYS_futex => {
            let operation = arguments[1] as i32 & libc::FUTEX_CMD_MASK;
            !matches!(operation, libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET)
        }
        libc::SYS_fcntl => {
            let command = arguments[1] as i32;
            matches!(command, libc::F_SETLKW | libc::F_OFD_SETLKW)
        }
        _ => WAITING.contains(&number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    fn check(number: c_long, second: u64, expected: bool) {
        let call = find(number.cast_unsigned()).unwrap();
        assert_eq!(
            is_to_wait(call, &[0, second, 0, 0, 0, 0]),
            expected,
            "{}",
            call.name
        );
    }

    #[test]
    fn what_waits_is_known() {
        check(libc::SYS_epoll_wait, 0, true);
        check(libc::SYS_gettimeofday, 0, false);
        check(libc::SYS_fcntl, libc::F_GETFL as u64, false);
        check(libc::SYS_fcntl, libc::F_SETLKW as u64, true);
        let private = libc::FUTEX_PRIVATE_FLAG as u64;
        check(libc::SYS_futex, libc::FUTEX_WAKE as u64 | private, false);
        check(libc::SYS_futex, libc::FUTEX_WAIT as u64 | private, true);
    }
}
