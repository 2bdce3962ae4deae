//! System calls: what they read before, what they wrote after.

use nix::errno::Errno;
use nix::libc;
use reprise_process_events::{Call, Ending, Event, Registers, Sigreturn, Write};
use reprise_recording::Failure;
use reprise_syscalls::{Class, Extent, Memory, find, is_error, is_restart, read_by, written_by};
use reprise_tracee::{Resume, Stop, TraceError, Tracee};

use crate::children::check_numbers;
use crate::dump::Why;
use crate::filters;
use crate::maps;
use crate::session::{Next, Session, Trouble, was_interrupted};
use crate::spawn::OPTIONS;
use crate::turns;

/// What calls are answered with that are not made.
const NO_SUCH_CALL: u64 = (-libc::ENOSYS as i64).cast_unsigned();
const NOT_ALLOWED: u64 = (-libc::EPERM as i64).cast_unsigned();

/// The most that one call's data may take; what writes more at once is rare
/// enough to begin anew behind it.
const LONGEST: u64 = 128 << 20;

/// A call has written more than that.
struct TooMuch;

/// A call that has begun.
pub(crate) struct Entered {
    pub(crate) call: &'static reprise_syscalls::Call,
    pub(crate) registers: Registers,
    pub(crate) arguments: [u64; 6],
    pub(crate) read: Option<u32>,
    pub(crate) way: Way,
    /// How often the token had changed hands when it began.
    pub(crate) handovers: u64,
    /// A filter of the thread has no say in it.
    pub(crate) filter_aside: bool,
    /// The extended registers, where other threads may run before it ends.
    pub(crate) extended: Vec<u8>,
}

/// What is special about it.
pub(crate) enum Way {
    Ordinary,
    /// It is not made, and fails with this.
    Refused(u64),
    /// It is not made until the subject is let go, and seems to succeed.
    Pretended,
    Sigreturn,
    /// Nobody knows what it does, the call with this number.
    Unknown(u64),
    /// It takes memory away: so much.
    Detaching(u64),
    /// The new process runs in this memory until it has a program of its own.
    BorrowedMemory(Vec<(u64, u32)>),
    /// It makes a thread; the kernel writes to this address when that ends.
    NewThread {
        clears: u64,
    },
}

/// A tracee's memory as the table of calls wants to see it.
pub(crate) struct Seen(pub(crate) Tracee);

impl Memory for Seen {
    fn read(&self, address: u64, into: &mut [u8]) -> usize {
        self.0.read(address, into)
    }
}

