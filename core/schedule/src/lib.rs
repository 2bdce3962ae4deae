//! The schedule language: in which order threads run, as text.
//!
//! A schedule is a text that a person can read and write. It says where each
//! thread of a program stops and which one goes on, and nothing about the tool
//! that made it. The language is that of jreplay (Schuppan, Baur and Biere,
//! *JVM Independent Replay in Java*), with a few additions that are named below.
//!
//! # A first schedule
//!
//! Two threads add 1 to a counter, and one addition is lost:
//!
//! ```text
//! # Main has started both threads and waits for the first to end.
//! in Main.java:8 1
//! switch 1
//!
//! # The first has read the counter, and has not written it.
//! before Adder run()V 5 1
//! switch 2
//!
//! # The second adds and ends.
//! before Adder run()V 9 1
//! die 1
//!
//! # The first writes what it had added to what it had read.
//! before Adder run()V 9 1
//! die 0
//! ```
//!
//! One command stands on a line. Blank lines mean nothing, blanks and tabs
//! separate words, `#` begins a comment. Commands are performed one after the
//! other: an *event* waits until the running thread comes to a place, the
//! *actions* behind it are what happens there. At the beginning main is running,
//! and actions that come before any event happen at once. At the end, whoever
//! runs goes on, and nobody else does.
//!
//! # Events
//!
//! ```text
//! before PLACE COUNT      the running thread is about to execute the bytecode
//! in PLACE COUNT          it has blocked in it: in wait, join, sleep and the like
//! ```
//!
//! COUNT says at which attempt, from 1. Attempts at this bytecode are counted
//! from the last event on, and the one that is pending then counts: a thread that
//! was stopped *before* a bytecode and is to be stopped there again after it was
//! executed once has a count of 2. An attempt that fails, as at a monitor that
//! another thread has, counts too.
//!
//! What happens *after* a bytecode happens before the next one. Only the last
//! bytecode of a thread has none: there `before` is used with `die` or
//! `terminate`.
//!
//! An event with no action is allowed; it makes the counts begin anew.
//!
//! # Places
//!
//! ```text
//! com.acme.Producer run()V 13       class, method with its descriptor, offset
//! com.acme.Producer run 13          the only method of that name
//! com.acme.Producer 2 13            the third method of the class file
//! Producer.java:13                  a line of a source file
//! com/acme/Producer.java:13         the same, where several packages have such a file
//! ```
//!
//! Offsets are the numbers that `javap -c` prints. A line means the first
//! bytecode that was compiled from it, and with `in` the call on it that blocks;
//! a line that means several places is refused by [`check`]. To turn lines into
//! the other form, [`resolve`] needs the program.
//!
//! Three places of the JDK can be named, because a thread of a pool may be nowhere
//! else. They are the same in every release:
//!
//! ```text
//! in java.util.concurrent.locks.LockSupport park 0 1      it is parked
//! in java.lang.Object wait 0 1                            it waits
//! before java.lang.Thread exit 0 1                        it is at its end
//! ```
//!
//! A blank, a `#` and a control character in a name are written as `\u{20}`, with
//! the number of the character.
//!
//! # Threads
//!
//! ```text
//! 0         main
//! 3         the third thread that was created
//! 0.2.1     the first child of main's second child
//! none      nobody, where all are blocked
//! ```
//!
//! A schedule uses numbers or descents, not both.
//!
//! # Actions
//!
//! ```text
//! switch T       the running thread stops, and T goes on
//! die T          the running thread ends, and then T goes on
//! notify T       T, which waits, has been notified
//! timeout T      the time of T, which is blocked, has run out
//! terminate      all threads go on, and the schedule has no more say
//! log N TEXT     prints TEXT if N, from 1 to 4, is at most what was asked for
//! ```
//!
//! `notify` and `timeout` matter only where a thread is interrupted as well: it
//! then depends on them whether the thread throws an exception or sets a flag. Where a
//! time runs out, it really passes: the program may look at a clock.
//! Actions behind a `switch` or `die` are performed by the thread that goes on,
//! before it goes on.
//!
//! # Loops
//!
//! ```text
//! loopbegin
//!   …
//! loopend 5       or inf
//! ```
//!
//! The commands between them are performed five times, or for ever. Loops may
//! stand in loops.
//!
//! # Messages
//!
//! The format above runs one thread at a time. The other lets threads run in
//! parallel and only says who waits for whom. Each thread has its own commands:
//!
//! ```text
//! thread 0
//!   before Main main([Ljava/lang/String;)V 20 1
//!   send 1 7              # goes on
//!
//! thread 1
//!   before Adder run()V 5 1
//!   receive 0 7           # waits until main has sent it
//! ```
//!
//! `send T N` sends the number N to T and goes on; `receive T N` waits until T has
//! sent N, and takes it: sent twice, it can be received twice. `switch` is not
//! there, and `die` names nobody; what follows `die` is done when the thread has
//! ended. A thread that receives from itself stays where it is for ever. Threads
//! that are not mentioned are not held back. All else is the same, but counts are
//! those of the thread: from its own last event on.
//!
//! A text that begins with `thread` is in this format. [`Schedule::to_messages`]
//! and [`Schedule::to_switches`] convert; comments do not survive that.
//!
//! # What is not in the paper
//!
//! Methods by name, source lines, places of the JDK, escapes, threads by descent, and `thread`, since
//! the paper does not show how the sequences of threads are told apart. In the
//! paper's own text, methods are numbers, and such a text means the same here.
//!
//! # In code
//!
//! ```
//! use reprise_schedule::{Schedule, check, parse};
//!
//! let schedule = parse("before Main.java:8 1\nswitch 1\n")?;
//! assert!(check(&schedule, None).is_empty());
//! let messages = Schedule::from(schedule.to_messages()?);
//! assert_eq!(
//!     messages.to_string(),
//!     "\
//! thread 0
//!   before Main.java:8 1
//!   send 1 1
//!   receive 0 0
//!
//! thread 1
//!   receive 0 1
//! "
//! );
//! assert_eq!(messages.to_switches()?.to_string(), schedule.to_string());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | module |
//! | --- | --- |
//! | what is a schedule, as values? | `command`, `location`, `thread`, `name` |
//! | how is it read and written? | `parse`, `print` |
//! | how do the formats become each other? | `convert`, and [`order`] for few switches |
//! | does it make sense, for this program? | `check`, `program` |
//! | how does a trace become one? | `trace` |
//! | how does what threads did in parallel become one? | [`observed`] |
//! | how is a failing one made shorter? | [`minimize`] |
//! | what does it say, as a story? | [`explain`] |
//! | how long may anything be? | [`limits`] |
//!
//! Pure: text and values, nothing else.
#![deny(
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(test, allow(clippy::panic, clippy::unwrap_used))]

pub mod explain;
pub mod limits;
pub mod minimize;
pub mod observed;
pub mod order;

mod check;
mod command;
mod convert;
mod location;
mod name;
mod nearest;
mod parse;
mod print;
mod program;
mod thread;
pub mod trace;

pub use check::{Finding, NoPlace, Severity, What, check, resolve, resolve_event};
pub use command::{
    Command, Count, Event, Log, Loop, Message, MessageAction, Messages, Moment, Schedule,
    SwitchAction, Switches, Times,
};
pub use convert::{ConvertError, Waits};
pub use location::{CodeLocation, Descriptor, JdkPlace, Location, Method, SourceLine};
pub use name::{Name, NameError};
pub use parse::{
    Keyword, ParseError, ParseErrors, Parsed, Position, Problem, parse, parse_bytes, parse_lines,
};
pub use print::write_commands;
pub use program::{Blocks, Bytecode, ClassFacts, MethodFacts, Program};
pub use thread::{Target, ThreadError, ThreadId};
pub use trace::{FromTrace, TraceError, TraceProblem, schedule_from_trace};
