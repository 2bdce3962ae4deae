//! The calls whose first or second argument decides what they write: `ioctl`,
//! `fcntl`, `prctl` and `arch_prctl`. Each function returns how many bytes are
//! written behind the pointer, or `None` when that is not known.

/// The request for a list of all interfaces (`SIOCGIFCONF`), whose length is behind
/// the pointer.
pub(crate) const INTERFACES: u32 = 0x8912;

/// The request for what a network's device can do (`SIOCETHTOOL`): behind the pointer is
/// another one, and behind that the command and its answer.
pub(crate) const DEVICE: u32 = 0x8946;

/// The request for where a file is on its disk (`FS_IOC_FIEMAP`): a header that says for how
/// many parts there is room and how many there are, and the parts.
pub(crate) const PARTS: u32 = 0xc020_660b;

/// What the answer to such a command takes, with the command.
pub(crate) fn device(command: u64) -> Option<u32> {
    const DRIVER: u64 = 0x03;
    // Whether a link is there, whether something is on: one number.
    const NUMBERS: &[u64] = &[
        0x07, 0x0a, 0x14, 0x16, 0x18, 0x1e, 0x21, 0x23, 0x25, 0x27, 0x2b,
    ];
    match command {
        0x01 | 0x41 => Some(44),
        DRIVER => Some(196),
        0x05 => Some(20),
        0x0e => Some(92),
        0x10 | 0x3c => Some(36),
        0x12 => Some(16),
        0x44 => Some(40),
        command if NUMBERS.contains(&command) => Some(8),
        _ => None,
    }
}

/// What an `ioctl` with this request writes.
#[must_use]
pub fn ioctl(request: u64) -> Option<u32> {
    // The kernel looks at the low half only.
    let request = u64::from(request as u32);
    IOCTLS
        .iter()
        .find(|(known, _)| *known == request)
        .map(|(_, len)| *len)
}

const IOCTLS: &[(libc::Ioctl, u32)] = &[
    (libc::TCGETS, 36),
    (libc::TCGETS2, 44),
    (libc::TCSETS, 0),
    (libc::TCSETSW, 0),
    (libc::TCSETSF, 0),
    (libc::TCSETS2, 0),
    (libc::TCSETSW2, 0),
    (libc::TCSETSF2, 0),
    (libc::TCGETA, 18),
    (libc::TCSBRK, 0),
    (libc::TCSBRKP, 0),
    (libc::TCXONC, 0),
    (libc::TCFLSH, 0),
    (libc::TIOCGWINSZ, 8),
    (libc::TIOCSWINSZ, 0),
    (libc::TIOCGPGRP, 4),
    (libc::TIOCSPGRP, 0),
    (libc::TIOCGSID, 4),
    (libc::TIOCSCTTY, 0),
    (libc::TIOCNOTTY, 0),
    (libc::TIOCOUTQ, 4),
    (libc::TIOCGPTN, 4),
    (libc::TIOCSPTLCK, 0),
    (libc::TIOCEXCL, 0),
    (libc::TIOCNXCL, 0),
    (libc::FIONREAD, 4),
    (libc::FIONBIO, 0),
    (libc::FIOASYNC, 0),
    (libc::FIOCLEX, 0),
    (libc::FIONCLEX, 0),
    (libc::FICLONE, 0),
    (PARTS as libc::Ioctl, 32),
    (libc::FS_IOC_GETFLAGS, 8),
    (libc::FS_IOC_SETFLAGS, 0),
    (libc::FS_IOC_GETVERSION, 8),
    (libc::FS_IOC_SETVERSION, 0),
    (libc::FICLONERANGE, 0),
    (TIOCGPTPEER, 0),
    (libc::TIOCGEXCL, 4),
    (TIOCGPTLCK, 4),
    (libc::TIOCPKT, 0),
    (TIOCGPKT, 4),
    (libc::TIOCSTI, 0),
    (libc::TIOCCONS, 0),
    (libc::TIOCMGET, 4),
    (libc::TIOCMBIS, 0),
    (libc::TIOCMBIC, 0),
    (libc::TIOCMSET, 0),
    (libc::TIOCMIWAIT, 0),
    (libc::TIOCSBRK, 0),
    (libc::TIOCCBRK, 0),
    (libc::TIOCSETD, 0),
    (libc::TIOCGETD, 4),
    (FIOQSIZE, 8),
    (FIGETBSZ, 4),
    (FS_IOC_FSGETXATTR, 28),
    (FS_IOC_FSSETXATTR, 0),
    (FS_IOC_GETFSLABEL, 256),
    (BLKROGET, 4),
    (BLKGETSIZE, 8),
    (BLKSSZGET, 4),
    (BLKGETSIZE64, 8),
    (BLKPBSZGET, 4),
    (BLKFLSBUF, 0),
    (KDGKBTYPE, 1),
    (KDGKBMODE, 4),
    (KDGETMODE, 4),
    (VT_GETSTATE, 6),
    (RNDGETENTCNT, 4),
    (SIOCATMARK, 4),
    (SIOCGIFNAME, INTERFACE),
    (SIOCGIFFLAGS, INTERFACE),
    (SIOCGIFADDR, INTERFACE),
    (SIOCGIFDSTADDR, INTERFACE),
    (SIOCGIFBRDADDR, INTERFACE),
    (SIOCGIFNETMASK, INTERFACE),
    (SIOCGIFMETRIC, INTERFACE),
    (SIOCGIFMTU, INTERFACE),
    (SIOCGIFHWADDR, INTERFACE),
    (SIOCGIFINDEX, INTERFACE),
    (SIOCGIFTXQLEN, INTERFACE),
    // Open the namespace of a file, its parent or owner; which kind it is.
    (0xb701, 0),
    (0xb702, 0),
    (0xb703, 0),
];

