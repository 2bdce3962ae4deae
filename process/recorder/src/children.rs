//! Processes that a process makes: each is recorded for itself.

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::Write;
use reprise_syscalls::{Call, is_error};
use reprise_tracee::{Resume, Stop, Tracee, Trap};

use crate::asking::restore;
use crate::calls::{Way, unrecordable};
use crate::log::{Joint, Page, Whose};
use crate::parting::counter_on;
use crate::session::{Phase, Session, Trouble};
use crate::sharing::Look;
use crate::snapshot::Image;
use crate::{privileges, turns};

const THREAD: u64 = libc::CLONE_THREAD as u64;
const SAME_MEMORY: u64 = libc::CLONE_VM as u64;
const CLEARS: u64 = libc::CLONE_CHILD_CLEARTID as u64;
const PARENT_WAITS: u64 = libc::CLONE_VFORK as u64;
const NUMBERS: u64 = libc::CLONE_NEWPID as u64;

/// Whether processes that are made from here on have numbers of their own: the
/// first of them would be a shadow, on which all others depend.
pub(crate) fn check_numbers(call: &Call, arguments: &[u64; 6]) -> Result<(), Trouble> {
    let changes = match call.number.cast_signed() {
        libc::SYS_unshare => arguments[0] & NUMBERS != 0,
        libc::SYS_setns => arguments[1] == 0 || arguments[1] & NUMBERS != 0,
        _ => false,
    };
    if changes { Err(new_numbers()) } else { Ok(()) }
}

fn new_numbers() -> Trouble {
    unrecordable("a namespace in which processes have other numbers")
}

impl Session {
    /// A call that makes a process, or replaces the program, begins.
    pub(crate) fn enter_control(
        &mut self,
        call: &Call,
        arguments: &[u64; 6],
    ) -> Result<Way, Trouble> {
        if privileges::raised_by_call(self.thread.tracee, call.number.cast_signed(), arguments) {
            return Err(unrecordable("a program that runs with more rights"));
        }
        let is_exec = [libc::SYS_execve, libc::SYS_execveat].contains(&call.number.cast_signed());
        // It becomes the first thread, and the others end in the middle of it.
        if is_exec && self.is_one_of_many() {
            return Err(unrecordable(
                "a new program while there are several threads",
            ));
        }
        let flags = match call.number.cast_signed() {
            libc::SYS_clone => arguments[0],
            libc::SYS_clone3 => self.word(arguments[0]),
            libc::SYS_vfork => SAME_MEMORY | PARENT_WAITS,
            _ => 0,
        };
        if flags & NUMBERS != 0 {
            return Err(new_numbers());
        }
        if flags & THREAD != 0 {
            let clears = self.cleared_by(call, arguments);
            return Ok(Way::NewThread { clears });
        }
        match (flags & SAME_MEMORY != 0, flags & PARENT_WAITS != 0) {
            (true, true) => self.page_sums().map(Way::BorrowedMemory),
            (true, false) => Err(unrecordable("a process that shares the subject's memory")),
            _ => Ok(Way::Ordinary),
        }
    }

    /// What a call that makes a process has written beside what the table says.
    pub(crate) fn written_by_control(
        &self,
        call: &Call,
        arguments: &[u64; 6],
        result: u64,
    ) -> Vec<Write> {
        if is_error(result) {
            return Vec::new();
        }
        // Pointers in `clone_args`: to the pidfd, and to the two copies of the
        // thread's number.
        let in_args = |offset| self.word(arguments[0].wrapping_add(offset));
        let pointers = match call.number.cast_signed() {
            libc::SYS_clone3 => [in_args(8), in_args(16), in_args(24)],
            libc::SYS_clone => [arguments[3], 0, 0],
            _ => return Vec::new(),
        };
        let pieces = pointers.into_iter().filter(|&address| address != 0);
        pieces
            .map(|address| Write {
                address,
                bytes: self.thread.tracee.read_some(address, 4),
            })
            .filter(|write| !write.bytes.is_empty())
            .collect()
    }