impl Session {
    /// A call begins.
    pub(crate) fn enter(&mut self) -> Result<Next, Trouble> {
        let mut registers = self.thread.tracee.registers()?;
        let number = registers.orig_rax();
        if !self.thread.waiting.is_empty() {
            return self.deliver_before(registers);
        }
        if let Some(again) = self.leave_no_orphans(number, registers)? {
            return Ok(again);
        }
        self.thread.delivery = None;
        if !self.sites.contains(&registers.rip()) {
            if !self.thread.tracee.is_behind_syscall(registers.rip()) {
                return Err(unrecordable("a system call in the 32-bit way"));
            }
            self.sites.insert(registers.rip());
        }
        let interrupted = self.thread.interrupted.take();
        let made_again = interrupted.is_some();
        let resumed = match (interrupted, number.cast_signed()) {
            (Some(interrupted), libc::SYS_restart_syscall) => interrupted.number,
            _ => number,
        };
        let mut way = Way::Ordinary;
        let call = match find(resumed) {
            Some(call) => call,
            None => {
                // Other threads run before it ends, and nobody knows what they see.
                self.log.clear();
                way = Way::Unknown(resumed);
                &UNKNOWN
            }
        };
        let mut arguments = registers.arguments();
        check_numbers(call, &arguments)?;
        self.check_filter(call, &arguments)?;
        match (call.class, call.number.cast_signed()) {
            (Class::Control, libc::SYS_exit) if !self.others.is_empty() => {
                self.thread_exits(&registers)?;
                return Ok(Next::Wait);
            }
            (Class::Control, libc::SYS_exit | libc::SYS_exit_group) => {
                self.exits(number, arguments[0])?;
            }
            (Class::Control, libc::SYS_rt_sigreturn) => way = Way::Sigreturn,
            (Class::Control, _) => way = self.enter_control(call, &arguments)?,
            (Class::Refused | Class::Denied | Class::Hidden, _) => {
                if let Some(why) = why_refused(call) {
                    self.log.note(call.name, why);
                }
                let mut skipped = registers;
                skipped.set_orig_rax(u64::MAX);
                self.thread.tracee.set_registers(&skipped)?;
                way = match call.class {
                    Class::Denied => Way::Refused(NOT_ALLOWED),
                    _ if self.pretends(call, &arguments) => Way::Pretended,
                    _ => Way::Refused(NO_SUCH_CALL),
                };
            }
            (Class::Mapping, libc::SYS_shmdt) => {
                way = Way::Detaching(maps::attached(self.process, arguments[0])?);
            }
            (Class::Mapping, libc::SYS_madvise) if arguments[2] == libc::MADV_FREE as u64 => {
                // Whether and when freed pages lose their content is up to the
                // kernel; they may do so at once.
                let mut changed = arguments;
                changed[2] = libc::MADV_DONTNEED as u64;
                registers.set_arguments(changed);
                self.thread.tracee.set_registers(&registers)?;
                registers.set_arguments(arguments);
            }
            _ => {}
        }
        if matches!(call.class, Class::Control | Class::Mapping) {
            // Behind it that may not be found any more.
            self.publish();
        }
        let read = self.checksum(&read_by(call, &arguments, &Seen(self.thread.tracee)));
        arguments = registers.arguments();
        let is_made = !matches!(way, Way::Refused(_) | Way::Pretended);
        let mut entered = Entered {
            filter_aside: self.set_filter_aside(call.number, is_made)?,
            call,
            registers,
            arguments,
            read,
            way,
            handovers: self.shared.handovers.get(),
            extended: Vec::new(),
        };
        if !self.others.is_empty() {
            self.others.call_began();
            turns::check(&entered)?;
            if turns::may_wait(&entered) {
                entered.extended = self.thread.tracee.state()?.extended;
            }
        }
        // What is written on the way back from a handler could not be written
        // down.
        if !matches!(entered.way, Way::Sigreturn) {
            self.give_token_back(&entered, made_again);
        }
        self.thread.entered = Some(entered);
        Next::CALL
    }

    /// The subject ends itself. Comparing ends takes a look at all memory, so
    /// only where somebody will.
    fn exits(&mut self, call: u64, status: u64) -> Result<(), Trouble> {
        let status32 = (status as i32) & 0xff;
        if self.shared.keep_all || self.watch.exits(status32) {
            self.end(Ending::Exit { call, status })?;
        }
        Ok(())
    }

