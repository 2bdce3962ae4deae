//! Memory behind the end of its file. Who uses it gets a SIGBUS, and a replay has no files.
//! But what a fault was about is known when it is due: from the event before it on, that page
//! cannot be accessed, and the fault comes. If the file became shorter later than that, the
//! replay may fault too early, which it says.

use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, Register};
use nix::libc;
use reprise_process_events::{End, Ending, Event, PAGE, Position, Registers, Signal};
use reprise_recording::Source;
use reprise_tracee::Stop;

use crate::foreign::CODE;
use crate::play::Play;
use crate::{ADDRESSES, PlayError, load};

const SIGBUS: u32 = libc::SIGBUS as u32;

/// Where the address of a fault is in what a handler is told of the registers.
const FAULT_ADDRESS: u64 = 40 + 22 * 8;

impl<S: Source> Play<'_, '_, S> {
    /// An event is due. If it is such a fault, its page is closed.
    pub(crate) fn close_page(&mut self, due: &Event) -> Result<(), PlayError> {
        let address = match due {
            Event::Signal(signal) if signal.number == SIGBUS && signal.at == Position::AtFault => {
                told(signal)
            }
            Event::End(end) => match end.ending {
                Ending::Signal {
                    number: SIGBUS,
                    at: Position::AtFault,
                } => self.used_by(end),
                _ => None,
            },
            _ => None,
        };
        // A stranger may have made it up.
        let address = address.filter(|address| *address < ADDRESSES);
        let Some(page) = address.map(|address| address & !(PAGE - 1)) else {
            return Ok(());
        };
        let is_there = !self.space.present(page, page + PAGE).is_empty();
        if is_there && self.protect_page(page, 0)? {
            self.closed = Some(page);
        }
        Ok(())
    }

    /// The process has stopped: says for what, and opens the page again.
    pub(crate) fn open_page(&mut self, stop: Stop) -> Result<Stop, PlayError> {
        let Some(page) = self.closed.take() else {
            return Ok(stop);
        };
        let was_it = stop == Stop::Signal(libc::SIGSEGV)
            && self
                .blank
                .tracee
                .fault_address()?
                .map(|at| at & !(PAGE - 1))
                == Some(page);
        for range in self.space.within(page, page + PAGE) {
            self.protect_page(page, range.protection)?;
        }
        Ok(match was_it {
            true => Stop::Signal(libc::SIGBUS),
            false => stop,
        })
    }

    /// Returns whether that could be done.
    fn protect_page(&self, page: u64, protection: u32) -> Result<bool, PlayError> {
        let arguments = [page, PAGE, u64::from(protection), 0, 0, 0];
        let process = self.blank.tracee;
        let result = match self.supplies {
            Some(_) => self.blank.call(libc::SYS_mprotect, arguments)?,
            None if process.is_behind_syscall(self.behind) => {
                process.call_plainly_at(self.behind, libc::SYS_mprotect, arguments)?
            }
            None => return Ok(false),
        };
        load::check(self.done, result)?;
        Ok(true)
    }

    /// The place that the last instruction of a run was about, if there is one such place.
    fn used_by(&mut self, end: &End) -> Option<u64> {
        let registers = &end.state.registers;
        let ip = registers.rip();
        let _ = self.need(self.done, ip, CODE as u64);
        let code = self.blank.tracee.read_some(ip, CODE);
        let instruction = Decoder::with_ip(64, &code, ip, DecoderOptions::NONE).decode();
        let mut factory = InstructionInfoFactory::new();
        let used = factory.info(&instruction).used_memory();
        let places = used.iter().filter(|place| place.base() != Register::RSP);
        let mut places = places.filter_map(|place| {
            place.virtual_address(0, |register, _, _| value(registers, register))
        });
        let place = places.next()?;
        places.next().is_none().then_some(place)
    }
}

/// The place that a handler is told of.
fn told(signal: &Signal) -> Option<u64> {
    let at = signal.state.registers.rdx().checked_add(FAULT_ADDRESS)?;
    let at = usize::try_from(at.checked_sub(signal.frame.address)?).ok()?;
    let word = signal.frame.bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// What a register held.
fn value(registers: &Registers, register: Register) -> Option<u64> {
    /// Where the registers are, by their numbers.
    const ORDER: [usize; 16] = [10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0];
    const FS_BASE: usize = 21;
    const GS_BASE: usize = 22;
    let index = match register {
        Register::FS => FS_BASE,
        Register::GS => GS_BASE,
        Register::CS | Register::DS | Register::ES | Register::SS => return Some(0),
        _ if register.is_gpr64() => *ORDER.get(register.number())?,
        _ => return None,
    };
    registers.0.get(index).copied()
}
