//! A program, as far as the analysis has to know it.

use crate::annotations::Annotation;
use crate::scanned::Scanned;

/// A value that may hold a pointer. 0 holds none.
pub type Var = u32;

/// The value that holds no pointer.
pub const NOTHING: Var = 0;

/// The number of a function.
pub type FunctionId = u32;

/// The number of an object.
pub type ObjectId = u32;

/// The object that stands for all memory that is not the program's own.
pub const UNKNOWN: ObjectId = 0;

/// The object that stands for what handles of libraries point to (a `FILE`, a `DIR`), and
/// for what is behind that: the program stores no pointers of its own there.
pub const HANDLE: ObjectId = 1;

/// The object that stands for memory which libraries have lent: what functions return of
/// which it is known that they keep nothing. It is not the program's, but nobody looks for
/// pointers in what the program stores there.
pub const LENT: ObjectId = 2;

/// The object that stands for tables of the C library of which inside functions have a copy:
/// it is not the program's, and to look into it is no event.
pub const TABLES: ObjectId = 3;

/// Where something stands in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", _) => f.write_str("an unknown place"),
            (file, 0) => f.write_str(file),
            (file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// The program has its body.
    pub defined: bool,
    /// What its parameters hold.
    pub parameters: Vec<Var>,
    /// What it takes beyond its parameters, if it does.
    pub variadic: Option<Var>,
    /// What it returns.
    pub result: Var,
    /// Why it cannot be inside, and where that stands.
    pub refused: Option<(String, Place)>,
    /// Where it marks a place to jump to, with the memory in which it does, or jumps.
    pub jumps: Vec<(Option<Var>, Place)>,
    /// Why it can be inside only together with those who call it.
    pub no_entry: Option<String>,
    /// How often it was entered in the runs that were weighed.
    pub entered: u64,
    /// What it does, where its body is not known.
    pub annotation: Option<Annotation>,
}

/// What kind of memory an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Memory that is not the program's own.
    Unknown,
    /// A global variable.
    Global,
    /// A global that nobody can write to.
    Constant,
    /// A global of a library.
    External,
    /// A global of a library that holds a handle.
    Handle,
    /// What is elsewhere in each run, and is given by nobody who keeps it: what a function
    /// takes beyond its parameters, the arguments of the program, a variable that begins with
    /// the address of a library's.
    Variable,
    /// A local variable of a function.
    Stack(FunctionId),
    /// What a function has allocated.
    Heap(FunctionId),
    /// A function: what a pointer to one points to.
    Function(FunctionId),
}

/// How many bytes a word has. Pointers are in whole words, or in two that are beside each other.
pub const WORD: u64 = 8;

/// A piece of memory.
#[derive(Clone, Debug)]
pub struct Object {
    /// What a person calls it.
    pub name: String,
    /// What kind it is.
    pub storage: Storage,
    /// How many of its words are told apart, at least one. What is as many words behind another
    /// is taken for the same, so any number is right: it has to fit what is in the object for
    /// the answer to be a good one. More than one only for what begins at the address of a word.
    pub words: u32,
}

/// How far a pointer is moved within its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// So many bytes,
    pub bytes: i64,
    /// and any number of times so many; 0 for none.
    pub stride: u64,
}

impl Move {
    /// To anywhere.
    pub const ANYWHERE: Self = Self {
        bytes: 0,
        stride: 1,
    };
}

/// The largest number of which both are multiples: two strides together are such steps.
pub fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        other => greatest_common_divisor(other, one % other),
    }
}

/// Which words from a pointer on are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// So many, from the one that it points to.
    First(u32),
    /// All of the object.
    All,
}

/// What an instruction does with pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// `to` points to an object.
    Address {
        /// The pointer.
        to: Var,
        /// What it points to.
        object: ObjectId,
    },
    /// An object holds `value` before anything is done.
    Begins {
        /// The object.
        object: ObjectId,
        /// Which of its words, from 0.
        word: u64,
        /// What it holds.
        value: Var,
    },
    /// `to` holds what `from` holds.
    Copy {
        /// Whereto.
        to: Var,
        /// Wherefrom.
        from: Var,
    },
    /// `to` points to where `from` does, but for how far it is in the object.
    Moved {
        /// Whereto.
        to: Var,
        /// Wherefrom.
        from: Var,
        /// How far.
        by: Move,
    },
    /// `to` holds what is in memory at `pointer`.
    Load {
        /// Whereto.
        to: Var,
        /// The address.
        pointer: Var,
        /// How much of it.
        words: Words,
    },
    /// The memory at `pointer` holds `value`.
    Store {
        /// The address.
        pointer: Var,
        /// What it holds.
        value: Var,
        /// How much of it.
        words: Words,
    },
}

/// Whose memory an instruction has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of an object, which may not be in the program.
    Object(ObjectId),
    /// None that is known to be the program's.
    Nobody,
    /// That of one of several.
    Unclear,
}