    /// A new thread or process has stopped before its first instruction.
    pub(crate) fn made_child(&mut self) -> Result<(), Trouble> {
        let pid = i32::try_from(self.thread.tracee.message()?).unwrap_or_default();
        let child = Tracee::already(Pid::from_raw(pid));
        let Some(entered) = &self.thread.entered else {
            return Ok(());
        };
        if let Way::NewThread { clears } = entered.way {
            return self.made_thread(child, clears);
        }
        if !self.shared.has_room() {
            let why = "it runs unrecorded, there being too many";
            self.shared.archive.note("a child process", why);
            let borrows = matches!(entered.way, Way::BorrowedMemory(_));
            release(child, |child| {
                if !borrows {
                    restore(child);
                }
                if let Some(processors) = self.processors {
                    processors.restore(child.pid());
                }
            });
            return Ok(());
        }
        match child.wait()? {
            Stop::Trap(Trap::Stop(_)) => {}
            // Killed already.
            _ => return Ok(()),
        }
        let mut member = self.heir(child);
        member.borrows = matches!(entered.way, Way::BorrowedMemory(_));
        member.site = Some(entered.registers.rip());
        member.thread.at_exit.clears = self.cleared_by(entered.call, &entered.arguments);
        self.born.push(member);
        if self.shares() && self.sharing.seen.is_none() {
            // It may change what is shared, and end, before the call that makes it has.
            self.sharing.seen = Some(self.compared_content());
        }
        Ok(())
    }

    /// A process that has all from this one.
    fn heir(&self, child: Tracee) -> Self {
        let log = self.shared.archive.open(Whose {
            process: child.pid().as_raw().cast_unsigned(),
            parent: self.log.process(),
            name: self.log.name(),
        });
        let watch = self.watch.of_child();
        let mut heir = Self::new(child, log, self.processors, watch, self.shared.clone());
        heir.first = false;
        heir.phase = Phase::Born {
            among_many: self.shared.is_storm(),
        };
        heir.filtered = self.filtered;
        heir.brk = self.brk;
        heir.sites.clone_from(&self.sites);
        heir.asking.clone_from(&self.asking);
        heir.unforked.clone_from(&self.unforked);
        heir.sharing = self.sharing.of_child(child.pid());
        let files = &self.shared.files;
        files.borrow_mut().inherit(self.process, child.pid());
        heir
    }

    /// A process that was just made begins to run.
    pub(crate) fn begin_child(&mut self, among_many: bool) -> Result<(), Trouble> {
        if self.shares_memory() {
            self.find_shared(Look::Born)?;
        }
        if among_many {
            self.log.put_off();
        } else {
            self.begin_segment(self.site, Joint::Apart)?;
        }
        turns::resume(self.thread.tracee, Resume::ToCall, 0)?;
        Ok(())
    }

    /// Where the kernel writes when the new thread or process ends.
    fn cleared_by(&self, call: &Call, arguments: &[u64; 6]) -> u64 {
        let (flags, address) = match call.number.cast_signed() {
            libc::SYS_clone => (arguments[0], arguments[3]),
            libc::SYS_clone3 => (
                self.word(arguments[0]),
                self.word(arguments[0].wrapping_add(16)),
            ),
            _ => (0, 0),
        };
        if flags & CLEARS != 0 { address } else { 0 }
    }

    fn page_sums(&self) -> Result<Vec<(u64, u32)>, Trouble> {
        let mut sums = Vec::new();
        let image = Image::of(self.thread.tracee.pid())?.with(self.mirrored());
        image.writable_pages(|address, page: &mut Page| {
            sums.push((address, crc32c::crc32c(page)));
            Ok::<_, Trouble>(())
        })?;
        Ok(sums)
    }

    /// The pages that a child has changed in this memory.
    pub(crate) fn changed_pages(&self, before: &[(u64, u32)]) -> Result<Vec<Write>, Trouble> {
        let mut writes = Vec::new();
        let mut there = Vec::new();
        let image = Image::of(self.thread.tracee.pid())?.with(self.mirrored());
        image.writable_pages(|address, page: &mut Page| {
            there.push(address);
            let sum = crc32c::crc32c(page);
            let known = before.binary_search_by_key(&address, |(address, _)| *address);
            if known.map(|at| before[at].1) != Ok(sum) {
                let bytes = page.to_vec();
                writes.push(Write { address, bytes });
            }
            Ok::<_, Trouble>(())
        })?;
        // A page that is all zero now is not among those that are there.
        for (address, _) in before {
            if there.binary_search(address).is_err() {
                let address = *address;
                let bytes = vec![0; size_of::<Page>()];
                writes.push(Write { address, bytes });
            }
        }
        Ok(writes)
    }

    pub(crate) fn word(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        let _ = self.thread.tracee.read(address, &mut bytes);
        u64::from_le_bytes(bytes)
    }
}

/// Lets a new process go, with its time-stamp counter and what `restore` gives
/// back to it.
pub(crate) fn release(child: Tracee, restore: impl FnOnce(Tracee)) {
    match child.wait() {
        Ok(Stop::Trap(_)) => {}
        // It is gone, or nothing that could be helped.
        _ => return,
    }
    if let Ok(registers) = child.registers() {
        let _ = counter_on(child, registers.rip());
    }
    restore(child);
    let _ = child.detach(0);
}
