//! Where in a file a call has written, and what of that is in memory.

use nix::libc;
use reprise_syscalls::{Call, Extent};

use crate::maps::Mapped;

/// What a call has changed in memory through a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) there: Vec<Extent>,
    /// What is behind the file's end now. It is zero when it comes back.
    pub(crate) gone: Vec<Extent>,
}

impl Changed {
    /// Adds what has changed, up to where the file ends and behind that.
    pub(super) fn split(&mut self, extent: Extent, end: u64) {
        let (start, stop) = (extent.address, end_of(extent));
        let middle = end.clamp(start, stop);
        let part = |address, end: u64| Extent {
            address,
            len: end - address,
        };
        let parts = [
            (&mut self.there, part(start, middle)),
            (&mut self.gone, part(middle, stop)),
        ];
        for (all, part) in parts {
            if part.len > 0 {
                all.push(part);
            }
        }
    }
}

pub(super) fn end_of(extent: Extent) -> u64 {
    extent.address + extent.len
}

/// From where to where a call has written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrote {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The descriptor that a call writes to; none for other calls.
pub(super) fn written_to(call: &Call, arguments: &[u64; 6], result: u64) -> Option<u64> {
    let empties = |flags: u64| (flags & libc::O_TRUNC as u64 != 0).then_some(result);
    match call.number.cast_signed() {
        libc::SYS_open => empties(arguments[1]),
        libc::SYS_openat => empties(arguments[2]),
        // Its flags are in memory.
        libc::SYS_creat | libc::SYS_openat2 => Some(result),
        libc::SYS_copy_file_range | libc::SYS_splice => Some(arguments[2]),
        libc::SYS_write
        | libc::SYS_writev
        | libc::SYS_pwrite64
        | libc::SYS_pwritev
        | libc::SYS_pwritev2
        | libc::SYS_ftruncate
        | libc::SYS_fallocate
        | libc::SYS_sendfile => Some(arguments[0]),
        _ => None,
    }
}

impl Wrote {
    pub(super) const ANYWHERE: Self = Self {
        start: 0,
        end: u64::MAX,
    };

    /// Whether the file may be shorter now.
    pub(super) fn shortens(&self) -> bool {
        *self == Self::ANYWHERE
    }

    /// `position` is where a descriptor stands now.
    pub(super) fn by(
        call: &Call,
        arguments: &[u64; 6],
        result: u64,
        position: impl Fn(u64) -> Option<u64>,
    ) -> Option<Self> {
        let descriptor = written_to(call, arguments, result)?;
        let (start, end) = match call.number.cast_signed() {
            libc::SYS_write | libc::SYS_writev => {
                let end = position(descriptor)?;
                (end.saturating_sub(result), end)
            }
            // Where it stands is meant.
            libc::SYS_pwritev2 if arguments[3] == u64::MAX => {
                let end = position(descriptor)?;
                (end.saturating_sub(result), end)
            }
            libc::SYS_pwrite64 | libc::SYS_pwritev | libc::SYS_pwritev2 => {
                (arguments[3], arguments[3].saturating_add(result))
            }
            // Anywhere: what is cut off and comes back is zero.
            _ => (0, u64::MAX),
        };
        Some(Self { start, end })
    }

    /// What of it is in a mapping of the file.
    pub(super) fn within(&self, mapped: &Mapped) -> Option<Extent> {
        let len = mapped.region.end - mapped.region.start;
        let start = self.start.max(mapped.offset);
        let end = self.end.min(mapped.offset.saturating_add(len));
        (start < end).then(|| Extent {
            address: mapped.region.start + (start - mapped.offset),
            len: end - start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_syscalls::find;

    fn check(number: libc::c_long, arguments: [u64; 6], result: u64, expected: (u64, u64, u64)) {
        let call = find(number.cast_unsigned()).unwrap();
        let wrote = Wrote::by(call, &arguments, result, |_| Some(1000)).unwrap();
        let descriptor = written_to(call, &arguments, result).unwrap();
        assert_eq!((descriptor, wrote.start, wrote.end), expected);
    }

    #[test]
    fn where_calls_write_in_files() {
        check(libc::SYS_write, [3, 0, 20, 0, 0, 0], 10, (3, 990, 1000));
        check(libc::SYS_pwrite64, [3, 0, 20, 50, 0, 0], 10, (3, 50, 60));
        let here = [3, 0, 1, u64::MAX, u64::MAX, 0];
        check(libc::SYS_pwritev2, here, 10, (3, 990, 1000));
        check(
            libc::SYS_ftruncate,
            [3, 100, 0, 0, 0, 0],
            0,
            (3, 0, u64::MAX),
        );
        let empties = libc::O_TRUNC as u64;
        check(
            libc::SYS_openat,
            [0, 0, empties, 0, 0, 0],
            7,
            (7, 0, u64::MAX),
        );
        let opens = find(libc::SYS_openat.cast_unsigned()).unwrap();
        assert_eq!(Wrote::by(opens, &[0; 6], 7, |_| None), None);
        let call = find(libc::SYS_read.cast_unsigned()).unwrap();
        assert_eq!(Wrote::by(call, &[0; 6], 1, |_| None), None);
    }

    #[test]
    fn what_is_behind_the_end_is_gone() {
        let extent = |address, len| Extent { address, len };
        let check = |end, there: &[Extent], gone: &[Extent]| {
            let mut changed = Changed::default();
            changed.split(extent(100, 50), end);
            assert_eq!((&changed.there[..], &changed.gone[..]), (there, gone));
        };
        check(0, &[], &[extent(100, 50)]);
        check(120, &[extent(100, 20)], &[extent(120, 30)]);
        check(150, &[extent(100, 50)], &[]);
    }
}
