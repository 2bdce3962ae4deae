//! The processor's debug registers: up to four places in memory whose use stops
//! the process.

use std::mem::offset_of;

use nix::libc;

use crate::{Tracee, Tracing, ptrace};

/// A place that is watched: 1, 2, 4 or 8 bytes, at a multiple of their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Watch {
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub len: u8,
    /// What stops the process.
    pub when: Use,
}

/// A use of a watched place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Something is written there. The process stops behind that.
    Write,
    /// Something is written or read there. The process stops behind that.
    Access,
    /// The instruction there is about to be executed; one byte is watched.
    Execute,
}

impl Watch {
    /// How many there can be at a time.
    pub const MOST: usize = 4;

    /// What the control register says about it, as the processor's fourth part
    /// number `index`.
    fn control(self, index: usize) -> u64 {
        let kind = match self.when {
            Use::Execute => 0,
            Use::Write => 1,
            Use::Access => 3,
        };
        let len = match self.len {
            1 => 0,
            2 => 1,
            8 => 2,
            _ => 3,
        };
        let enabled = 1 << (index * 2);
        enabled | (kind | len << 2) << (16 + index * 4)
    }
}

const STATUS: usize = 6;
const CONTROL: usize = 7;

impl Tracee {
    /// Watches these places and no others; at most [`Watch::MOST`] are looked at.
    pub fn set_watches(&self, watches: &[Watch]) -> Tracing<()> {
        self.set_debug_register(CONTROL, 0)?;
        let mut control = 0;
        for (index, watch) in watches.iter().take(Watch::MOST).enumerate() {
            self.set_debug_register(index, watch.address)?;
            control |= watch.control(index);
        }
        self.set_debug_register(CONTROL, control)
    }

    /// Which of the watched places have been used since this was last asked, as
    /// bits.
    pub fn take_watch_hits(&self) -> Tracing<u64> {
        let hits = ptrace::user_word(self.pid(), place(STATUS))? & 0xf;
        if hits != 0 {
            self.set_debug_register(STATUS, 0)?;
        }
        Ok(hits)
    }

    fn set_debug_register(&self, index: usize, value: u64) -> Tracing<()> {
        ptrace::request(
            libc::PTRACE_POKEUSER,
            self.pid(),
            place(index),
            value as usize,
            "PTRACE_POKEUSER",
        )
    }
}

fn place(index: usize) -> usize {
    offset_of!(libc::user, u_debugreg) + index * 8
}
