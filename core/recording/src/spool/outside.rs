//! Events in files of their own, as the drainer reads them.
//!
//! The subject can put anything in their place: a pipe on which an `open`
//! waits, or a link to a file that is none of the recording's.

use crate::limits;
use rustix::fs::{AtFlags, Mode, OFlags};
use std::{fs::File, io::Read, os::fd::OwnedFd, path::Path};

/// The folder of these files.
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Opens it if it is a folder and no link to one.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).ok().map(Self)
    }

    /// The event in a file, if the file is what the record announced.
    pub(super) fn read(&self, name: &str, len: u64) -> Option<Vec<u8>> {
        if len > limits::EVENT as u64 {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty()).ok()?);
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() != len {
            return None;
        }
        let mut event = Vec::with_capacity(len as usize);
        file.take(len).read_to_end(&mut event).ok()?;
        (event.len() as u64 == len).then_some(event)
    }

    /// Removes a file; what cannot be removed goes with the spool.
    pub(super) fn remove(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.0, name, AtFlags::empty());
    }
}