/// Whose memory an instruction has met, and how often it has found something new there.
pub type Met = Vec<(Whose, u64)>;

/// An instruction that reads or writes memory.
#[derive(Clone, Debug)]
pub struct Access {
    /// The function it is in.
    pub function: FunctionId,
    /// The address.
    pub pointer: Var,
    /// How many bytes it would have to write down in all, in the runs that were weighed.
    pub bytes: u64,
    /// How often it would have: a read that finds what its function has last found there
    /// is no event.
    pub times: u64,
    /// How often it was executed in them, and looked at if it may be of outside memory.
    pub executed: u64,
    /// It writes.
    pub write: bool,
    /// Whose memory it has met in these runs, if somebody has counted.
    pub met: Option<Met>,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function by its name.
    Direct(FunctionId),
    /// Whatever this points to.
    Indirect(Var),
    /// Whatever this points to, by a library's function that the caller calls, and as often
    /// as that wants.
    Callback(Var),
}

/// Whom a call through a pointer has called, and how often. No function stands for all
/// that are not the program's.
pub type Counted = Vec<(Option<FunctionId>, u64)>;

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function it is in.
    pub function: FunctionId,
    /// Who is called.
    pub callee: Callee,
    /// With what.
    pub arguments: Vec<Var>,
    /// Where the result goes.
    pub result: Var,
    /// How many bytes the result has that is used.
    pub result_bytes: u64,
    /// How often it was executed in the runs that were weighed.
    pub times: u64,
    /// Through a pointer: whom it has called in these runs, if somebody has counted.
    pub called: Option<Counted>,
    /// What it fills by its format, by the argument.
    pub scanned: Vec<(usize, Scanned)>,
    /// How many bytes it filled, copied or read in these runs.
    pub moved: u64,
    /// Which words it copies, if it copies any: their number is known only where both
    /// begin at the address of a word.
    pub copied: Words,
    /// What it allocates, if it does.
    pub allocates: Option<ObjectId>,
    /// It says who handles a signal that instructions of the program cause.
    pub is_for_fault: bool,
    /// Where it stands.
    pub place: Place,
}

#[cfg(test)]
impl Call {
    /// A call that was executed once, somewhere, for nothing but its arguments.
    pub(crate) fn of(function: FunctionId, callee: Callee, arguments: Vec<Var>) -> Self {
        Self {
            function,
            callee,
            arguments,
            result: NOTHING,
            result_bytes: 0,
            times: 1,
            called: None,
            scanned: Vec::new(),
            moved: 0,
            copied: Words::All,
            allocates: None,
            is_for_fault: false,
            place: Place {
                file: "main.c".into(),
                line: 3,
            },
        }
    }
}

impl Call {
    /// How often it has called a function, or one that is not the program's. Where
    /// nobody has counted, it may have been this one each time.
    pub fn times_of(&self, callee: Option<FunctionId>) -> u64 {
        match &self.called {
            None => self.times,
            Some(counted) => {
                let of = counted.iter().filter(|(function, _)| *function == callee);
                of.map(|(_, times)| times).sum()
            }
        }
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The functions.
    pub functions: Vec<Function>,
    /// The objects; the first are [`UNKNOWN`], [`HANDLE`], [`LENT`] and [`TABLES`].
    pub objects: Vec<Object>,
    /// How many values there are, with [`NOTHING`].
    pub vars: u32,
    /// What instructions do with pointers.
    pub facts: Vec<Fact>,
    /// What they read and write.
    pub accesses: Vec<Access>,
    /// What they call.
    pub calls: Vec<Call>,
    /// What is outside whatever happens, and may have been seen by anybody: what these
    /// point to.
    pub given_away: Vec<Var>,
    /// What is outside because it differs from run to run: what these point to.
    pub varying: Vec<Var>,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            functions: Vec::new(),
            objects: [
                "memory of libraries",
                "a handle of a library",
                "memory that a library has lent",
                "tables of the C library",
            ]
            .map(|name| Object {
                name: name.to_owned(),
                storage: Storage::Unknown,
                words: 1,
            })
            .to_vec(),
            vars: 1,
            facts: Vec::new(),
            accesses: Vec::new(),
            calls: Vec::new(),
            given_away: Vec::new(),
            varying: Vec::new(),
        }
    }
}

impl Program {
    /// A new value.
    pub fn var(&mut self) -> Var {
        self.vars += 1;
        self.vars - 1
    }

    /// A new object whose words are not told apart.
    pub fn object(&mut self, name: impl Into<String>, storage: Storage) -> ObjectId {
        self.object_of(name, storage, 1)
    }

    /// A new object of which so many words are.
    pub fn object_of(&mut self, name: impl Into<String>, storage: Storage, words: u32) -> ObjectId {
        self.objects.push(Object {
            name: name.into(),
            storage,
            words,
        });
        self.objects.len() as u32 - 1
    }
}
