//! A divergence: the process did something else than recorded.

use std::fmt;

use nix::sys::signal::Signal;
use reprise_process_events::Region;
use reprise_recording::StreamId;
use reprise_syscalls::name;

/// Where a replay left its recording, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The thread.
    pub stream: StreamId,
    /// The event that was due.
    pub position: u64,
    /// Where in the program.
    pub location: Location,
    /// What was recorded.
    pub expected: Fact,
    /// What happened.
    pub actual: Fact,
}

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The instruction.
    pub address: u64,
    /// The file it came from and its distance from where that begins, if that
    /// is known.
    pub file: Option<(String, u64)>,
}

/// Something that was recorded, or that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A system call.
    Call {
        /// Its number.
        number: u64,
        /// The address behind it.
        ip: u64,
    },
    /// A system call, whichever it is.
    AnyCall,
    /// A signal, whichever it is.
    AnySignal,
    /// An argument of a system call.
    Argument {
        /// The call.
        number: u64,
        /// Which argument, from 1.
        index: usize,
        /// Its value.
        value: u64,
    },
    /// The checksum of what a system call read.
    Read {
        /// The call.
        number: u64,
        /// The checksum.
        sum: u32,
    },
    /// A way into the kernel that no 64-bit program uses.
    OtherCall {
        /// The address behind it.
        ip: u64,
    },
    /// A signal.
    Signal {
        /// Its number.
        number: u32,
        /// Where.
        ip: u64,
    },
    /// The time-stamp counter was read.
    Counter {
        /// Where.
        ip: u64,
    },
    /// The processor was asked something.
    Asked {
        /// Where.
        ip: u64,
    },
    /// A computation was interrupted.
    Pause {
        /// Where.
        ip: u64,
    },
    /// A register had this value.
    Register {
        /// Which.
        name: &'static str,
        /// The value.
        value: u64,
    },
    /// A byte of the extended registers.
    Extended {
        /// Where in the XSAVE layout.
        offset: usize,
        /// The value.
        value: u8,
    },
    /// A page had this checksum; `None` is a page that is all zero or not there.
    Page {
        /// Where.
        address: u64,
        /// The checksum.
        sum: Option<u32>,
    },
    /// Memory that is in the recording was used.
    Recorded,
    /// Memory was used that is not in the recording.
    NotRecorded {
        /// Where.
        address: u64,
    },
    /// The process was gone.
    Gone,
}

impl Location {
    /// Looks an address up in what was mapped.
    pub(crate) fn of(address: u64, regions: &[Region]) -> Self {
        let named = regions
            .iter()
            .find(|region| (region.start..region.end).contains(&address))
            .filter(|region| region.name.starts_with('/'));
        let file = named.map(|found| {
            let first = regions.iter().find(|region| region.name == found.name);
            let start = first.map_or(found.start, |first| first.start);
            (found.name.clone(), address - start)
        });
        Self { address, file }
    }
}

impl std::error::Error for Divergence {}

impl fmt::Display for Divergence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            stream,
            position,
            location,
            expected,
            actual,
        } = self;
        write!(
            out,
            "diverged at event {position} of stream {stream}, {location}: expected {expected}, got \
             {actual}"
        )
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some((file, offset)) => write!(out, "at {:#x} ({file}+{offset:#x})", self.address),
            None => write!(out, "at {:#x}", self.address),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { number, ip } => write!(out, "{} at {ip:#x}", name(*number)),
            Self::AnyCall => write!(out, "a system call"),
            Self::AnySignal => write!(out, "a signal"),
            Self::Argument {
                number,
                index,
                value,
            } => write!(out, "{} with argument {index} {value:#x}", name(*number)),
            Self::Read { number, sum } => {
                write!(out, "{} of data with checksum {sum:08x}", name(*number))
            }
            Self::OtherCall { ip } => write!(out, "a system call in another way at {ip:#x}"),
            Self::Signal { number, ip } => {
                let known = i32::try_from(*number).ok().map(Signal::try_from);
                match known {
                    Some(Ok(signal)) => write!(out, "{signal} at {ip:#x}"),
                    _ => write!(out, "signal {number} at {ip:#x}"),
                }
            }
            Self::Asked { ip } => write!(out, "a question to the processor at {ip:#x}"),
            Self::Counter { ip } => {
                write!(out, "a reading of the time-stamp counter at {ip:#x}")
            }
            Self::Pause { ip } => write!(out, "an interruption at {ip:#x}"),
            Self::Register { name, value } => write!(out, "{name} {value:#x}"),
            Self::Extended { offset, value } => {
                write!(
                    out,
                    "{value:#04x} at byte {offset} of the extended registers"
                )
            }
            Self::Page {
                address,
                sum: Some(sum),
            } => write!(out, "the page at {address:#x} with checksum {sum:08x}"),
            Self::Page { address, sum: None } => {
                write!(out, "the page at {address:#x} empty or not there")
            }
            Self::Recorded => write!(out, "memory that was recorded"),
            Self::NotRecorded { address } => {
                write!(out, "a use of memory that was not recorded at {address:#x}")
            }
            Self::Gone => write!(out, "the process gone"),
        }
    }
}
