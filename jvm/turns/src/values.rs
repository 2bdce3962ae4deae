//! What a program reads that is another value in every run: the time, random numbers,
//! identity hashes. The value is handed to the scheduler, which notes it, or gives another
//! one instead: that of the run that is replayed.

use reprise_classfile::read::{ClassFile, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{Invoke, PoolEditor, Snippet};

use crate::TurnError;
use crate::calls::calls;

const VALUES: &str = "java/reprise/scheduler/Values";

/// Sends such values of a method to the scheduler; whether there are any.
pub(crate) fn watch<'c>(
    class: &'c ClassFile<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
) -> Result<bool, TurnError> {
    let mut any = false;
    for (instruction, member) in calls(class, editor)? {
        let mut code = Snippet::new();
        if let Some(name) = made_of(&member) {
            // With what is passed it does what it does without.
            code.invoke(Invoke::Static, VALUES, name, "()J", pool)?;
            let owner = member.class.to_str_lossy();
            code.invoke(Invoke::Special, &owner, "<init>", "(J)V", pool)?;
            editor.replace(instruction.offset, code)?;
            any = true;
        } else if let Some(ty) = read(&member) {
            code.invoke(Invoke::Static, VALUES, "seen", &format!("({ty}){ty}"), pool)?;
            editor.after(instruction.offset, code)?;
            any = true;
        }
    }
    Ok(any)
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
        | ("java/lang/Object", "hashCode") => plain,
        ("java/util/concurrent/ThreadLocalRandom" | "java/security/SecureRandom", name) => {
            plain && name.starts_with("next")
        }
        ("java/util/UUID", "randomUUID") => ty == "Ljava/util/UUID;",
        ("java/time/Instant", "now") => ty == "Ljava/time/Instant;",
        _ => false,
    };
    found.then(|| ty.to_owned())
}

fn words<'m>(
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