    /// A call has returned.
    pub(crate) fn leave(&mut self, entered: &Entered) -> Result<Next, Trouble> {
        if entered.filter_aside {
            self.thread.tracee.set_options(OPTIONS)?;
        }
        let mut registers = self.thread.tracee.registers()?;
        let (call, arguments) = (entered.call, entered.arguments);
        match &entered.way {
            Way::Sigreturn => {
                let state = self.thread.tracee.state()?;
                self.thread.due = self.thread.tracee.pending()?;
                let ip = entered.registers.rip();
                let event = Event::Sigreturn(Sigreturn { ip, state });
                self.log.append(&event);
                return Next::CALL;
            }
            &(Way::Refused(_) | Way::Pretended) => {
                registers = entered.registers;
                let answer = match entered.way {
                    Way::Refused(answer) => answer,
                    _ => 0,
                };
                registers.set_rax(answer);
                // Nothing to restart: that a call was made is settled.
                registers.set_orig_rax(u64::MAX);
                self.thread.tracee.set_registers(&registers)?;
            }
            &Way::Unknown(number) => {
                let what = not_in_table(number);
                return self.begin_anew(what, number, &registers);
            }
            Way::Ordinary | Way::Detaching(_) | Way::BorrowedMemory(_) | Way::NewThread { .. } => {}
        }
        if call.name == "madvise" && registers.arguments() != arguments {
            // The program must not see that it was given other advice.
            registers.set_arguments(arguments);
            self.thread.tracee.set_registers(&registers)?;
        }
        let result = registers.rax();
        let written = written_by(call, &arguments, result, &Seen(self.thread.tracee));
        let mut extents = match written {
            Ok(extents) => extents,
            Err(unknown) => {
                let (name, value) = (call.name, unknown.value);
                let what = format!("{name} with {value:#x}, which is not in the table");
                return self.begin_anew(what, call.number, &registers);
            }
        };
        self.publish_call(&extents, Some(entered.handovers));
        let in_files = self.changed_by_file(call, &arguments, result)?;
        self.publish_call(&in_files.there, None);
        extents.extend(in_files.there);
        let mut writes = match self.copies(&extents) {
            Ok(copies) => copies,
            Err(TooMuch) => {
                let what = "a system call that writes over 128 MiB".to_owned();
                return self.begin_anew(what, call.number, &registers);
            }
        };
        writes.extend(in_files.gone.iter().map(|gone| Write {
            address: gone.address,
            bytes: vec![0; usize::try_from(gone.len).unwrap_or(0)],
        }));
        if let Way::BorrowedMemory(before) = &entered.way {
            writes.extend(self.changed_pages(before)?);
        }
        writes.extend(self.written_by_control(call, &arguments, result));
        // A replay maps first and writes then, to where things are afterwards.
        let content = match call.class {
            Class::Mapping if !is_error(result) => self.mapped(call, &arguments, result)?,
            _ => None,
        };
        writes.extend(self.changed_by_others());
        let mut recorded = arguments[..usize::from(call.arguments)].to_vec();
        match (&entered.way, call.number.cast_signed()) {
            (Way::Detaching(len), _) => recorded.push(*len),
            (_, libc::SYS_shmat) if !is_error(result) => {
                recorded.push(maps::attached(self.process, result)?);
            }
            (_, libc::SYS_process_vm_writev) if !is_error(result) => {
                self.shared.wrote_into(arguments[0], self.process);
            }
            _ => {}
        }
        let event = Call {
            number: call.number,
            ip: entered.registers.rip(),
            arguments: recorded,
            read: entered.read,
            result,
            writes,
            registers: changed(&entered.registers, &registers),
            content,
        };
        self.thread.due = self.thread.tracee.pending()?;
        if is_restart(result) {
            self.thread.interrupted = Some(event);
        } else {
            self.log.append(&Event::Call(event));
            self.tell_views();
            self.has_told();
            self.look_at_output(call, &arguments, result);
            if !was_interrupted(result) {
                self.thread.at_exit.learn(call.number, &arguments);
                self.asks_for_orphans(call.number, &arguments, result);
                self.watch.called(call.number, &arguments, result);
                self.turn(entered.registers.rip())?;
                self.others.stands_behind_event();
            }
        }
        Next::CALL
    }

    /// Nobody can tell what the call `number` has written, which has returned or was cut
    /// off: nothing is played over it, and what is kept begins behind it.
    fn begin_anew(
        &mut self,
        what: String,
        number: u64,
        registers: &Registers,
    ) -> Result<Next, Trouble> {
        self.log.note("the time before", what);
        self.log.clear();
        self.thread.due = self.thread.tracee.pending()?;
        let result = registers.rax();
        if is_restart(result) {
            // What matters of it is that it is made again, if it is.
            self.thread.interrupted = Some(Call {
                number,
                ip: registers.rip(),
                result,
                ..Call::default()
            });
        } else if !was_interrupted(result) {
            self.turn(registers.rip())?;
            self.others.stands_behind_event();
        }
        Next::CALL
    }

