//! From the shapes of a call to the pieces of memory that it read or wrote,
//! given its arguments, its result and the memory behind them.
//!
//! A piece may be longer than what the kernel touched: what it left alone is
//! then recorded as it was, which is harmless. That is why nothing here needs
//! to know the memory before the call.

use crate::is_error;
use crate::shape::{Call, Place, Shape, Size};
use crate::special;

/// A piece of the subject's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins.
    pub address: u64,
    /// How many bytes it has.
    pub len: u64,
}

/// The subject's memory.
pub trait Memory {
    /// Fills `into` from `address` on and returns how many bytes could be read.
    fn read(&self, address: u64, into: &mut [u8]) -> usize;
}

/// What the table cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The argument that decides: a request, command, option or operation.
    pub argument: u8,
    /// Its value.
    pub value: u64,
}

/// The longest text that is looked at, and the most elements of an array.
const TEXT: u64 = 4096;
const ELEMENTS: u64 = 1024;

/// The errors of requests that the kernel, or who has the file, does not know, may not be
/// asked for or finds no device for.
const REFUSED: [i32; 9] = [
    libc::EACCES,
    libc::EBADF,
    libc::EINVAL,
    libc::ENODEV,
    libc::ENOSYS,
    libc::ENOTTY,
    libc::ENXIO,
    libc::EOPNOTSUPP,
    libc::EPERM,
];

/// The longest option of a socket that is believed: rules of a firewall are the longest.
const OPTION: u64 = 1 << 20;

/// The most that a call which fails is believed to have written: as many descriptors as a
/// process may have, for `poll`.
const FAILED: u64 = 8 << 20;

/// The pieces that a call has written, after it returned `result`.
pub fn written_by(
    call: &Call,
    arguments: &[u64; 6],
    result: u64,
    memory: &impl Memory,
) -> Result<Vec<Extent>, Unknown> {
    let done = Done {
        arguments,
        result: Some(result),
        memory,
    };
    done.extents(call.writes)
}

/// The pieces that a call is about to read.
pub fn read_by(call: &Call, arguments: &[u64; 6], memory: &impl Memory) -> Vec<Extent> {
    let done = Done {
        arguments,
        result: None,
        memory,
    };
    // What is read is only compared, so nothing is lost where it is not known.
    done.extents(call.reads).unwrap_or_default()
}

struct Done<'a, M> {
    arguments: &'a [u64; 6],
    /// `None` before the call is made.
    result: Option<u64>,
    memory: &'a M,
}

