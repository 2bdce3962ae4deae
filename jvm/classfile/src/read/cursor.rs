//! Checked reading of big-endian values, with offsets into the whole file.

use super::ReadError;

/// A position in a slice that knows where in the file the slice begins, so
/// that an error deep inside an attribute still names the file offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Reads `bytes`, whose first byte is at `offset` in the file.
    pub(crate) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self {
            rest: bytes,
            offset,
        }
    }

    /// The offset of the next byte in the file.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// How many bytes are left.
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let (head, tail) = self
            .rest
            .split_at_checked(count)
            .ok_or(ReadError::Truncated {
                offset: self.offset,
                needed: count,
                available: self.rest.len(),
            })?;
        self.rest = tail;
        self.offset = self.offset.saturating_add(count);
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let (head, tail) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(ReadError::Truncated {
                offset: self.offset,
                needed: N,
                available: self.rest.len(),
            })?;
        self.rest = tail;
        self.offset = self.offset.saturating_add(N);
        Ok(*head)
    }

    pub(crate) fn u1(&mut self) -> Result<u8, ReadError> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn i1(&mut self) -> Result<i8, ReadError> {
        self.array().map(i8::from_be_bytes)
    }

    pub(crate) fn u2(&mut self) -> Result<u16, ReadError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn i2(&mut self) -> Result<i16, ReadError> {
        self.array().map(i16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self) -> Result<u32, ReadError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn i4(&mut self) -> Result<i32, ReadError> {
        self.array().map(i32::from_be_bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u64, ReadError> {
        self.array().map(u64::from_be_bytes)
    }

    /// A `u2` count and that many items. Memory follows what is really there,
    /// not what the count claims.
    pub(crate) fn list<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let count = self.u2()?;
        self.items(usize::from(count), item)
    }

    /// `count` items; see [`Cursor::list`].
    pub(crate) fn items<T>(
        &mut self,
        count: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let mut items = Vec::with_capacity(count.min(self.rest.len() / 2));
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Checks that everything was read.
    pub(crate) fn finish(self) -> Result<(), ReadError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(ReadError::TrailingBytes {
                offset: self.offset,
                count: self.rest.len(),
            })
        }
    }
}
