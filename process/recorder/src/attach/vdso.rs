//! The functions by which a program reads the time with no system call. A program
//! that runs already knows where they are, so they are made to ask the kernel, and
//! get their own code back in the end.

use std::fs;

use nix::unistd::Pid;
use object::{Object as _, ObjectSymbol as _};
use reprise_tracee::{TraceError, Tracee};

/// What was in place of the system calls.
#[derive(Debug, Default)]
pub(crate) struct Vdso {
    /// Where all of it is.
    pub(crate) range: (u64, u64),
    /// By address.
    originals: Vec<(u64, Vec<u8>)>,
    /// Functions that are too short to be replaced, or not known.
    pub(crate) left: Vec<String>,
}

/// The functions, and the numbers of the calls that do the same.
const FUNCTIONS: [(&str, u32); 5] = [
    ("__vdso_clock_gettime", 228),
    ("__vdso_gettimeofday", 96),
    ("__vdso_time", 201),
    ("__vdso_clock_getres", 229),
    ("__vdso_getcpu", 309),
];

/// `cmp $-1,%r8; je 1f; mov $318,%eax; syscall; ret; 1: mov $-38,%eax; ret`: who asks
/// how to keep a state of its own is told that there is none.
const GETRANDOM: [u8; 20] = [
    0x49, 0x83, 0xf8, 0xff, 0x74, 0x08, 0xb8, 0x3e, 0x01, 0, 0, 0x0f, 0x05, 0xc3, 0xb8, 0xda, 0xff,
    0xff, 0xff, 0xc3,
];

impl Vdso {
    /// Where it is in a process.
    pub(crate) fn range_in(process: Pid) -> Option<(u64, u64)> {
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
        let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
        let (start, end) = line.split(' ').next()?.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        Some((number(start)?, number(end)?))
    }

    /// Replaces the functions of a process, no thread of which is in them.
    pub(crate) fn replace(thread: Tracee, range: (u64, u64)) -> Result<Self, TraceError> {
        let code = thread.read_some(range.0, (range.1 - range.0) as usize);
        let mut vdso = Self {
            range,
            originals: Vec::new(),
            left: Vec::new(),
        };
        let (stubs, left) = stubs(&code);
        vdso.left = left;
        for (offset, new) in stubs {
            let at = range.0 + offset as u64;
            let original = code[offset..offset + new.len()].to_vec();
            thread.write_code(at, &new)?;
            vdso.originals.push((at, original));
        }
        Ok(vdso)
    }

    /// Gives them their own code back; no thread may be in them.
    pub(crate) fn restore(&self, thread: Tracee) -> Result<(), TraceError> {
        for (at, original) in &self.originals {
            thread.write_code(*at, original)?;
        }
        Ok(())
    }
}

/// What is to be written where, and the functions for which there is nothing.
fn stubs(code: &[u8]) -> (Vec<(usize, Vec<u8>)>, Vec<String>) {
    let Ok(file) = object::File::parse(code) else {
        return (Vec::new(), vec!["all of it".to_owned()]);
    };
    let (mut stubs, mut left) = (Vec::new(), Vec::new());
    for symbol in file.dynamic_symbols() {
        let Ok(name) = symbol.name() else { continue };
        let known = FUNCTIONS.iter().find(|(function, _)| *function == name);
        let stub = match known {
            // mov $number,%eax; syscall; ret
            Some((_, number)) => {
                let mut stub = vec![0xb8];
                stub.extend(number.to_le_bytes());
                stub.extend([0x0f, 0x05, 0xc3]);
                stub
            }
            None if name == "__vdso_getrandom" => GETRANDOM.to_vec(),
            // It enters what no recording could tell of.
            None if name.starts_with("__vdso_") && name != "__vdso_sgx_enter_enclave" => {
                left.push(name.to_owned());
                continue;
            }
            None => continue,
        };
        let offset = usize::try_from(symbol.address()).unwrap_or(usize::MAX);
        let end = offset.saturating_add(stub.len());
        if stub.len() as u64 <= symbol.size() && end <= code.len() {
            stubs.push((offset, stub));
        } else {
            left.push(name.to_owned());
        }
    }
    (stubs, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt as _;

    #[test]
    fn the_functions_of_this_kernel_are_found() {
        let (start, end) = Vdso::range_in(nix::unistd::getpid()).unwrap();
        let memory = fs::File::open("/proc/self/mem").unwrap();
        let mut code = vec![0; (end - start) as usize];
        memory.read_exact_at(&mut code, start).unwrap();
        let (found, left) = stubs(&code);
        assert!(found.len() >= 4);
        assert_eq!(left, [""; 0]);
        let (found, left) = stubs(b"nothing");
        assert!(found.is_empty());
        assert_eq!(left, ["all of it"]);
    }
}