impl<M: Memory> Done<'_, M> {
    fn extents(&self, places: &[Place]) -> Result<Vec<Extent>, Unknown> {
        let mut extents = Vec::new();
        for place in places {
            let address = self.argument(place.argument);
            if address != 0 {
                self.extents_at(address, place.shape, &mut extents)?;
            }
        }
        extents.retain(|extent| extent.len > 0);
        Ok(extents)
    }

    fn extents_at(&self, address: u64, shape: Shape, out: &mut Vec<Extent>) -> Result<(), Unknown> {
        let failed = self.result.is_some_and(is_error);
        match shape {
            Shape::Bytes(Size::Fixed(len)) => out.push(extent(address, u64::from(len))),
            // `poll` says of descriptors that nothing happened to them also when a signal cuts
            // it off. A length that fails because it is far too long is not written.
            Shape::Bytes(size) if failed && size.is_known_before() => {
                let len = self.len(size);
                out.extend((len <= FAILED).then_some(extent(address, len)));
            }
            // The length that a buffer would have needed is told also by a call that fails for
            // it, and an answer may be begun before it turns out that there is none.
            Shape::LengthAt(pointer) if failed => {
                let pointer = self.argument(pointer);
                out.extend((pointer != 0).then_some(extent(pointer, 4)));
            }
            Shape::Ioctl(decides) if self.argument(decides) as u32 == special::PARTS => {
                // What there is until it fails is told, too.
                const PART: u64 = 56;
                let there = u64::from(self.u32_at(address.wrapping_add(20)));
                let room = u64::from(self.u32_at(address.wrapping_add(24)));
                out.push(extent(address, 32 + there.min(room) * PART));
            }
            Shape::Ioctl(decides) if failed => self.begun(address, decides, special::ioctl, out)?,
            Shape::Fcntl(decides) if failed => self.begun(address, decides, special::fcntl, out)?,
            Shape::Prctl(decides) if failed => self.begun(address, decides, special::prctl, out)?,
            // What has another length is not written by a call that fails.
            _ if failed => {}
            Shape::Bytes(size) => out.push(extent(address, self.len(size))),
            Shape::Text => out.push(extent(address, self.text_len(address))),
            Shape::Iovec(count) => {
                let limit = self.result.unwrap_or(u64::MAX);
                self.iovec(address, self.argument(count), limit, out);
            }
            Shape::LengthAt(pointer) => self.length_at(address, self.argument(pointer), out),
            Shape::Descriptors(count) => {
                let words = self.argument(count).min(1 << 20).div_ceil(64);
                out.push(extent(address, words * 8));
            }
            Shape::Message => self.message(address, self.result, out),
            Shape::Messages(count) => {
                let count = self.argument(count).min(self.result.unwrap_or(u64::MAX));
                for index in 0..count.min(ELEMENTS) {
                    let at = address.wrapping_add(index * 64);
                    let len = u64::from(self.u32_at(at.wrapping_add(56)));
                    self.message(at, Some(len), out);
                    out.push(extent(at.wrapping_add(56), 8));
                }
            }
            Shape::Ioctl(decides) if self.argument(decides) as u32 == special::INTERFACES => {
                // A length and a pointer, and so much behind it.
                let buffer = self.u64_at(address.wrapping_add(8));
                out.push(extent(address, 16));
                if buffer != 0 {
                    out.push(extent(buffer, u64::from(self.u32_at(address)).min(1 << 20)));
                }
            }
            Shape::Ioctl(decides) if self.argument(decides) as u32 == special::DEVICE => {
                // Behind the name of the device is a pointer, and behind that what to do.
                let answer = self.u64_at(address.wrapping_add(16));
                let len = special::device(self.u32_at(answer).into());
                let (argument, value) = (decides, special::DEVICE.into());
                let len = len.ok_or(Unknown { argument, value })?;
                out.push(extent(answer, len.into()));
            }
            Shape::Ioctl(decides) => self.special(address, decides, special::ioctl, out)?,
            Shape::Fcntl(decides) => self.special(address, decides, special::fcntl, out)?,
            Shape::Prctl(decides) => self.special(address, decides, special::prctl, out)?,
            Shape::ArchPrctl(decides) => {
                self.special(address, decides, special::arch_prctl, out)?;
            }
        }
        Ok(())
    }

    fn special(
        &self,
        address: u64,
        decides: u8,
        len: fn(u64) -> Option<u32>,
        out: &mut Vec<Extent>,
    ) -> Result<(), Unknown> {
        let value = self.argument(decides);
        let Some(len) = len(value) else {
            let argument = decides;
            return Err(Unknown { argument, value });
        };
        out.push(extent(address, u64::from(len)));
        Ok(())
    }

    /// What a call that has failed may have begun to write. Of one that is not in the table
    /// only such errors tell that there is nothing as come before anything is done.
    fn begun(
        &self,
        address: u64,
        decides: u8,
        len: fn(u64) -> Option<u32>,
        out: &mut Vec<Extent>,
    ) -> Result<(), Unknown> {
        let result = self.result.unwrap_or_default();
        let error = i32::try_from(result.cast_signed().wrapping_neg());
        let is_refused = error.is_ok_and(|error| REFUSED.contains(&error));
        if is_refused && len(self.argument(decides)).is_none() {
            return Ok(());
        }
        self.special(address, decides, len, out)
    }

    fn len(&self, size: Size) -> u64 {
        match size {
            Size::Fixed(len) => u64::from(len),
            Size::Argument(size) => self.argument(size),
            Size::More(size, more) => self.argument(size).saturating_add(u64::from(more)),
            Size::Pages(len) => self.argument(len).div_ceil(4096),
            Size::Elements(count, unit) => self.argument(count).saturating_mul(u64::from(unit)),
            Size::Result { limit, unit } => {
                let count = self.result.unwrap_or(0).min(self.argument(limit));
                count.saturating_mul(u64::from(unit))
            }
        }
    }

    /// The buffers of `count` vectors, up to `limit` bytes in all.
    fn iovec(&self, address: u64, count: u64, limit: u64, out: &mut Vec<Extent>) {
        let mut left = limit;
        for index in 0..count.min(ELEMENTS) {
            let at = address.wrapping_add(index * 16);
            let len = self.u64_at(at.wrapping_add(8)).min(left);
            left -= len;
            out.push(extent(self.u64_at(at), len));
        }
    }

    fn length_at(&self, address: u64, pointer: u64, out: &mut Vec<Extent>) {
        if pointer == 0 {
            return;
        }
        // Behind the call the length may be more than the buffer had room
        // for: addresses are short, and options are told with the length they have.
        let len = u64::from(self.u32_at(pointer)).min(OPTION);
        out.push(extent(address, len));
        out.push(extent(pointer, 4));
    }

    /// A `msghdr`: name, its length, vectors, their count, control data, its
    /// length, flags.
    fn message(&self, address: u64, result: Option<u64>, out: &mut Vec<Extent>) {
        let word = |index: u64| self.u64_at(address.wrapping_add(index * 8));
        let name_len = u64::from(self.u32_at(address.wrapping_add(8))).min(TEXT);
        if word(0) != 0 {
            out.push(extent(word(0), name_len));
        }
        self.iovec(word(2), word(3), result.unwrap_or(u64::MAX), out);
        if word(4) != 0 {
            out.push(extent(word(4), word(5).min(1 << 20)));
        }
        out.push(extent(address, 56));
    }

    fn text_len(&self, address: u64) -> u64 {
        // Page by page: what is behind the end may not be there.
        const PAGE: u64 = 4096;
        let mut text = [0; PAGE as usize];
        let mut len = 0;
        while len < TEXT {
            let at = address.wrapping_add(len);
            let most = (PAGE - at % PAGE).min(TEXT - len) as usize;
            let read = self.memory.read(at, &mut text[..most]);
            let end = text[..read].iter().position(|&byte| byte == 0);
            len += end.unwrap_or(read) as u64;
            if end.is_some() || read < most {
                break;
            }
        }
        len
    }

    fn argument(&self, index: u8) -> u64 {
        self.arguments.get(usize::from(index)).copied().unwrap_or(0)
    }

    fn u64_at(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.memory.read(address, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn u32_at(&self, address: u64) -> u32 {
        self.u64_at(address) as u32
    }
}

fn extent(address: u64, len: u64) -> Extent {
    Extent { address, len }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;
    use proptest::prelude::*;

    /// Memory from 0x1000 on.
    struct Bytes(Vec<u8>);

    impl Memory for Bytes {
        fn read(&self, address: u64, into: &mut [u8]) -> usize {
            let from = usize::try_from(address.wrapping_sub(0x1000)).unwrap_or(usize::MAX);
            let there = self.0.get(from..).unwrap_or_default();
            let len = there.len().min(into.len());
            into[..len].copy_from_slice(&there[..len]);
            len
        }
    }

    fn words(words: &[u64]) -> Bytes {
        Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    fn check(
        number: i64,
        arguments: [u64; 6],
        result: i64,
        memory: &Bytes,
        expected: &[(u64, u64)],
    ) {
        let call = find(number.cast_unsigned()).unwrap();
        let extents = written_by(call, &arguments, result.cast_unsigned(), memory).unwrap();
        let extents: Vec<_> = extents.iter().map(|e| (e.address, e.len)).collect();
        assert_eq!(extents, expected);
    }

    #[test]
    fn the_result_says_how_much_was_read() {
        let none = words(&[]);
        check(
            libc::SYS_read,
            [0, 0x5000, 100, 0, 0, 0],
            7,
            &none,
            &[(0x5000, 7)],
        );
        check(libc::SYS_read, [0, 0x5000, 100, 0, 0, 0], -11, &none, &[]);
        check(libc::SYS_read, [0, 0x5000, 100, 0, 0, 0], 0, &none, &[]);
    }

    #[test]
    fn a_result_beyond_the_buffer_was_not_written() {
        let none = words(&[]);
        check(
            libc::SYS_recvfrom,
            [3, 0x5000, 8, 32, 0, 0],
            900,
            &none,
            &[(0x5000, 8)],
        );
    }

    #[test]
    fn vectors_are_filled_one_after_another() {
        let vectors = words(&[0x5000, 4, 0x6000, 4, 0x7000, 4]);
        let arguments = [0, 0x1000, 3, 0, 0, 0];
        check(
            libc::SYS_readv,
            arguments,
            6,
            &vectors,
            &[(0x5000, 4), (0x6000, 2)],
        );
    }

    #[test]
    fn a_message_comes_with_its_header() {
        let message = words(&[0x5000, 16, 0x1038, 1, 0x7000, 24, 0, 0x6000, 100]);
        let arguments = [3, 0x1000, 0, 0, 0, 0];
        let expected = [(0x5000, 16), (0x6000, 10), (0x7000, 24), (0x1000, 56)];
        check(libc::SYS_recvmsg, arguments, 10, &message, &expected);
    }

    #[test]
    fn the_remaining_time_is_written_even_by_a_call_that_fails() {
        let none = words(&[]);
        check(
            libc::SYS_nanosleep,
            [0x5000, 0x6000, 0, 0, 0, 0],
            -4,
            &none,
            &[(0x6000, 16)],
        );
    }

    #[test]
    fn descriptors_are_told_about_even_by_a_poll_that_is_cut_off() {
        let (three, none) = ([0x5000, 3, 0, 0, 0, 0], words(&[]));
        for code in [-4, -514, -516] {
            check(libc::SYS_poll, three, code, &none, &[(0x5000, 24)]);
        }
        let far_too_many = [0x5000, u64::MAX >> 4, 0, 0, 0, 0];
        check(libc::SYS_poll, far_too_many, -22, &none, &[]);
    }

    #[test]
    fn the_length_that_is_needed_is_told_by_a_call_that_fails() {
        let socket = [3, 1, 59, 0x5000, 0x1000, 0];
        check(
            libc::SYS_getsockopt,
            socket,
            -34,
            &words(&[64]),
            &[(0x1000, 4)],
        );
        let handle = [3, 0x5000, 0x6000, 0x7000, 0, 0];
        let expected = [(0x6000, 136), (0x7000, 8)];
        check(
            libc::SYS_name_to_handle_at,
            handle,
            -75,
            &words(&[]),
            &expected,
        );
        let attributes = [0, 0x5000, 0, 0, 0, 0];
        check(
            libc::SYS_sched_setattr,
            attributes,
            -7,
            &words(&[]),
            &[(0x5000, 4)],
        );
    }

    #[test]
    fn a_request_that_fails_may_have_begun_its_answer() {
        let size = [0, libc::TIOCGWINSZ, 0x5000, 0, 0, 0];
        check(libc::SYS_ioctl, size, -5, &words(&[]), &[(0x5000, 8)]);
        let lock = [3, libc::F_GETLK as u64, 0x5000, 0, 0, 0];
        check(libc::SYS_fcntl, lock, -4, &words(&[]), &[(0x5000, 32)]);
    }

    #[test]
    fn a_long_option_is_recorded_whole() {
        let rules = [3, 0, 65, 0x5000, 0x1000, 0];
        let expected = [(0x5000, 9000), (0x1000, 4)];
        check(libc::SYS_getsockopt, rules, 0, &words(&[9000]), &expected);
    }

    #[test]
    fn as_many_parts_of_a_file_are_told_as_there_is_room_for() {
        let arguments = [3, u64::from(special::PARTS), 0x1000, 0, 0, 0];
        let told = |there: u64, room: u64, len| {
            let memory = words(&[0, u64::MAX, there << 32, room]);
            for result in [0, -4] {
                check(
                    libc::SYS_ioctl,
                    arguments,
                    result,
                    &memory,
                    &[(0x1000, len)],
                );
            }
        };
        told(2, 8, 32 + 2 * 56);
        told(9, 0, 32);
    }

    #[test]
    fn a_list_of_interfaces_comes_with_its_length() {
        let list = words(&[80, 0x5000]);
        let arguments = [3, u64::from(special::INTERFACES), 0x1000, 0, 0, 0];
        let expected = [(0x1000, 16), (0x5000, 80)];
        check(libc::SYS_ioctl, arguments, 0, &list, &expected);
    }

    #[test]
    fn what_a_device_can_do_is_behind_two_pointers() {
        let arguments = [3, u64::from(special::DEVICE), 0x1000, 0, 0, 0];
        // Two words with a name, a pointer, and the command that it points to.
        let asks = |command| words(&[0, 0, 0x1018, command]);
        let expected = [(0x1018, 196)];
        check(libc::SYS_ioctl, arguments, 0, &asks(3), &expected);
        let call = find(libc::SYS_ioctl.cast_unsigned()).unwrap();
        assert!(written_by(call, &arguments, 0, &asks(0xffff)).is_err());
    }

    #[test]
    fn an_unknown_request_that_did_something_is_unknown() {
        let call = find(libc::SYS_ioctl.cast_unsigned()).unwrap();
        let arguments = [0, 0xdead, 0x5000, 0, 0, 0];
        let unknown = written_by(call, &arguments, 0, &words(&[]));
        assert_eq!(
            unknown,
            Err(Unknown {
                argument: 1,
                value: 0xdead
            })
        );
        let failed = |error: i32| {
            let result = i64::from(-error).cast_unsigned();
            written_by(call, &arguments, result, &words(&[]))
        };
        assert_eq!(failed(libc::ENOTTY), Ok(vec![]));
        // Who was cut off may have begun. So may one that is made again, with an error
        // that no program sees.
        assert_eq!(failed(libc::EINTR), unknown);
        assert_eq!(failed(512), unknown);
    }

    proptest! {
        #[test]
        fn any_arguments_end(number in 0u64..480, arguments: [u64; 6], result: u64, memory: Vec<u8>) {
            if let Some(call) = find(number) {
                let memory = Bytes(memory);
                let _ = written_by(call, &arguments, result, &memory);
                let _ = read_by(call, &arguments, &memory);
            }
        }
    }
}
