//! Handles by which the inside uses its own fields and arrays: `VarHandle`s, field
//! updaters, and `Unsafe` with the offset of a field.
//!
//! What such a handle does happens to an inside field, so it is no crossing: it
//! runs for real on both sides, in the recorded order. The runtime knows the
//! handles that the inside has made for its own; calls of others are outcalls.
//! What takes a function is an outcall, too: the function may use the field.

use reprise_classfile::read::MemberRef;

const VAR_HANDLE: &str = "java/lang/invoke/VarHandle";
const UPDATERS: [&str; 3] = [
    "java/util/concurrent/atomic/AtomicIntegerFieldUpdater",
    "java/util/concurrent/atomic/AtomicLongFieldUpdater",
    "java/util/concurrent/atomic/AtomicReferenceFieldUpdater",
];
/// What uses the field without a function.
const UPDATES: [&str; 15] = [
    "addAndGet",
    "compareAndSet",
    "decrementAndGet",
    "get",
    "getAndAdd",
    "getAndDecrement",
    "getAndIncrement",
    "getAndSet",
    "incrementAndGet",
    "lazySet",
    "set",
    "weakCompareAndSet",
    "weakCompareAndSetAcquire",
    "weakCompareAndSetPlain",
    "weakCompareAndSetRelease",
];

/// Whether a call uses what a handle is for.
pub(crate) fn uses(member: &MemberRef<'_>) -> bool {
    let (owner, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    if owner == VAR_HANDLE {
        // As the modes of access are called.
        return ["get", "set", "compareAnd", "weakCompareAndSet"]
            .iter()
            .any(|start| name.starts_with(start));
    }
    UPDATERS.contains(&owner.as_ref()) && UPDATES.contains(&name.as_ref())
}

/// What uses the field, and a function on it.
const FUNCTIONS: [&str; 4] = [
    "accumulateAndGet",
    "getAndAccumulate",
    "getAndUpdate",
    "updateAndGet",
];

/// Whether a call uses what a handle is for, by a function.
pub(crate) fn uses_by_function(member: &MemberRef<'_>) -> bool {
    let (owner, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    UPDATERS.contains(&owner.as_ref()) && FUNCTIONS.contains(&name.as_ref())
}

const UNSAFE: &str = "sun/misc/Unsafe";

/// What a call does to memory within an object, which is its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    Reads,
    Writes,
}

/// Whether a call uses memory within an object, at the offset that is its second
/// argument.
pub(crate) fn uses_memory(member: &MemberRef<'_>) -> Option<Memory> {
    let (name, descriptor) = (member.name.to_str_lossy(), member.descriptor.to_str_lossy());
    if member.class != UNSAFE || !descriptor.starts_with("(Ljava/lang/Object;J") {
        return None;
    }
    let known = ["put", "get", "compareAnd"];
    known
        .iter()
        .any(|start| name.starts_with(start))
        .then(|| access(member))
}

/// What a call of such a name does.
pub(crate) fn access(member: &MemberRef<'_>) -> Memory {
    let name = member.name.to_str_lossy();
    if name.starts_with("get") && !name.starts_with("getAnd") {
        Memory::Reads
    } else {
        Memory::Writes
    }
}

/// Whether a call says where in its objects a field is.
pub(crate) fn makes_offset(member: &MemberRef<'_>) -> bool {
    member.class == UNSAFE
        && member.name == "objectFieldOffset"
        && member.descriptor == "(Ljava/lang/reflect/Field;)J"
}

/// What a call that makes a handle has as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Makes {
    /// At these places the class and the name of the field.
    Field(usize, usize),
    /// The class of arrays.
    Elements,
}

/// Whether a call makes a handle.
pub(crate) fn makes(member: &MemberRef<'_>) -> Option<Makes> {
    let (owner, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    match (owner.as_ref(), name.as_ref()) {
        ("java/lang/invoke/MethodHandles$Lookup", "findVarHandle" | "findStaticVarHandle") => {
            Some(Makes::Field(0, 1))
        }
        ("java/lang/invoke/MethodHandles", "arrayElementVarHandle") => Some(Makes::Elements),
        (owner, "newUpdater") if UPDATERS.contains(&owner) => {
            let references = owner.ends_with("AtomicReferenceFieldUpdater");
            Some(Makes::Field(0, if references { 2 } else { 1 }))
        }
        _ => None,
    }
}
