//! What can happen to a process, as values.

use crate::sums::PageSums;
use crate::view::View;

/// The general registers, by the names and in the order of the kernel's
/// `user_regs_struct`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers(pub [u64; 27]);

/// The names of the registers, in order.
pub(crate) const REGISTERS: [&str; 27] = [
    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi",
    "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds", "es", "fs",
    "gs",
];

macro_rules! accessors {
    ($($index:literal $get:ident $set:ident,)*) => {
        impl Registers {
            $(
                #[doc = concat!("The register `", stringify!($get), "`.")]
                #[must_use]
                pub fn $get(&self) -> u64 {
                    self.0[$index]
                }

                #[doc = concat!("Changes the register `", stringify!($get), "`.")]
                pub fn $set(&mut self, value: u64) {
                    self.0[$index] = value;
                }
            )*
        }
    };
}

accessors! {
    6 r11 set_r11,
    10 rax set_rax,
    11 rcx set_rcx,
    12 rdx set_rdx,
    15 orig_rax set_orig_rax,
    16 rip set_rip,
    17 cs set_cs,
    18 eflags set_eflags,
    19 rsp set_rsp,
    20 ss set_ss,
    21 fs_base set_fs_base,
    22 gs_base set_gs_base,
}

/// Where the arguments of a system call are.
const ARGUMENTS: [usize; 6] = [14, 13, 12, 7, 9, 8];

impl Registers {
    /// The arguments of a system call.
    #[must_use]
    pub fn arguments(&self) -> [u64; 6] {
        ARGUMENTS.map(|index| self.0[index])
    }

    /// Changes the arguments of a system call.
    pub fn set_arguments(&mut self, arguments: [u64; 6]) {
        for (index, argument) in ARGUMENTS.into_iter().zip(arguments) {
            self.0[index] = argument;
        }
    }

    /// The first register that differs, with its two values.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<(&'static str, u64, u64)> {
        let pairs = self.0.iter().zip(&other.0).zip(REGISTERS);
        pairs
            .filter(|((mine, theirs), _)| mine != theirs)
            .map(|((mine, theirs), name)| (name, *mine, *theirs))
            .next()
    }
}

/// All registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The general ones.
    pub registers: Registers,
    /// The others, as the XSAVE instruction lays them out.
    pub extended: Vec<u8>,
}

/// A mapped part of the address space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Where it begins; a multiple of the page size.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// `PROT_READ`, `PROT_WRITE`, `PROT_EXEC`.
    pub protection: u32,
    /// The file or the name that the kernel gives it.
    pub name: String,
}

/// A piece of memory that was changed from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub address: u64,
    /// To what.
    pub bytes: Vec<u8>,
}

/// The state at the beginning of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// All registers.
    pub state: State,
    /// Where the heap ends.
    pub brk: u64,
    /// What is mapped.
    pub regions: Vec<Region>,
    /// Whose registers these are, and the other threads; `None` where there is
    /// one thread.
    pub threads: Option<Threads>,
    /// Which of that shows the same memory.
    pub views: Vec<View>,
}

/// The threads of a process at the beginning of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// The number of the one that runs.
    pub running: u32,
    /// The others.
    pub others: Vec<Thread>,
}

/// A thread that does not run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Its number.
    pub number: u32,
    /// Its registers.
    pub state: State,
    /// It is in a system call, whose event comes when it runs again. The
    /// registers are those at its beginning.
    pub called: bool,
}

/// Another thread runs from here on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Where the one before it has stopped: behind its last event, or in a
    /// system call that it has begun since.
    pub at: Position,
    /// The number of the one that runs.
    pub thread: u32,
}

/// The running thread has ended, and others have not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// The address behind the instruction.
    pub ip: u64,
    /// The status that it gave.
    pub status: u64,
    /// The memory that the kernel wrote: that it is gone, where others wait for
    /// that, and in locks that it held.
    pub writes: Vec<Write>,
}

/// The running thread was stopped between two events, in the middle of a
/// computation. What follows happened there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pause {
    /// All registers. They alone do not tell the place: a loop may come back to
    /// them.
    pub state: State,
}

/// Where a pause was. It is found out when the recording is written, so it is not
/// in the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of the pause's event.
    pub event: u64,
    /// How many instructions ran since the event before it.
    pub count: u64,
}

