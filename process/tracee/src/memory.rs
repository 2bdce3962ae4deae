//! The memory of a traced process.

use std::fs::OpenOptions;
use std::io::{IoSlice, IoSliceMut};
use std::os::unix::fs::FileExt as _;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace;
use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};

use crate::{TraceError, Tracee};

/// A shorter name for what most functions here return.
pub type Tracing<T> = Result<T, TraceError>;

impl Tracee {
    /// Fills `into` from `address` on, as far as there is readable memory, and
    /// returns how far that is.
    #[must_use]
    pub fn read(&self, address: u64, into: &mut [u8]) -> usize {
        let mut done = 0;
        while done < into.len() {
            let Some(base) = usize::try_from(address)
                .ok()
                .and_then(|base| base.checked_add(done))
            else {
                break;
            };
            let rest = &mut into[done..];
            let remote = [RemoteIoVec {
                base,
                len: rest.len(),
            }];
            match process_vm_readv(self.pid(), &mut [IoSliceMut::new(rest)], &remote) {
                Ok(len) if len > 0 => done += len,
                _ => break,
            }
        }
        done
    }

    /// Reads `len` bytes, or as many as there are.
    #[must_use]
    pub fn read_some(&self, address: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        let read = self.read(address, &mut bytes);
        bytes.truncate(read);
        bytes
    }

    /// Writes all of `bytes` to writable memory.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Tracing<()> {
        let what = "write to the memory of the process";
        let mut done = 0;
        while done < bytes.len() {
            let base = usize::try_from(address).unwrap_or(usize::MAX);
            let base = base.checked_add(done).ok_or(TraceError {
                what,
                errno: Errno::EFAULT,
            })?;
            let rest = &bytes[done..];
            let remote = [RemoteIoVec {
                base,
                len: rest.len(),
            }];
            match process_vm_writev(self.pid(), &[IoSlice::new(rest)], &remote) {
                Ok(0) => {
                    let errno = Errno::EFAULT;
                    return Err(TraceError { what, errno });
                }
                Ok(len) => done += len,
                Err(errno) => return Err(TraceError { what, errno }),
            }
        }
        Ok(())
    }

    /// Writes all of `bytes`, whatever the protection of the memory.
    pub fn write_code(&self, address: u64, bytes: &[u8]) -> Tracing<()> {
        let memory = format!("/proc/{}/mem", self.pid());
        let Ok(memory) = OpenOptions::new().write(true).open(memory) else {
            // In an empty root there is no such file.
            return self.write_words(address, bytes);
        };
        let written = memory.write_all_at(bytes, address);
        written.map_err(|error| forced(Errno::from_raw(error.raw_os_error().unwrap_or(0))))
    }

    /// The same word by word, which needs no file.
    fn write_words(&self, address: u64, bytes: &[u8]) -> Tracing<()> {
        const WORD: usize = size_of::<libc::c_long>();
        let end = address.saturating_add(bytes.len() as u64);
        let first = address & !(WORD as u64 - 1);
        for at in (first..end).step_by(WORD) {
            let place = at as ptrace::AddressType;
            let mut word = [0; WORD];
            if at < address || end - at < WORD as u64 {
                let there = ptrace::read(self.pid(), place).map_err(forced)?;
                word = there.to_ne_bytes();
            }
            for (at, byte) in (at..).zip(&mut word) {
                let new = at
                    .checked_sub(address)
                    .and_then(|at| usize::try_from(at).ok());
                if let Some(new) = new.and_then(|at| bytes.get(at)) {
                    *byte = *new;
                }
            }
            let word = libc::c_long::from_ne_bytes(word);
            ptrace::write(self.pid(), place, word).map_err(forced)?;
        }
        Ok(())
    }
}

fn forced(errno: Errno) -> TraceError {
    let what = "write to the code of the process";
    TraceError { what, errno }
}
