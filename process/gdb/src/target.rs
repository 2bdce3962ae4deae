//! What the client sees: registers, memory, the map of it, files. None of it can
//! be changed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use gdbstub::common::{Signal, Tid};
use gdbstub::target::ext::auxv::{Auxv, AuxvOps};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeSteppingOps, MultiThreadResume, MultiThreadResumeOps,
    MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{ReverseContOps, ReverseStepOps};
use gdbstub::target::ext::breakpoints::BreakpointsOps;
use gdbstub::target::ext::exec_file::{ExecFile, ExecFileOps};
use gdbstub::target::ext::host_io::HostIoOps;
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use reprise_player::{Halt, Opened, PlayError, Session};
use reprise_recording::Source;

use crate::auxv;
use crate::files::{Files, Open};
use crate::moving::Move;
use crate::registers::{self, All, X86};
use crate::traps::Wanted;

/// What the client hears when it wants to change something: an error of the
/// system that means as much.
const READ_ONLY: u8 = 30;

/// How many pages that were not recorded are named.
const EXPLAINED: usize = 10;

/// A replay as a client sees it.
pub(crate) struct Debuggee<'a, 'r, 'o, S> {
    pub(crate) session: &'a mut Session<'r, 'o, S>,
    pub(crate) opened: &'a Opened<'a, S>,
    pub(crate) files: &'a Files,
    pub(crate) open: Vec<Option<Open>>,
    pub(crate) breakpoints: BTreeSet<u64>,
    pub(crate) wanted: Vec<Wanted>,
    /// What it was last told to do.
    pub(crate) next: Move,
    notice: RefCell<&'a mut dyn FnMut(&str)>,
    /// Whether it has been said that nothing can be changed.
    refused: bool,
    /// The pages of which it has been said that they are not there.
    explained: BTreeSet<u64>,
    pub(crate) auxv: Vec<u8>,
}

impl<'a, 'r, 'o, S: Source> Debuggee<'a, 'r, 'o, S> {
    pub(crate) fn new(
        session: &'a mut Session<'r, 'o, S>,
        opened: &'a Opened<'a, S>,
        files: &'a Files,
        notice: &'a mut dyn FnMut(&str),
    ) -> Self {
        let auxv = auxv::find(session, opened.regions());
        Self {
            session,
            opened,
            files,
            open: Vec::new(),
            breakpoints: BTreeSet::new(),
            wanted: Vec::new(),
            next: Move::On,
            notice: RefCell::new(notice),
            refused: false,
            explained: BTreeSet::new(),
            auxv,
        }
    }

    /// Says something to the person at the debugger.
    pub(crate) fn tell(&self, text: &str) {
        if let Ok(mut notice) = self.notice.try_borrow_mut() {
            notice(text);
        }
    }

    fn refuse<T>(&mut self, what: &str) -> TargetResult<T, Self> {
        if !self.refused {
            self.refused = true;
            self.tell(&format!(
                "{what} is refused: a replay shows what happened, and cannot be changed"
            ));
        }
        Err(TargetError::Errno(READ_ONLY))
    }

    /// Says why memory cannot be read, if it was left out.
    fn explain_missing(&mut self, address: u64) {
        let page = address & !0xfff;
        if self.session.is_left_out(address)
            && self.explained.len() < EXPLAINED
            && self.explained.insert(page)
        {
            self.tell(&format!(
                "the memory at {address:#x} was not recorded: nothing in this recording uses it"
            ));
        }
    }

    fn program(&self) -> String {
        let regions = self.opened.regions();
        auxv::program(&self.auxv, regions).unwrap_or_default()
    }
}

/// A part of something longer, as the protocol asks for it.
pub(crate) fn part(whole: &[u8], offset: u64, length: usize, buffer: &mut [u8]) -> usize {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let rest = whole.get(offset..).unwrap_or_default();
    let len = rest.len().min(length).min(buffer.len());
    buffer[..len].copy_from_slice(&rest[..len]);
    len
}