    /// If the subject has written something that is a failure, has the last
    /// moments written down.
    fn look_at_output(&mut self, call: &reprise_syscalls::Call, arguments: &[u64; 6], result: u64) {
        let writes = [libc::SYS_write, libc::SYS_writev].contains(&call.number.cast_signed());
        if !writes || is_error(result) || !self.watch.looks_at(arguments[0]) {
            return;
        }
        let mut wrote = Vec::new();
        let mut left = result.min(LONGEST);
        for extent in read_by(call, arguments, &Seen(self.thread.tracee)) {
            let len = extent.len.min(left);
            left -= len;
            let len = usize::try_from(len).unwrap_or(0);
            wrote.extend(self.thread.tracee.read_some(extent.address, len));
        }
        if let Some(line) = self.watch.wrote(arguments[0], &wrote) {
            let stack = Vec::new();
            let failure = Failure { what: line, stack };
            let process = self.log.process();
            self.shared.failed(Why::Wrote, failure, process);
        }
    }

    /// Undoes the beginning of a call: it is not made now, and the subject is
    /// brought to stand before its instruction.
    pub(crate) fn put_off(&self, registers: Registers) -> Result<Registers, TraceError> {
        put_off(self.thread.tracee, registers)
    }

    fn checksum(&self, extents: &[Extent]) -> Option<u32> {
        if extents.is_empty() {
            return None;
        }
        let mut sum = 0;
        for extent in extents {
            let len = usize::try_from(extent.len.min(LONGEST)).ok()?;
            sum = crc32c::crc32c_append(sum, &self.thread.tracee.read_some(extent.address, len));
        }
        Some(sum)
    }

    fn copies(&self, extents: &[Extent]) -> Result<Vec<Write>, TooMuch> {
        let mut writes = Vec::new();
        for extent in extents {
            if extent.len > LONGEST {
                return Err(TooMuch);
            }
            let len = usize::try_from(extent.len).unwrap_or(usize::MAX);
            let bytes = self.thread.tracee.read_some(extent.address, len);
            // An argument that points nowhere was not written through.
            if !bytes.is_empty() {
                let address = extent.address;
                writes.push(Write { address, bytes });
            }
        }
        Ok(writes)
    }
}

/// Undoes the beginning of a call: it is not made now, and the thread is brought to
/// stand before its instruction, at once: if the recorder is killed meanwhile, the
/// call is made there and then. Returns the registers.
pub(crate) fn put_off(thread: Tracee, registers: Registers) -> Result<Registers, TraceError> {
    let mut before = registers;
    before.set_rax(registers.orig_rax());
    before.set_rip(registers.rip().wrapping_sub(2));
    before.set_orig_rax(u64::MAX);
    filters::aside(thread, || {
        thread.set_registers(&before)?;
        thread.resume(Resume::ToCall, 0)?;
        if thread.wait()? != Stop::Call {
            // Killed meanwhile.
            let what = "put off a system call";
            let errno = Errno::ESRCH;
            return Err(TraceError { what, errno });
        }
        Ok(())
    })?;
    thread.set_registers(&before)?;
    Ok(before)
}

/// A call that is in no table.
static UNKNOWN: reprise_syscalls::Call = reprise_syscalls::Call {
    number: u64::MAX,
    name: "an unknown call",
    arguments: 0,
    class: Class::Emulated,
    reads: &[],
    writes: &[],
};

fn not_in_table(number: u64) -> String {
    let name = reprise_syscalls::name(number);
    format!("{name}, which is not in the table")
}

/// Why a call is not made, if that is worth a word.
fn why_refused(call: &reprise_syscalls::Call) -> Option<&'static str> {
    match call.class {
        Class::Refused if call.number.cast_signed() == libc::SYS_pkey_alloc => {
            Some("answered with ENOSYS: keys for memory are not recorded")
        }
        Class::Refused => Some("answered with ENOSYS: it writes to memory unseen"),
        Class::Denied => Some("answered with EPERM: what is recorded is traced already"),
        _ => None,
    }
}

/// The registers behind a call, if it changed others than those of its result.
fn changed(before: &Registers, after: &Registers) -> Option<Box<Registers>> {
    let mut expected = *before;
    expected.set_rax(after.rax());
    expected.set_orig_rax(after.orig_rax());
    (expected != *after).then(|| Box::new(*after))
}

pub(crate) fn unrecordable(what: &str) -> Trouble {
    Trouble::Unrecordable(what.to_owned())
}
