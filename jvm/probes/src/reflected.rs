//! Ways in other than a call or a field instruction, in outside classes.
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
        Reach::Writes => {
            let field = editor.new_local(OBJECT_TYPE)?;
            before.op(opcode::DUP)?;
            before.store(OBJECT_TYPE, field)?;
            let mut after = Snippet::new();
            after.load(OBJECT_TYPE, field)?;
            after.load(OBJECT_TYPE, argument(0))?;
            push_id(&mut after, site, pool)?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;I)V";
            call(&mut after, "fieldSet", descriptor, pool)?;
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
