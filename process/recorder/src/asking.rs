//! Instructions that ask the processor, for a random number or about itself: they
//! are made to stop in what a program has mapped, are answered, and the answer is
//! written down. A recording then depends neither on chance nor on the processor.
//!
//! A program that ran before it was recorded is left as it is.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::rc::Rc;

use nix::libc;
use reprise_process_events::{Answer, Event, Registers};
use reprise_tracee::asking::{self, STOPS, Site};
use reprise_tracee::{Tracee, portable};

use crate::guard;
use crate::maps::{self, Mapped};
use crate::session::{Session, Trouble};

/// The longest file that is looked through.
const LONGEST: u64 = 256 << 20;

/// What a file is known by: where it is, and when it was last changed.
type Which = (u64, u64, i64, i64);

/// Where such instructions are in files, as far as these were looked at.
pub(crate) type Known = HashMap<Which, Rc<Vec<Site>>>;

/// More than the longest instruction.
const CODE: usize = 16;

/// Where XSAVE's layout says which parts of the registers the system uses.
const ENABLED: std::ops::Range<usize> = 464..472;

impl Session {
    /// Makes them stop in what is mapped between two addresses.
    pub(crate) fn make_them_stop(&mut self, start: u64, end: u64) -> Result<(), Trouble> {
        const EXECUTABLE: u32 = libc::PROT_EXEC as u32;
        if self.shared.is_attached() || self.borrows {
            return Ok(());
        }
        let mapped = maps::mapped(self.process)?;
        let code = mapped.iter().filter_map(|mapped| mapped.within(start, end));
        for code in code.filter(|code| code.region.protection & EXECUTABLE != 0) {
            if code.file && !code.shared {
                self.make_stop(&code);
            }
        }
        Ok(())
    }

    fn make_stop(&mut self, code: &Mapped) {
        let Some(sites) = self.sites_in(&code.region.name) else {
            return;
        };
        let len = code.region.end - code.region.start;
        for site in sites.iter() {
            let Some(at) = site.offset.checked_sub(code.offset).filter(|at| *at < len) else {
                continue;
            };
            let address = code.region.start + at;
            // What the file is now may not be what it was.
            let is_there = self.thread.tracee.read_some(address - 1, 2) == [0x0f, site.byte];
            if !is_there || !guard::remember(address, site.byte) {
                continue;
            }
            if self.thread.tracee.write_code(address, &[STOPS]).is_ok() {
                self.asking.insert(address, site.byte);
            }
        }
    }

    /// The places in a file as this process sees it.
    fn sites_in(&self, name: &str) -> Option<Rc<Vec<Site>>> {
        let path = format!("/proc/{}/root{name}", self.process);
        let about = fs::metadata(&path).ok()?;
        if !about.is_file() || about.len() > LONGEST {
            return None;
        }
        let which = (about.dev(), about.ino(), about.mtime(), about.mtime_nsec());
        if let Some(known) = self.shared.asking.borrow().get(&which) {
            return Some(known.clone());
        }
        let found = Rc::new(asking::sites(&fs::read(&path).ok()?));
        self.shared.asking.borrow_mut().insert(which, found.clone());
        Some(found)
    }

    /// If the thread stands at one of them, does for it what it asks.
    pub(crate) fn answer(&mut self, registers: &Registers) -> Result<bool, Trouble> {
        let tracee = self.thread.tracee;
        let ip = registers.rip();
        let mut code = tracee.read_some(ip, CODE);
        let changed = |at: &usize| self.asking.contains_key(&(ip + *at as u64));
        let Some(at) = (1..code.len().min(5)).find(changed) else {
            return Ok(false);
        };
        let address = ip + at as u64;
        code[at] = self.asking.get(&address).copied().unwrap_or(STOPS);
        let enabled = || {
            let state = tracee.state().ok()?;
            let word = state.extended.get(ENABLED)?.try_into().ok()?;
            Some(u64::from_le_bytes(word))
        };
        let says = |leaf, part| {
            let said = std::arch::x86_64::__cpuid_count(leaf, part);
            match self.shared.portable {
                true => portable(leaf, part, said),
                false => said,
            }
        };
        let Some(after) = asking::answer(registers, &code, random, enabled, says) else {
            let why = "it cannot be asked in the program's place";
            self.log.note("what the processor answers", why);
            self.asking.remove(&address);
            tracee.write_code(address, &code[at..=at])?;
            return Ok(true);
        };
        tracee.set_registers(&after)?;
        self.thread.due = tracee.pending()?;
        let registers = after;
        self.log
            .append(&Event::Answer(Box::new(Answer { ip, registers })));
        Ok(true)
    }
}

fn random() -> Option<u64> {
    let mut word = [0; 8];
    let mut source = File::open("/dev/urandom").ok()?;
    source.read_exact(&mut word).ok()?;
    Some(u64::from_le_bytes(word))
}

/// Gives a process its own instructions back.
pub(crate) fn restore(process: Tracee) {
    for (address, byte) in guard::changes() {
        if process.read_some(address - 1, 2) == [0x0f, STOPS] {
            // What cannot be undone must not keep it from running.
            let _ = process.write_code(address, &[byte]);
        }
    }
}

/// If a process has stopped at one of them, gives it its own back, and it asks
/// again.
pub(crate) fn restores(process: Tracee) -> bool {
    let here = process.registers().map_or(0, |registers| registers.rip());
    let changes = guard::changes();
    let is_one = changes
        .iter()
        .any(|(address, _)| (1..5).any(|at| here + at == *address));
    if is_one {
        restore(process);
    }
    is_one
}

/// The same for a thread of a process that is recorded no more and has stopped for
/// a signal.
pub(crate) fn restores_at(process: Tracee, signal: i32) -> bool {
    signal == libc::SIGILL && restores(process)
}
