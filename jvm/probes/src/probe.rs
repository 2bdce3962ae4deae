//! What the inserted code calls: the static methods of `java.reprise.Probe`,
//! whose sources are in `jvm/runtime`.
//!
//! The thread's recorder is looked up once per call of an inside method and
//! kept in a local; so is the token that `enter` returns, which says how deep
//! in crossings this call is and whether it came from outside.
//!
//! ```text
//! R = java.reprise.Recorder, T = a scalar or Object
//!
//! entry      R recorder()                int enter(R, method)    … enterBare, no arguments
//!            int enter(Object, R, method)                        … enterBare, with `this`
//!            int enterBare(Object, U, R, method)                 with the only argument
//! arguments  argument(T, R)              last(T, R)              of the event that was begun
//! exit       returns(T, R, token)        returns(R, token)       constructed(Object, Class, R, token)
//!            caught(Throwable, R, token)                         at every handler
//!            thrown(Throwable, R, token)                         when it leaves the method
//!            thrownNew(Throwable, R, token, chain)               when it leaves a constructor
//!            chains(R, token, chain)     int chained(R)          from one constructor to the next
//! call       call(Object, R, site)       callBare                by the receiver's class, or the superclass
//!            callOn(Object, Object, R, site)                     by that and the first argument
//!            callOut(R, site)            callOutBare             certainly out: static, constructors
//!            call(Object, U, R, site)    callOut(U, R, site)     with the only argument, U = int or Object
//!            returned(T, R)              returned(R)
//!            callSuperInit(R, site, String, caller)  …Bare       super() of an outside class
//!            superReturned(Object, R)    superReturned(R)
//!            boolean lend(R, site)       lendBare                a method that counts as outside
//!            lent(T, R, boolean)         lent(R, boolean)
//!            function(Object)                                    a lambda was made
//!            refersOutside(Object)                               a reference to an outside method
//!            refers(Object, Class, site)                         or to one that may be inherited
//!            refersByCaptured(Object, site)  refersByFirst       or to one that a receiver has
//!            captured(Object, R)                                 by a lambda that is being made
//!            made(Object, R, int, int)                            in a constructor, for its finalizer
//! arrays     holds(Object)   keeps(Object)   keepsAny(Object)    both sides have it from now on
//!            crossesHeld(Object, R, token)
//!            element(A, int)             wrote(Object, int)      of an array; A is its type
//!            elements(Object)            wrote(Object)           all of it
//! fields     reads(Object, R, site)      last(T, R)
//!            readStatic(T, R, site)
//!            writes(Object, R, site)     last(T, R)
//!            writeStatic(T, R, site)
//! touch      touch(R, site)              touched(R)
//!            touchStatic(R, site)                                unless it is one of the inside
//!            int begins(site)            ends(int)               the initialiser of an outside class
//! copies     copied(Object, Object)                              by Object.clone
//! order      acquired(Object, R)                                 a monitor is entered
//!            waits(Object, R)            waited(R)               Object.wait
//!            shares(Object, R, stripe)   shares(R, stripe)       before a volatile field
//!            shared(R)                                           and after it
//!            sharesStatic(R, site)                               a static field of another class
//!            settled(R)                  settled(Object, R)      after what may have been one
//!            readsElement(Object, int, R)                        before an element, where threads race
//!            writesElement(Object, int, R)
//!            wroteElement(Object, int, R)                        and after it
//!            sharesArrays(Object, Object, R)  sharedArrays       around what moves elements
//!            handle(Object, R, site)     handleBare              by a VarHandle or field updater
//!            handleOn(Object, Object, R, site)                   with what it is given first
//!            madeHandle(Object, Class, String)  madeHandle(Object)
//!            memory(Object, Object, long, R, site)               by Unsafe, in an object
//!            madeOffset(long, Object)                            where a Field is
//!            compares(Object, Object, R)                         before ==
//! in         inWrite(Object, T, site)    inWriteStatic(T, site)
//!            fieldSet(Object, Object, site)                      Field.set and its like
//!            fieldGot(Object, Object, Object, site)              Field.get
//!            reaches(Object, Object)     reaches(Object)         a handle that can write
//! loaders    boolean isOwn(String)       Class own(String)       asked for the runtime
//!            boolean asked(String, site) answered()              the same of an inside one
//!            asks(R)                     hasAsked(R)             by inside code
//! ```

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use crate::ProbeError;

/// The class whose methods the inserted code calls.
pub(crate) const PROBE: &str = "java/reprise/Probe";
/// The type of a thread's recorder, as a descriptor.
pub(crate) const RECORDER: &str = "Ljava/reprise/Recorder;";
/// The same as a type.
pub(crate) const RECORDER_TYPE: FieldType<'static> =
    FieldType::Object(Utf8(b"java/reprise/Recorder"));
/// The type of anything.
pub(crate) const OBJECT_TYPE: FieldType<'static> = FieldType::Object(Utf8(b"java/lang/Object"));

/// The descriptor of the runtime's parameter for a value of that type.
pub(crate) fn parameter(ty: FieldType<'_>) -> &'static str {
    match ty {
        FieldType::Boolean => "Z",
        FieldType::Byte => "B",
        FieldType::Char => "C",
        FieldType::Short => "S",
        FieldType::Int => "I",
        FieldType::Long => "J",
        FieldType::Float => "F",
        FieldType::Double => "D",
        FieldType::Object(_) | FieldType::Array(_) => "Ljava/lang/Object;",
    }
}

/// Whether a value of that type, when it is the only one, is handed over with the
/// call that begins the event: most events have one at the most.
pub(crate) fn goes_along(ty: FieldType<'_>) -> bool {
    matches!(parameter(ty), "I" | "Ljava/lang/Object;")
}

/// A call of the runtime; its arguments are on the stack.
pub(crate) fn call(
    code: &mut Snippet,
    name: &str,
    descriptor: &str,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    code.invoke(Invoke::Static, PROBE, name, descriptor, pool)?;
    Ok(())
}

/// `dup` or `dup2` of a value of that type.
pub(crate) fn duplicate(code: &mut Snippet, ty: FieldType<'_>) -> Result<(), ProbeError> {
    code.op(if ty.slots() == 2 {
        opcode::DUP2
    } else {
        opcode::DUP
    })?;
    Ok(())
}

/// A number of the tables.
pub(crate) fn push_id(
    code: &mut Snippet,
    id: u32,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    code.push_int(id.cast_signed(), pool)?;
    Ok(())
}
