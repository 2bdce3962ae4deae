//! The values that events are made of: numbers, words, bytes and lists of them,
//! with writer and reader of each.

use super::WireError;

/// Bytes that are being written.
pub(super) struct Out<'a>(pub(super) &'a mut Vec<u8>);

/// Bytes that are still to be read.
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl Out<'_> {
    pub(super) fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(list.len() as u64);
        for element in list {
            each(self, element);
        }
    }

    pub(super) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    pub(super) fn word(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(super) fn word32(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }
}

impl In<'_> {
    /// Every element takes at least a byte, so a length that lies is found out
    /// before the list has grown.
    pub(super) fn list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let len = self.len()?;
        let mut list = Vec::new();
        for _ in 0..len {
            list.push(each(self)?);
        }
        Ok(list)
    }

    pub(super) fn option<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<Option<T>, WireError> {
        match self.byte()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            found => Err(WireError::Choice { what, found }),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, WireError> {
        let len = self.len()?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(bytes.to_vec())
    }

    /// A number of bytes or elements, of which there are at least as many left.
    pub(super) fn len(&mut self) -> Result<usize, WireError> {
        let len = usize::try_from(self.number()?).map_err(|_| WireError::Number)?;
        if len > self.0.len() {
            return Err(WireError::Short);
        }
        Ok(len)
    }

    pub(super) fn number(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(WireError::Number);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(WireError::Number)
    }

    pub(super) fn number32(&mut self) -> Result<u32, WireError> {
        u32::try_from(self.number()?).map_err(|_| WireError::Number)
    }

    pub(super) fn word(&mut self) -> Result<u64, WireError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn word32(&mut self) -> Result<u32, WireError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, WireError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.0.split_first_chunk().ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(*array)
    }
}

pub(super) fn zigzag(value: u64) -> u64 {
    let value = value.cast_signed();
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

pub(super) fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}
