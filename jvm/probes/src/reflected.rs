//! Ways in other than a call or a field instruction, in outside classes and, as far
//! as reflection goes, in inside ones: the JDK does it for them.
//!
//! `Field.set` and its like write to inside fields as any `putfield` does, and
//! are recorded as that. Handles and offsets are another matter: what writes
//! through them names no field, so it is said when one is made that a field can
//! be written unseen.
//!
//! ```text
//! field, object, value    keep field and object in locals
//! invokevirtual Field.set
//!                         Probe.fieldSet(field, object, site)
//!
//! field, object           keep field and object in locals
//! invokevirtual Field.get
//! value                   dup, Probe.fieldGot(value, field, object, site)
//!
//! lookup, class, name, …  Probe.reaches(class, name)    or reaches(field)
//! invokevirtual findVarHandle
//! ```

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{PoolEditor, Snippet};

use crate::ProbeError;
use crate::probe::{OBJECT_TYPE, call, push_id};

const FIELD: &str = "java/lang/reflect/Field";

/// What a call in an outside class can do to inside fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It writes to one.
    Writes,
    /// It reads one, and may find an object that nothing has mentioned yet.
    Reads,
    /// It makes something that can, from a class and a name at these positions.
    Names(usize, usize),
    /// The same from a `Field`.
    Field,
}

/// What an instruction reaches; none for all but a few calls.
pub(crate) fn reach(instruction: &Instruction<'_>, member: &MemberRef<'_>) -> Option<Reach> {
    let calls = matches!(
        instruction.opcode,
        opcode::INVOKEVIRTUAL | opcode::INVOKESTATIC
    );
    calls.then(|| reaches(member)).flatten()
}

/// What a method reaches.
pub(crate) fn reaches(member: &MemberRef<'_>) -> Option<Reach> {
    let (class, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    match (&*class, &*name) {
        (FIELD, name) if name.starts_with("set") && name != "setAccessible" => Some(Reach::Writes),
        (FIELD, "get") => Some(Reach::Reads),
        (
            "java/lang/invoke/MethodHandles$Lookup",
            "findSetter" | "findStaticSetter" | "findVarHandle" | "findStaticVarHandle",
        ) => Some(Reach::Names(0, 1)),
        ("java/lang/invoke/MethodHandles$Lookup", "unreflectSetter" | "unreflectVarHandle")
        | ("sun/misc/Unsafe", "objectFieldOffset" | "staticFieldOffset") => Some(Reach::Field),
        (
            "java/util/concurrent/atomic/AtomicIntegerFieldUpdater"
            | "java/util/concurrent/atomic/AtomicLongFieldUpdater",
            "newUpdater",
        ) => Some(Reach::Names(0, 1)),
        ("java/util/concurrent/atomic/AtomicReferenceFieldUpdater", "newUpdater") => {
            Some(Reach::Names(0, 2))
        }
        _ => None,
    }
}

/// A `Field` in a local has been used on an object in another; what it was used
/// for is on the stack if it was read.
pub(crate) fn used(
    after: &mut Snippet,
    reach: Reach,
    [field, object]: [u16; 2],
    site: u32,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    let (name, value) = match reach {
        Reach::Reads => ("fieldGot", "Ljava/lang/Object;"),
        _ => ("fieldSet", ""),
    };
    if reach == Reach::Reads {
        after.op(opcode::DUP)?;
    }
    after.load(OBJECT_TYPE, field)?;
    after.load(OBJECT_TYPE, object)?;
    push_id(after, site, pool)?;
    let descriptor = format!("({value}Ljava/lang/Object;Ljava/lang/Object;I)V");
    call(after, name, &descriptor, pool)
}

/// Puts the probes around a call that reaches inside fields.
pub(crate) fn instrument<'c>(
    editor: &mut Editor<'c>,
    instruction: &Instruction<'c>,
    member: &MemberRef<'c>,
    reach: Reach,
    site: u32,
    pool: &mut PoolEditor<'c>,
) -> Result<(), ProbeError> {
    let parameters = MethodDescriptor::parse(member.descriptor)?.parameters;
    let mut slots = Vec::with_capacity(parameters.len());
    for ty in &parameters {
        slots.push(editor.new_local(*ty)?);
    }
    let arguments: Vec<(FieldType<'_>, u16)> = parameters.into_iter().zip(slots).collect();
    let mut before = Snippet::new();
    for (ty, slot) in arguments.iter().rev() {
        before.store(*ty, *slot)?;
    }
    let argument = |at: usize| arguments.get(at).map_or(0, |(_, slot)| *slot);
    match reach {
        Reach::Writes | Reach::Reads => {
            let field = editor.new_local(OBJECT_TYPE)?;
            before.op(opcode::DUP)?;
            before.store(OBJECT_TYPE, field)?;
            let mut after = Snippet::new();
            used(&mut after, reach, [field, argument(0)], site, pool)?;
            editor.after(instruction.offset, after)?;
        }
        Reach::Names(class, name) => {
            before.load(OBJECT_TYPE, argument(class))?;
            before.load(OBJECT_TYPE, argument(name))?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)V";
            call(&mut before, "reaches", descriptor, pool)?;
        }
        Reach::Field => {
            before.load(OBJECT_TYPE, argument(0))?;
            call(&mut before, "reaches", "(Ljava/lang/Object;)V", pool)?;
        }
    }
    for (ty, slot) in &arguments {
        before.load(*ty, *slot)?;
    }
    editor.before(instruction.offset, before)?;
    Ok(())
}
