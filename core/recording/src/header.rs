//! The file header: what the file is, which version, and its id.
//!
//! ```text
//!  0   8  magic      89 'R' 'P' 'R' 0D 0A 1A 0A
//!  8   4  version    of the container; readers refuse what is newer
//! 12   4  zero
//! 16   8  id         random; every chunk's checksum is seeded with it
//! 24   4  crc32c     of bytes 0..24
//! 28   4  zero
//! ```
//! All numbers of a recording are little-endian. The magic has a byte outside
//! ASCII, both line endings and an end-of-file mark, so that a transfer that
//! treated the file as text is noticed at its first bytes. Magic and version
//! keep their places in every later version.

/// The newest version of the container that this crate reads. It writes the oldest that
/// has what is needed:
///
/// | version | has |
/// | --- | --- |
/// | 1 | chunks with several events of up to 512 KiB |
/// | 2 | … of up to 16 MiB |
pub const VERSION: u32 = 2;

/// The length of the file header.
pub const LEN: usize = 32;

/// The first bytes of every recording.
pub const MAGIC: [u8; 8] = *b"\x89RPR\r\n\x1a\n";

/// The file header of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// The version of the container.
    pub version: u32,
    /// Seeds the checksum of every chunk header, so that a recording which
    /// happens to be *inside* another one is never mistaken for a part of it.
    pub id: u64,
}

/// Why bytes are not a file header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The magic is not there.
    #[error("it does not start like a recording")]
    NotARecording,
    /// Fewer bytes than a header has.
    #[error("it ends after {len} bytes, inside its first header")]
    Short {
        /// How many bytes there are.
        len: usize,
    },
    /// Written by a later version.
    #[error("it has format version {found}; this reprise reads versions up to {VERSION}")]
    Newer {
        /// The version of the file.
        found: u32,
    },
    /// The checksum does not fit.
    #[error("its file header is damaged (checksum {found:08x}, computed {computed:08x})")]
    Checksum {
        /// What the file says.
        found: u32,
        /// What its bytes say.
        computed: u32,
    },
}

impl FileHeader {
    /// The header as it stands in the file.
    #[must_use]
    pub fn write(&self) -> [u8; LEN] {
        let mut out = [0; LEN];
        out[..8].copy_from_slice(&MAGIC);
        out[8..12].copy_from_slice(&self.version.to_le_bytes());
        out[16..24].copy_from_slice(&self.id.to_le_bytes());
        let crc = crc32c::crc32c(&out[..24]);
        out[24..28].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Reads the header off the first bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, HeaderError> {
        let known = bytes.len().min(MAGIC.len());
        if bytes.is_empty() || bytes[..known] != MAGIC[..known] {
            return Err(HeaderError::NotARecording);
        }
        let Some(bytes) = bytes.first_chunk::<LEN>() else {
            return Err(HeaderError::Short { len: bytes.len() });
        };
        let version = u32_at(bytes, 8);
        if version > VERSION {
            return Err(HeaderError::Newer { found: version });
        }
        let found = u32_at(bytes, 24);
        let computed = crc32c::crc32c(&bytes[..24]);
        if found != computed && crate::chunk::CHECKSUMS_COUNT {
            return Err(HeaderError::Checksum { found, computed });
        }
        let id = u64::from(u32_at(bytes, 16)) | u64::from(u32_at(bytes, 20)) << 32;
        Ok(Self { version, id })
    }
}

fn u32_at(bytes: &[u8; LEN], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: FileHeader = FileHeader {
        version: VERSION,
        id: 0x0123_4567_89ab_cdef,
    };

    #[test]
    fn round_trip() {
        assert_eq!(FileHeader::read(&HEADER.write()), Ok(HEADER));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        for bit in 0..28 * 8 {
            let mut bytes = HEADER.write();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(FileHeader::read(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |bytes: &[u8], expected| assert_eq!(FileHeader::read(bytes), Err(expected));
        check(b"", HeaderError::NotARecording);
        check(b"\x7fELF\x02\x01\x01\x00", HeaderError::NotARecording);
        check(&HEADER.write()[..5], HeaderError::Short { len: 5 });
        check(&HEADER.write()[..31], HeaderError::Short { len: 31 });
        let newer = FileHeader {
            version: 7,
            ..HEADER
        };
        check(&newer.write(), HeaderError::Newer { found: 7 });
    }
}
