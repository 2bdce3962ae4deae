//! What a program reads that is another value in every run: the time, random numbers,
//! identity hashes; [`references`] has what weak references have lost. The value is handed to the scheduler, which notes it, or gives another
//! one instead: that of the run that is replayed.
//!
//! Some classes of the JDK read such values for the program:
//!
//! | class | what |
//! | --- | --- |
//! | `Random()`, `Date`, calendars, `java.time.Clock` | the time that they begin with, or tell |
//! | `SecureRandom` | its bytes, and with them `UUID.randomUUID` and names of temporary files |
//! | `java.util.concurrent`, `Timer` | the time, to see whether a wait has run out |
//! | hash tables and their like, `Objects`, `Object.toString` | objects whose hash they ask for |

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use crate::TurnError;
use crate::calls::calls;
use crate::references;

const VALUES: &str = "java/reprise/scheduler/Values";
const HASHES: &str = "java/reprise/scheduler/Hashes";

/// Classes of the JDK that ask objects for their hashes.
const HASHING: &[&str] = &[
    "java/lang/Enum",
    "java/lang/Object",
    "java/lang/invoke/MethodType",
    "java/util/AbstractList",
    "java/util/AbstractMap$SimpleEntry",
    "java/util/AbstractMap$SimpleImmutableEntry",
    "java/util/AbstractSet",
    "java/util/Arrays",
    "java/util/HashMap",
    "java/util/Hashtable",
    "java/util/IdentityHashMap",
    "java/util/ImmutableCollections$ListN",
    "java/util/ImmutableCollections$Map1",
    "java/util/ImmutableCollections$MapN",
    "java/util/ImmutableCollections$Set12",
    "java/util/ImmutableCollections$SetN",
    "java/util/KeyValueHolder",
    "java/util/Objects",
    "java/util/WeakHashMap",
];

/// Those that read the time or chance for the program.
const READING: &[&str] = &[
    "java/security/SecureRandom",
    "java/time/Clock",
    "java/time/Clock$SystemClock",
    "java/time/Clock$SystemInstantSource",
    "java/util/Calendar",
    "java/util/Date",
    "java/util/GregorianCalendar",
    "java/util/Random",
];

/// Whether a class of the JDK lets threads wait for a time.
fn waits(name: &str) -> bool {
    name.starts_with("java/util/concurrent/") || name.starts_with("java/util/Timer")
}

/// Whether a class of the JDK reads such values for the program.
pub(crate) fn concerns(name: &str) -> bool {
    HASHING.contains(&name) || READING.contains(&name) || waits(name) || references::concerns(name)
}

/// Sends such values of a method of the program to the scheduler; whether there are any.
pub(crate) fn watch<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let mut any = hashes(class, editor, pool)?;
    for (instruction, member) in calls(class, editor)? {
        let mut code = Snippet::new();
        if let Some(name) = made_of(&member) {
            // With what is passed it does what it does without.
            code.invoke(Invoke::Static, VALUES, name, "()J", pool)?;
            let owner = member.class.to_str_lossy();
            code.invoke(Invoke::Special, &owner, "<init>", "(J)V", pool)?;
            editor.replace(instruction.offset, code)?;
            any = true;
        } else if references::watch(&instruction, &member, editor, pool)? {
            any = true;
        } else if asks_clock(&member) {
            code.invoke(Invoke::Static, VALUES, "asks", "()V", pool)?;
            editor.before(instruction.offset, code)?;
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, VALUES, "asked", "()V", pool)?;
            editor.after(instruction.offset, code)?;
            any = true;
        } else if let Some(ty) = read(&member) {
            code.invoke(Invoke::Static, VALUES, "seen", &format!("({ty}){ty}"), pool)?;
            editor.after(instruction.offset, code)?;
            any = true;
        }
    }
    Ok(any)
}

