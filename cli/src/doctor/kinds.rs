//! The kinds of recording: what each needs, what its lack costs, and what it
//! promises.

/// Something a kind of recording needs from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A JDK that loads the agent.
    Jdk,
    /// Tracing a child.
    Ptrace,
    /// Who has written where.
    Written,
    /// Filtering system calls.
    Seccomp,
    /// Denying files.
    Landlock,
    /// Empty namespaces.
    Namespaces,
    /// A debugger.
    Gdb,
    /// clang, lld and LLVM's libraries.
    Llvm,
    /// The part of this program that has LLVM.
    Cc,
    /// Memory for shadows.
    Memory,
    /// Room for recordings.
    Disk,
}

impl Need {
    /// The name in the report and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jdk => "jdk",
            Self::Ptrace => "ptrace",
            Self::Written => "written",
            Self::Seccomp => "seccomp",
            Self::Landlock => "landlock",
            Self::Namespaces => "namespaces",
            Self::Gdb => "gdb",
            Self::Llvm => "llvm",
            Self::Cc => "reprise-cc",
            Self::Memory => "memory",
            Self::Disk => "disk",
        }
    }
}

/// A need of recording or replaying.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// What is needed.
    pub need: Need,
    /// Whether nothing works without it.
    pub indispensable: bool,
    /// What its lack costs.
    pub costs: &'static str,
}

/// How a running process is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attach {
    /// By tracing.
    Ptrace,
    /// Not at all: a JVM has to be started for it.
    Jvm,
    /// Not at all: the program has to be built for it.
    Never,
}

/// A kind of recording.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name in JSON.
    pub name: &'static str,
    /// How it is asked for on the command line.
    pub option: &'static str,
    /// What is recorded.
    pub records: &'static str,
    /// What a recording of this kind is good for, and what it is not.
    pub promise: &'static str,
    /// What recording it needs.
    pub record: &'static [Demand],
    /// What replaying it needs.
    pub replay: &'static [Demand],
    /// How a process that runs already is recorded.
    pub attach: Attach,
}

/// All kinds, in the order they are shown.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "observe",
        option: "--observe",
        records: "chosen classes of a JVM program",
        promise: "Threads run in parallel while recording. Replays without the program's files, \
                  inputs and services, in a sandbox, on Linux with a JDK of the same release.",
        record: &[
            must(Need::Jdk, "no JVM program can be recorded"),
            may(
                Need::Disk,
                "a full disk ends the recording, not the program",
            ),
        ],
        replay: &[
            must(Need::Jdk, "the recorded classes have no JVM to run in"),
            must(Need::Seccomp, "a replay cannot be kept from system calls"),
            must(Need::Landlock, "a replay cannot be kept from files"),
        ],
        attach: Attach::Jvm,
    },
    Kind {
        name: "schedule",
        option: "--schedule, --share",
        records: "the thread schedule of a JVM program",
        promise: "Threads run one at a time while recording (in parallel with --schedule=free). \
                  Replays by running the real program under the schedule: it needs the program's \
                  files and the same inputs, is not sandboxed, and works on any JVM.",
        record: &[
            must(Need::Jdk, "no JVM program can be recorded"),
            may(
                Need::Disk,
                "a full disk ends the recording, not the program",
            ),
        ],
        replay: &[must(Need::Jdk, "the program has no JVM to run in")],
        attach: Attach::Jvm,
    },
    Kind {
        name: "last",
        option: "--last",
        records: "the last moments of any Linux program",
        promise: "The program runs on one core, and one of its threads at a time. Replays \
                  without the program's files, inputs and services, in a sandbox, on Linux x86-64 \
                  of any distribution and kernel, on a processor that can do what the first one could.",
        record: &[
            must(Need::Ptrace, "no process can be recorded"),
            may(
                Need::Memory,
                "shadows may not fit: the recorded time gets shorter",
            ),
            may(
                Need::Written,
                "what processes change in memory over 1 MiB that they share is not recorded",
            ),
            may(
                Need::Disk,
                "a full disk ends the recording, not the program",
            ),
        ],
        replay: PLAY_PROCESS,
        attach: Attach::Ptrace,
    },
    Kind {
        name: "cut",
        option: "cut",
        records: "chosen functions of a C program",
        promise: "One thread at a time runs in the chosen functions while recording. Replays \
                  without the program's files, inputs and services, in a sandbox, on Linux x86-64.",
        record: &[
            must(Need::Llvm, "no C program can be analysed or rebuilt"),
            must(Need::Cc, "no C program can be analysed or rebuilt"),
            may(
                Need::Disk,
                "a full disk ends the recording, not the program",
            ),
        ],
        replay: PLAY_PROCESS,
        attach: Attach::Never,
    },
];

/// The same player plays `--last` and `cut`.
const PLAY_PROCESS: &[Demand] = &[
    must(
        Need::Ptrace,
        "the player cannot control the process it plays",
    ),
    must(Need::Seccomp, "a replay cannot be kept from system calls"),
    may(
        Need::Namespaces,
        "one wall of the sandbox is missing; the filter of system calls still holds",
    ),
    may(Need::Gdb, "replay --debug cannot open a debugger"),
];

const fn must(need: Need, costs: &'static str) -> Demand {
    Demand {
        need,
        indispensable: true,
        costs,
    }
}

const fn may(need: Need, costs: &'static str) -> Demand {
    Demand {
        need,
        indispensable: false,
        costs,
    }
}
