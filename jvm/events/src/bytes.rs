//! Numbers and strings in events and table entries.
//!
//! ```text
//! varint   seven bits a byte, the lowest first; bit 7 says that more follow
//! zigzag   a signed number as a varint: 0, -1, 1, -2, …
//! text     varint length in bytes, UTF-8
//! blob     varint length in bytes, bytes
//! ```

/// What is wrong with the bytes of an event or a table entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The bytes end too early.
    #[error("it ends after {length} bytes, within a value")]
    Truncated {
        /// How many bytes there are.
        length: usize,
    },
    /// Bytes are left over.
    #[error("{count} bytes are left over")]
    LeftOver {
        /// How many.
        count: usize,
    },
    /// A number that is too large for its place.
    #[error("the number {number} is too large for {what}")]
    TooLarge {
        /// The number.
        number: u64,
        /// Its place.
        what: &'static str,
    },
    /// A code that has no meaning.
    #[error("{what} cannot be {code}")]
    Unknown {
        /// What the code stands for.
        what: &'static str,
        /// The code.
        code: u64,
    },
    /// A number that no table entry has.
    #[error("there is no {what} {id}")]
    NoEntry {
        /// The table.
        what: &'static str,
        /// The number.
        id: u32,
    },
    /// A descriptor that is none.
    #[error("{text:?} is no descriptor")]
    Descriptor {
        /// The text.
        text: String,
    },
}

/// Reads from the front of some bytes.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    left: &'a [u8],
    length: usize,
}

impl<'a> Input<'a> {
    /// Begins at the front.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let length = bytes.len();
        Self {
            left: bytes,
            length,
        }
    }

    /// How many bytes are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.left.len()
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        let (taken, left) = self.left.split_at_checked(count).ok_or(self.truncated())?;
        self.left = left;
        Ok(taken)
    }

    /// The next byte.
    pub fn u8(&mut self) -> Result<u8, FormatError> {
        let (first, left) = self.left.split_first().ok_or(self.truncated())?;
        self.left = left;
        Ok(*first)
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let (first, left) = self.left.split_first_chunk().ok_or(self.truncated())?;
        self.left = left;
        Ok(*first)
    }

    /// A varint.
    pub fn varint(&mut self) -> Result<u64, FormatError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && byte > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(FormatError::TooLarge {
            number,
            what: "64 bits",
        })
    }

    /// A varint that fits into 32 bits.
    pub fn u32(&mut self, what: &'static str) -> Result<u32, FormatError> {
        let number = self.varint()?;
        u32::try_from(number).map_err(|_| FormatError::TooLarge { number, what })
    }

    /// A signed number.
    pub fn zigzag(&mut self) -> Result<i64, FormatError> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// Bytes with their length.
    pub fn blob(&mut self) -> Result<&'a [u8], FormatError> {
        let length = self.varint()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// Text; what is not UTF-8 in it is replaced.
    pub fn text(&mut self) -> Result<String, FormatError> {
        Ok(String::from_utf8_lossy(self.blob()?).into_owned())
    }

    /// Nothing may be left.
    pub fn finish(self) -> Result<(), FormatError> {
        match self.left.len() {
            0 => Ok(()),
            count => Err(FormatError::LeftOver { count }),
        }
    }

    fn truncated(&self) -> FormatError {
        FormatError::Truncated {
            length: self.length,
        }
    }
}

/// Writes a varint.
pub fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Writes a signed number.
pub fn put_zigzag(out: &mut Vec<u8>, number: i64) {
    put_varint(out, (number << 1 ^ (number >> 63)).cast_unsigned());
}

/// Writes bytes with their length.
pub fn put_blob(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_round_trip(number: u64, signed: i64) {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            put_zigzag(&mut out, signed);
            let mut input = Input::new(&out);
            prop_assert_eq!(input.varint(), Ok(number));
            prop_assert_eq!(input.zigzag(), Ok(signed));
            prop_assert_eq!(input.finish(), Ok(()));
        }

        #[test]
        fn any_bytes_are_a_number_or_an_error(bytes: Vec<u8>) {
            let _ = Input::new(&bytes).varint();
            let _ = Input::new(&bytes).text();
        }
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let bytes = [0xff; 11];
        assert!(matches!(
            Input::new(&bytes).varint(),
            Err(FormatError::TooLarge { .. })
        ));
        assert!(matches!(
            Input::new(&[5, b'a']).text(),
            Err(FormatError::Truncated { length: 2 })
        ));
    }
}
