//! How large a schedule may be. A schedule may come from a stranger, so
//! everything in it that could take memory or time is held against these.

/// The longest text, in bytes.
pub const TEXT: usize = 1 << 30;

/// The longest line, in bytes: room for a class name, a method name and a
/// descriptor of full length with every character written as an escape.
pub const LINE: usize = 1 << 21;

/// The longest message of a `log` command, in bytes.
pub const MESSAGE: usize = 65_535;

/// The longest name, in bytes. Class files cannot hold longer ones.
pub const NAME: usize = 65_535;

/// How deep loops may be nested.
pub const NESTING: usize = 64;

/// How many steps a thread's name may have: `0.1.1` has two.
pub const DESCENT: usize = 64;

/// The highest count and the most rounds of a loop: Java's `Long.MAX_VALUE`.
pub const COUNT: u64 = i64::MAX as u64;

/// How many errors a parser tells of before it gives up.
pub const ERRORS: usize = 20;

/// How many commands a conversion may make, loops written out.
pub const COMMANDS: usize = 1 << 22;

/// How many commands `check` follows, going through loops.
pub const FOLLOWED: usize = 1 << 22;