const TIOCGPTPEER: libc::Ioctl = 0x5441;
const TIOCGPTLCK: libc::Ioctl = 0x8004_5439;
const TIOCGPKT: libc::Ioctl = 0x8004_5438;
const FIOQSIZE: libc::Ioctl = 0x5460;
const FIGETBSZ: libc::Ioctl = 2;
const FS_IOC_FSGETXATTR: libc::Ioctl = 0x801c_581f;
const FS_IOC_FSSETXATTR: libc::Ioctl = 0x401c_5820;
const FS_IOC_GETFSLABEL: libc::Ioctl = 0x8100_9431;
const BLKROGET: libc::Ioctl = 0x125e;
const BLKGETSIZE: libc::Ioctl = 0x1260;
const BLKFLSBUF: libc::Ioctl = 0x1261;
const BLKSSZGET: libc::Ioctl = 0x1268;
const BLKPBSZGET: libc::Ioctl = 0x127b;
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272;
const KDGKBTYPE: libc::Ioctl = 0x4b33;
const KDGETMODE: libc::Ioctl = 0x4b3b;
const KDGKBMODE: libc::Ioctl = 0x4b44;
const VT_GETSTATE: libc::Ioctl = 0x5603;
const RNDGETENTCNT: libc::Ioctl = 0x8004_5200;
const SIOCATMARK: libc::Ioctl = 0x8905;
/// The length of an `ifreq`.
const INTERFACE: u32 = 40;
const SIOCGIFNAME: libc::Ioctl = 0x8910;
const SIOCGIFFLAGS: libc::Ioctl = 0x8913;
const SIOCGIFADDR: libc::Ioctl = 0x8915;
const SIOCGIFDSTADDR: libc::Ioctl = 0x8917;
const SIOCGIFBRDADDR: libc::Ioctl = 0x8919;
const SIOCGIFNETMASK: libc::Ioctl = 0x891b;
const SIOCGIFMETRIC: libc::Ioctl = 0x891d;
const SIOCGIFMTU: libc::Ioctl = 0x8921;
const SIOCGIFHWADDR: libc::Ioctl = 0x8927;
const SIOCGIFINDEX: libc::Ioctl = 0x8933;
const SIOCGIFTXQLEN: libc::Ioctl = 0x8942;

