//! A new program, before its first instruction: what would make it behave
//! differently from run to run is taken from it, where that changes nothing for
//! it.

use reprise_process_events::PAGE;

use crate::calls::unrecordable;
use crate::maps;
use crate::resolver::{Parts, patches};
use crate::session::{Session, Trouble};

/// Entries of the auxiliary vector: the last one, the one that means nothing,
/// where the dynamic linker is, and where the vDSO is.
const AT_NULL: u64 = 0;
const AT_IGNORE: u64 = 1;
const AT_BASE: u64 = 7;
const AT_SYSINFO_EHDR: u64 = 33;

const EXECUTABLE: u32 = nix::libc::PROT_EXEC as u32;

/// The longest code that is looked through.
const LONGEST: u64 = 16 << 20;

/// What the kernel tells a program about itself.
struct Auxiliary {
    /// Where the entry is.
    at: u64,
    kind: u64,
    value: u64,
}

impl Session {
    /// Prepares a program that has not begun.
    pub(crate) fn remove_chance(&mut self) -> Result<(), Trouble> {
        for Auxiliary { at, kind, value } in self.auxiliary()? {
            match kind {
                // It then asks for the time by system calls.
                AT_SYSINFO_EHDR => self.thread.tracee.write(at, &AT_IGNORE.to_le_bytes())?,
                AT_BASE if value != 0 => self.patch_linker(value)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The vector on the stack, behind the arguments and the environment.
    fn auxiliary(&self) -> Result<Vec<Auxiliary>, Trouble> {
        let mut at = self.thread.tracee.registers()?.rsp();
        let mut word = || {
            let bytes = self.thread.tracee.read_some(at, 8);
            at += 8;
            <[u8; 8]>::try_from(bytes)
                .map(|bytes| (at - 8, u64::from_le_bytes(bytes)))
                .map_err(|_| unrecordable("a stack that is like no other"))
        };
        word()?;
        // The arguments end with a zero, and so does the environment.
        for _ in 0..2 {
            while word()?.1 != 0 {}
        }
        let mut entries = Vec::new();
        loop {
            let ((at, kind), (_, value)) = (word()?, word()?);
            if kind == AT_NULL {
                return Ok(entries);
            }
            entries.push(Auxiliary { at, kind, value });
        }
    }

    /// Makes the dynamic linker's resolver independent of chance.
    fn patch_linker(&mut self, base: u64) -> Result<(), Trouble> {
        let Some(parts) = Parts::of(&self.thread.tracee.state()?.extended) else {
            return Ok(());
        };
        let mapped = maps::mapped(self.thread.tracee.pid())?;
        let regions = || mapped.iter().map(|mapped| &mapped.region);
        let linker = regions().find(|region| region.start == base);
        let linker = linker.map_or("", |region| &region.name);
        let code = regions()
            .filter(|region| !linker.is_empty() && region.name == linker)
            .filter(|region| region.protection & EXECUTABLE != 0);
        for region in code {
            let len = (region.end - region.start).min(LONGEST);
            debug_assert!(len.is_multiple_of(PAGE));
            let bytes = self
                .thread
                .tracee
                .read_some(region.start, usize::try_from(len).unwrap_or(0));
            for patch in patches(&bytes, parts) {
                let at = region.start + patch.at as u64;
                self.thread.tracee.write_code(at, &patch.bytes)?;
            }
        }
        Ok(())
    }
}
