//! Numbers in as few bytes as they need: seven bits to a byte, lowest first,
//! the top bit set on every byte but the last.

/// The longest encoding of a `u64`.
pub(crate) const MAX: usize = 10;

/// Appends `value` to `out`.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, value: u64) {
    let (bytes, len) = encode(value);
    out.extend_from_slice(&bytes[..len]);
}

/// The encoding of `value`, and how many bytes of it count.
#[inline]
pub(crate) fn encode(mut value: u64) -> ([u8; MAX], usize) {
    let mut bytes = [0; MAX];
    let mut len = 0;
    loop {
        bytes[len] = value as u8;
        len += 1;
        value >>= 7;
        if value == 0 {
            return (bytes, len);
        }
        bytes[len - 1] |= 0x80;
    }
}

/// Takes a number off the front of `bytes`; `None` when it is cut short, does
/// not fit a `u64`, or is longer than it needs to be (one value has one form).
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    if let [first, rest @ ..] = *bytes
        && *first < 0x80
    {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    take_long(bytes)
}

fn take_long(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX).enumerate() {
        let bits = u64::from(byte & 0x7f);
        let shift = 7 * i as u32;
        if i == MAX - 1 && byte > 1 {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            if byte == 0 && i > 0 {
                return None;
            }
            *bytes = bytes.get(i + 1..)?;
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(value: u64, expected: &[u8]) {
        let mut out = Vec::new();
        put(&mut out, value);
        assert_eq!(out, expected);
    }

    #[test]
    fn encodes_by_hand() {
        check(0, &[0]);
        check(127, &[0x7f]);
        check(128, &[0x80, 1]);
        check(300, &[0xac, 2]);
        check(u64::MAX, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
    }

    #[test]
    fn refuses_what_put_never_writes() {
        for bytes in [&[][..], &[0x80], &[0x80, 0], &[255; 10], &[255; 11]] {
            assert_eq!(take(&mut &*bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn round_trip(value: u64, tail: Vec<u8>) {
            let mut out = Vec::new();
            put(&mut out, value);
            out.extend(&tail);
            let mut rest = &out[..];
            prop_assert_eq!(take(&mut rest), Some(value));
            prop_assert_eq!(rest, &tail[..]);
        }
    }
}