/// What an `fcntl` with this command writes.
#[must_use]
pub fn fcntl(command: u64) -> Option<u32> {
    const GET_LOCK: [i32; 2] = [libc::F_GETLK, libc::F_OFD_GETLK];
    const SET_SIGNAL: i32 = 10;
    const GET_SIGNAL: i32 = 11;
    const GET_OWNER: i32 = 16;
    const NOTHING: &[i32] = &[
        libc::F_DUPFD,
        libc::F_DUPFD_CLOEXEC,
        libc::F_GETFD,
        libc::F_SETFD,
        libc::F_GETFL,
        libc::F_SETFL,
        libc::F_SETLK,
        libc::F_SETLKW,
        libc::F_OFD_SETLK,
        libc::F_OFD_SETLKW,
        libc::F_SETOWN,
        libc::F_GETOWN,
        SET_SIGNAL,
        GET_SIGNAL,
        libc::F_SETLEASE,
        libc::F_GETLEASE,
        libc::F_NOTIFY,
        libc::F_SETPIPE_SZ,
        libc::F_GETPIPE_SZ,
        libc::F_ADD_SEALS,
        libc::F_GET_SEALS,
    ];
    match i32::try_from(command).ok()? {
        command if GET_LOCK.contains(&command) => Some(32),
        GET_OWNER => Some(8),
        command if NOTHING.contains(&command) => Some(0),
        _ => None,
    }
}

/// What a `prctl` with this option writes.
#[must_use]
pub fn prctl(option: u64) -> Option<u32> {
    const NOTHING: &[i32] = &[
        libc::PR_SET_PDEATHSIG,
        libc::PR_GET_DUMPABLE,
        libc::PR_SET_DUMPABLE,
        libc::PR_GET_KEEPCAPS,
        libc::PR_SET_KEEPCAPS,
        libc::PR_SET_NAME,
        libc::PR_GET_SECCOMP,
        libc::PR_SET_SECCOMP,
        libc::PR_CAPBSET_READ,
        libc::PR_CAPBSET_DROP,
        libc::PR_GET_SECUREBITS,
        libc::PR_SET_SECUREBITS,
        libc::PR_SET_TIMERSLACK,
        libc::PR_GET_TIMERSLACK,
        libc::PR_SET_CHILD_SUBREAPER,
        libc::PR_SET_NO_NEW_PRIVS,
        libc::PR_GET_NO_NEW_PRIVS,
        libc::PR_SET_THP_DISABLE,
        libc::PR_GET_THP_DISABLE,
        libc::PR_CAP_AMBIENT,
        libc::PR_SET_PTRACER,
        libc::PR_SET_VMA,
        libc::PR_GET_SPECULATION_CTRL,
        libc::PR_SET_SPECULATION_CTRL,
        libc::PR_MCE_KILL,
        libc::PR_MCE_KILL_GET,
    ];
    match i32::try_from(option).ok()? {
        libc::PR_GET_NAME => Some(16),
        libc::PR_GET_PDEATHSIG | libc::PR_GET_CHILD_SUBREAPER => Some(4),
        option if NOTHING.contains(&option) => Some(0),
        _ => None,
    }
}

/// What an `arch_prctl` with this operation writes.
#[must_use]
pub fn arch_prctl(operation: u64) -> Option<u32> {
    const SET_GS: u64 = 0x1001;
    const SET_FS: u64 = 0x1002;
    const GET_FS: u64 = 0x1003;
    const GET_GS: u64 = 0x1004;
    match operation {
        SET_FS | SET_GS => Some(0),
        GET_FS | GET_GS => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_guessed() {
        assert_eq!(ioctl(0xdead_beef), None);
        assert_eq!(fcntl(9999), None);
        assert_eq!(prctl(9999), None);
        assert_eq!(arch_prctl(0x3001), None);
    }

    #[test]
    fn lengths_are_those_of_the_structures() {
        assert_eq!(ioctl(0x5413), Some(size_of::<libc::winsize>() as u32));
        assert_eq!(
            ioctl(libc::TCGETS2),
            Some(size_of::<libc::termios2>() as u32)
        );
        assert_eq!(fcntl(5), Some(size_of::<libc::flock64>() as u32));
    }
}