/// The same for a method of the JDK.
pub(crate) fn watch_platform<'c>(
    class: &'c ClassFile<'c>,
    (method, descriptor): (&str, &str),
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let own = class.name()?.to_str_lossy();
    let mut any = references::watch_platform(class, (method, descriptor), editor, pool)?;
    let concurrent = waits(&own);
    if concurrent || HASHING.contains(&&*own) {
        any |= hashes(class, editor, pool)?;
    }
    if !concurrent && !READING.contains(&&*own) {
        return Ok(any);
    }
    let mut instant = false;
    for (instruction, member) in calls(class, editor)? {
        let (owner, name, descriptor) = words(&member);
        let mut code = Snippet::new();
        match (&*owner, &*name) {
            ("java/lang/System", "nanoTime" | "currentTimeMillis") if own != "java/util/Random" => {
                let name = match concurrent {
                    true if name == "nanoTime" => "time",
                    true => "date",
                    false => "clock",
                };
                code.invoke(Invoke::Static, VALUES, name, "(J)J", pool)?;
                editor.after(instruction.offset, code)?;
                any = true;
            }
            ("jdk/internal/misc/VM", "getNanoTimeAdjustment") => instant = true,
            // What it is made of, the time included.
            ("java/util/Random", "<init>")
                if own == "java/util/Random" && method == "<init>" && descriptor == "(J)V" =>
            {
                code.invoke(Invoke::Static, VALUES, "seed", "(J)J", pool)?;
                editor.before(instruction.offset, code)?;
                any = true;
            }
            _ => {}
        }
    }
    if instant {
        let mut code = Snippet::new();
        let descriptor = "(Ljava/time/Instant;)Ljava/time/Instant;";
        code.invoke(Invoke::Static, VALUES, "seen", descriptor, pool)?;
        editor.before_returns(&code)?;
        any = true;
    }
    if own == "java/security/SecureRandom" && method == "nextBytes" {
        let mut code = Snippet::new();
        code.op(opcode::ALOAD_1)?;
        code.invoke(Invoke::Static, VALUES, "seen", "([B)V", pool)?;
        editor.before_returns(&code)?;
        any = true;
    }
    Ok(any)
}

/// Tells the scheduler of objects that are asked for their hashes.
fn hashes<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let mut any = false;
    let instructions: Vec<Instruction<'_>> = editor.instructions().to_vec();
    for instruction in instructions {
        let calls = (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&instruction.opcode);
        let Some(index) = instruction.constant().filter(|_| calls) else {
            continue;
        };
        let (owner, name, descriptor) = words(&class.pool.member(index)?);
        let asks = match instruction.opcode {
            opcode::INVOKESTATIC => owner == "java/lang/System" && name == "identityHashCode",
            _ => name == "hashCode" && descriptor == "()I" && owner != "java/lang/String",
        };
        if asks {
            let mut code = Snippet::new();
            code.op(opcode::DUP)?;
            let descriptor = "(Ljava/lang/Object;)V";
            code.invoke(Invoke::Static, HASHES, "reads", descriptor, pool)?;
            editor.before(instruction.offset, code)?;
            any = true;
        }
    }
    Ok(any)
}

/// Whether a call asks one of the JDK's clocks and calendars.
fn asks_clock(member: &MemberRef<'_>) -> bool {
    let (owner, name, _) = words(member);
    match &*owner {
        "java/util/Calendar" => name == "getInstance",
        "java/time/Clock" => matches!(&*name, "instant" | "millis"),
        _ => owner.starts_with("java/time/") && name == "now",
    }
}

/// The method that gives what an object could be made of, instead of the time or chance.
fn made_of(member: &MemberRef<'_>) -> Option<&'static str> {
    let (owner, name, descriptor) = words(member);
    match (&*owner, &*name, &*descriptor) {
        ("java/util/Random" | "java/util/SplittableRandom", "<init>", "()V") => Some("seed"),
        ("java/util/Date", "<init>", "()V") => Some("millis"),
        _ => None,
    }
}

/// The type of what a call reads, if it is another value in every run.
fn read(member: &MemberRef<'_>) -> Option<String> {
    let (owner, name, descriptor) = words(member);
    let ty = descriptor.rsplit(')').next()?;
    let plain = matches!(ty, "I" | "J" | "D" | "Z");
    let found = match (&*owner, &*name) {
        ("java/lang/System", "currentTimeMillis" | "nanoTime" | "identityHashCode")
        | ("java/lang/Math", "random")
        | ("java/lang/Thread", "getId" | "threadId")
        | ("java/lang/Process" | "java/lang/ProcessHandle", "pid")
        | (
            "java/lang/Runtime",
            "availableProcessors" | "freeMemory" | "maxMemory" | "totalMemory",
        ) => plain,
        // Of whatever class below `Reference`: whether it has lost what it refers to.
        (_, "refersTo") => descriptor == "(Ljava/lang/Object;)Z",
        (_, "isEnqueued") => descriptor == "()Z",
        ("java/util/concurrent/ThreadLocalRandom", name) => plain && name.starts_with("next"),
        _ => false,
    };
    found.then(|| ty.to_owned())
}

pub(crate) fn words<'m>(
    member: &MemberRef<'m>,
) -> (
    std::borrow::Cow<'m, str>,
    std::borrow::Cow<'m, str>,
    std::borrow::Cow<'m, str>,
) {
    (
        member.class.to_str_lossy(),
        member.name.to_str_lossy(),
        member.descriptor.to_str_lossy(),
    )
}
