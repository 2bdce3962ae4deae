//! Instructions that repeat themselves: a thread that is stopped inside of one is
//! at no number of instructions, so it is let out of it.

use nix::libc;
use reprise_tracee::{Resume, Stop, Use, Watch};

use crate::session::{Session, Trouble};

impl Session {
    /// Lets a thread finish the instruction that repeats itself in which it may
    /// stand. Returns the stop that came before, if one did.
    pub(crate) fn leave_repetition(&self) -> Result<Option<Stop>, Trouble> {
        let tracee = self.thread.tracee;
        let here = tracee.registers()?.rip();
        let Some(len) = repetition(&tracee.read_some(here, 15)) else {
            return Ok(None);
        };
        let behind = Watch {
            address: here + len,
            len: 1,
            when: Use::Execute,
        };
        tracee.set_watches(&[behind])?;
        tracee.resume(Resume::ToCall, 0)?;
        let stop = tracee.wait()?;
        if matches!(stop, Stop::Exited(_) | Stop::Killed(_)) {
            return Ok(Some(stop));
        }
        tracee.set_watches(&[])?;
        let arrived = stop == Stop::Signal(libc::SIGTRAP)
            && tracee.registers()?.rip() == behind.address
            && tracee.signal_info()?.si_code == libc::TRAP_HWBKPT;
        Ok((!arrived).then_some(stop))
    }
}

/// The length of an instruction that repeats itself, if these bytes begin with one.
fn repetition(code: &[u8]) -> Option<u64> {
    const REPEATS: [u8; 2] = [0xf2, 0xf3];
    const SIZES: [u8; 2] = [0x66, 0x67];
    let is_prefix =
        |byte: &&u8| REPEATS.contains(byte) || SIZES.contains(byte) || (0x40..0x50).contains(*byte);
    let prefixes = code.iter().take_while(is_prefix).count();
    let repeats = code[..prefixes].iter().any(|byte| REPEATS.contains(byte));
    // ins, outs; movs, cmps; stos, lods, scas
    let is_string = |byte: &u8| matches!(byte, 0x6c..=0x6f | 0xa4..=0xa7 | 0xaa..=0xaf);
    let strings = code.get(prefixes).is_some_and(is_string);
    (repeats && strings).then_some(prefixes as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_string_instructions_repeat_themselves() {
        let check = |code: &[u8], expected| assert_eq!(repetition(code), expected, "{code:x?}");
        check(&[0xf3, 0xa4, 0x90], Some(2));
        check(&[0xf3, 0x48, 0xab], Some(3));
        check(&[0xf2, 0xae], Some(2));
        // pause, endbr64, a move without a prefix, nothing
        check(&[0xf3, 0x90], None);
        check(&[0xf3, 0x0f, 0x1e, 0xfa], None);
        check(&[0xa4], None);
        check(&[0xf3], None);
    }
}