impl<S: Source> Target for Debuggee<'_, '_, '_, S> {
    type Arch = X86;
    type Error = PlayError;

    fn base_ops(&mut self) -> BaseOps<'_, X86, PlayError> {
        BaseOps::MultiThread(self)
    }

    fn use_fork_stop_reason(&self) -> bool {
        false
    }

    fn use_vfork_stop_reason(&self) -> bool {
        false
    }

    fn use_vforkdone_stop_reason(&self) -> bool {
        false
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_exec_file(&mut self) -> Option<ExecFileOps<'_, Self>> {
        Some(self)
    }

    fn support_auxv(&mut self) -> Option<AuxvOps<'_, Self>> {
        (!self.auxv.is_empty()).then_some(self)
    }

    fn support_host_io(&mut self) -> Option<HostIoOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Source> MultiThreadBase for Debuggee<'_, '_, '_, S> {
    fn read_registers(&mut self, registers: &mut All, thread: Tid) -> TargetResult<(), Self> {
        let state = self.session.state_of(number(thread));
        *registers = registers::all(&state.map_err(TargetError::Fatal)?);
        Ok(())
    }

    fn write_registers(&mut self, _: &All, _: Tid) -> TargetResult<(), Self> {
        self.refuse("writing to registers")
    }

    fn read_addrs(&mut self, address: u64, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        match self.session.read(address, data) {
            0 if !data.is_empty() => {
                self.explain_missing(address);
                Err(TargetError::NonFatal)
            }
            read => Ok(read),
        }
    }

    fn write_addrs(&mut self, _: u64, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        if data.is_empty() {
            // The client asks whether it may write in this way.
            return Ok(());
        }
        self.refuse("writing to memory")
    }

    fn list_active_threads(&mut self, is_active: &mut dyn FnMut(Tid)) -> Result<(), PlayError> {
        for (number, _) in self.session.threads() {
            is_active(id(number));
        }
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Source> ThreadExtraInfo for Debuggee<'_, '_, '_, S> {
    fn thread_extra_info(&self, thread: Tid, buffer: &mut [u8]) -> Result<usize, PlayError> {
        let threads = self.session.threads();
        let found = threads.iter().find(|(other, _)| *other == number(thread));
        let text: &[u8] = match found {
            Some((_, true)) => b"in a system call",
            Some((found, false)) if *found == self.session.thread() => b"runs",
            _ => b"waits for its turn",
        };
        Ok(part(text, 0, text.len(), buffer))
    }
}

impl<S: Source> MultiThreadResume for Debuggee<'_, '_, '_, S> {
    fn resume(&mut self) -> Result<(), PlayError> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), PlayError> {
        self.next = Move::On;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), PlayError> {
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl<S: Source> MultiThreadSchedulerLocking for Debuggee<'_, '_, '_, S> {
    /// Threads run when they ran: there is nothing to lock.
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), PlayError> {
        Ok(())
    }
}

/// The number of a thread as the protocol has it.
pub(crate) fn id(number: u32) -> Tid {
    Tid::new(number as usize).unwrap_or(Tid::MIN)
}

/// The number of a thread as the recording has it.
pub(crate) fn number(thread: Tid) -> u32 {
    u32::try_from(thread.get()).unwrap_or_default()
}

impl<S: Source> TargetDescriptionXmlOverride for Debuggee<'_, '_, '_, S> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let state = self.session.state().map_err(TargetError::Fatal)?;
        let xml = registers::description(&state.extended);
        Ok(part(xml.as_bytes(), offset, length, buffer))
    }
}

impl<S: Source> ExecFile for Debuggee<'_, '_, '_, S> {
    fn get_exec_file(
        &self,
        _: Option<gdbstub::common::Pid>,
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(part(self.program().as_bytes(), offset, length, buffer))
    }
}

impl<S: Source> Auxv for Debuggee<'_, '_, '_, S> {
    fn get_auxv(&self, offset: u64, length: usize, buffer: &mut [u8]) -> TargetResult<usize, Self> {
        Ok(part(&self.auxv, offset, length, buffer))
    }
}

impl<S: Source> MonitorCmd for Debuggee<'_, '_, '_, S> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut out: ConsoleOutput<'_>,
    ) -> Result<(), PlayError> {
        let command = String::from_utf8_lossy(command).into_owned();
        let words: Vec<&str> = command.split_whitespace().collect();
        let mut text = String::new();
        match words[..] {
            ["where"] => self.describe_position(&mut text),
            ["goto", event] => match event.parse() {
                Ok(event) => {
                    if let Halt::Trouble(trouble) = self.session.go_to(event)? {
                        let _ = writeln!(text, "{trouble}");
                    }
                    self.describe_position(&mut text);
                    text += "\nFor gdb to notice: maintenance flush register-cache";
                }
                Err(_) => text += "goto wants the number of an event",
            },
            ["maps"] => self.describe_maps(&mut text),
            _ => {
                text += "where         the event, and the instructions since\n\
                         goto EVENT    go to where the event has just happened\n\
                         maps          what is mapped";
            }
        }
        outputln!(out, "{}", text.trim_end());
        Ok(())
    }
}

impl<S: Source> Debuggee<'_, '_, '_, S> {
    fn describe_position(&self, text: &mut String) {
        let position = self.session.position();
        let (first, last) = self.session.events();
        let (event, count) = (position.event, position.count);
        let _ = write!(
            text,
            "event {event} of {first} to {last}, and {count} instructions since"
        );
    }

    fn describe_maps(&self, text: &mut String) {
        let regions = self.opened.regions();
        for (start, end, protection) in self.session.mapped() {
            let letter = |bit: u32, letter: char| if protection & bit == 0 { '-' } else { letter };
            let (r, w, x) = (letter(1, 'r'), letter(2, 'w'), letter(4, 'x'));
            let named = regions
                .iter()
                .find(|region| (region.start..region.end).contains(&start));
            let name = named.map_or("", |region| &region.name);
            let name: String = name.chars().filter(|c| !c.is_control()).collect();
            let _ = writeln!(text, "{start:012x}-{end:012x} {r}{w}{x} {name}");
        }
    }
}
