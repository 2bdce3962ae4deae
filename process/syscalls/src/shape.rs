//! The words in which the table describes a system call.

/// What a recorder and a player do about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Done by the kernel once, while recording. A replay takes its result and
    /// what it wrote from the recording.
    Emulated,
    /// Changes the address space, so a replay does it again, at the place where
    /// the kernel put it.
    Mapping,
    /// Begins or ends a process or a thread, or replaces the program: recorder
    /// and player know each of these by its number.
    Control,
    /// Answered with ENOSYS and named in the recording: the kernel would write
    /// to memory behind the recorder's back.
    Refused,
    /// Answered with EPERM and named in the recording, as it would be under any
    /// tracer.
    Denied,
    /// Answered with ENOSYS; every program copes, so it is not worth a word.
    Hidden,
}

/// How many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Always as many.
    Fixed(u32),
    /// As many as this argument says.
    Argument(u8),
    /// As many as this argument says, and so many more.
    More(u8, u32),
    /// One for each page of the length in this argument.
    Pages(u8),
    /// This argument says how many elements, each of so many bytes.
    Elements(u8, u32),
    /// The result says how many elements, each of so many bytes, but never
    /// more of them than this argument: some calls return what they would have
    /// written.
    Result {
        /// The argument that holds the limit.
        limit: u8,
        /// The length of an element.
        unit: u32,
    },
}

impl Size {
    /// Whether the arguments alone say how many.
    #[must_use]
    pub fn is_known_before(self) -> bool {
        !matches!(self, Self::Result { .. })
    }
}

/// What an argument points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A piece of memory.
    Bytes(Size),
    /// Text that ends with a zero.
    Text,
    /// An array of `iovec`; the argument says how many. What the kernel writes
    /// ends with as many bytes as the result says.
    Iovec(u8),
    /// A buffer whose length is where this argument points, and which the
    /// kernel updates: socket addresses and options.
    LengthAt(u8),
    /// Sets of descriptors below the number in this argument.
    Descriptors(u8),
    /// A `msghdr` with all that hangs from it.
    Message,
    /// An array of `mmsghdr`; the argument says how many.
    Messages(u8),
    /// What the request of an `ioctl` says; the argument holds the request.
    Ioctl(u8),
    /// What the command of an `fcntl` says; the argument holds the command.
    Fcntl(u8),
    /// What the option of a `prctl` says; the argument holds the option.
    Prctl(u8),
    /// What the operation of an `arch_prctl` says.
    ArchPrctl(u8),
}

/// A piece of memory that a call reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The argument that points at it, from 0.
    pub argument: u8,
    /// What is there.
    pub shape: Shape,
}

/// One system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its number on x86-64.
    pub number: u64,
    /// Its name.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arguments: u8,
    /// What is done about it.
    pub class: Class,
    /// The memory whose content tells whether a replay does the same. Not all
    /// that the kernel reads: what a person would call the data.
    pub reads: &'static [Place],
    /// All memory that the kernel writes. It may be too much (what the kernel
    /// left alone is recorded as it was), never too little.
    pub writes: &'static [Place],
}