/// A system call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Which.
    pub number: u64,
    /// The address behind the instruction.
    pub ip: u64,
    /// The arguments that it takes.
    pub arguments: Vec<u64>,
    /// A checksum of the memory that it read, where that is worth comparing.
    pub read: Option<u32>,
    /// What it returned.
    pub result: u64,
    /// The memory that it wrote.
    pub writes: Vec<Write>,
    /// The registers afterwards, where others than those of the result changed.
    pub registers: Option<Box<Registers>>,
    /// What a mapped file brought in.
    pub content: Option<Content>,
}

/// The pages that came in with a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// The number of the page map.
    pub map: u32,
}

/// Where in the run a signal came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Right behind the event before it.
    AfterEvent,
    /// In front of the next system call.
    AtCall,
    /// At the instruction that caused it.
    AtFault,
}

/// A signal that was handled by the subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Where it came.
    pub at: Position,
    /// Which.
    pub number: u32,
    /// The instruction where it came.
    pub ip: u64,
    /// The frame on the stack.
    pub frame: Write,
    /// The registers at the first instruction of the handler.
    pub state: State,
}

/// The return from a signal handler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sigreturn {
    /// The address behind the instruction.
    pub ip: u64,
    /// The registers afterwards.
    pub state: State,
}

/// A time-stamp counter was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tsc {
    /// The address of the instruction.
    pub ip: u64,
    /// The counter.
    pub value: u64,
    /// What `rdtscp` returns beside it.
    pub processor: Option<u32>,
}

/// An instruction has asked the processor: about itself, or for a random number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The address of the instruction.
    pub ip: u64,
    /// The registers behind it.
    pub registers: Registers,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It called `exit` or `exit_group`; the number says which.
    Exit {
        /// Its number.
        call: u64,
        /// The status.
        status: u64,
    },
    /// A signal killed it.
    Signal {
        /// Which.
        number: u32,
        /// Where it came.
        at: Position,
    },
}

impl Ending {
    /// The signal that killed it, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<u32> {
        match self {
            Self::Signal { number, .. } => Some(*number),
            Self::Exit { .. } => None,
        }
    }

    /// The status that it gave to `exit`, if it did; the kernel keeps a byte.
    #[must_use]
    pub fn status(&self) -> Option<u8> {
        match self {
            Self::Exit { status, .. } => Some(*status as u8),
            Self::Signal { .. } => None,
        }
    }
}

/// The state at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How it ended.
    pub ending: Ending,
    /// All registers.
    pub state: State,
    /// From where to where memory is not in use: garbage below the stack
    /// pointer.
    pub unused: (u64, u64),
    /// A checksum of every page.
    pub sums: PageSums,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A segment begins.
    Start(Start),
    /// A system call.
    Call(Call),
    /// A signal was handled.
    Signal(Signal),
    /// A signal handler returned.
    Sigreturn(Sigreturn),
    /// A time-stamp counter was read.
    Tsc(Tsc),
    /// The run ended.
    End(End),
    /// There is another thread, which does not run yet.
    Thread(Thread),
    /// Another thread runs.
    Switch(Switch),
    /// A thread has ended.
    Exit(Exit),
    /// A thread was stopped in the middle of a computation.
    Pause(Pause),
    /// Other processes have changed memory that they share with it.
    Changed(Vec<Write>),
    /// The processor was asked something.
    Answer(Box<Answer>),
    /// These show the same memory from here on, as the call before has mapped it.
    Views(Vec<View>),
}

/// Which event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Event::Start`].
    Start,
    /// [`Event::Call`].
    Call,
    /// [`Event::Signal`].
    Signal,
    /// [`Event::Sigreturn`].
    Sigreturn,
    /// [`Event::Tsc`].
    Tsc,
    /// [`Event::End`].
    End,
    /// [`Event::Thread`].
    Thread,
    /// [`Event::Switch`].
    Switch,
    /// [`Event::Exit`].
    Exit,
    /// [`Event::Pause`].
    Pause,
    /// [`Event::Changed`].
    Changed,
    /// [`Event::Answer`].
    Answer,
    /// [`Event::Views`].
    Views,
}

impl Event {
    /// Which event it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Start(_) => Kind::Start,
            Self::Call(_) => Kind::Call,
            Self::Signal(_) => Kind::Signal,
            Self::Sigreturn(_) => Kind::Sigreturn,
            Self::Tsc(_) => Kind::Tsc,
            Self::End(_) => Kind::End,
            Self::Thread(_) => Kind::Thread,
            Self::Switch(_) => Kind::Switch,
            Self::Exit(_) => Kind::Exit,
            Self::Pause(_) => Kind::Pause,
            Self::Changed(_) => Kind::Changed,
            Self::Answer(_) => Kind::Answer,
            Self::Views(_) => Kind::Views,
        }
    }
}
