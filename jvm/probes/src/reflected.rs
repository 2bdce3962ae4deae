//! Ways in other than a call or a field instruction, in outside classes and, as far
//! as reflection goes, in inside ones: the JDK does it for them.
//!
//! `Field.set` and its like write to inside fields as any `putfield` does, and
//! are recorded as that. So do `VarHandle`s and field updaters, which the inside may
//! have handed to a class that knows nothing of it: the runtime knows which field
//! each is for, whichever side has made it. What else writes through handles and
//! offsets is not seen, so it is said when one is made that a field can be written
//! unseen.
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
//! invokevirtual findSetter
//!
//! lookup, class, name, …  keep class and name in locals
//! invokevirtual findVarHandle
//! handle                  dup, Probe.reachesBy(handle, class, name)
//!
//! handle, object, …       keep handle and object in locals
//! invokevirtual VarHandle.set
//!                         Probe.handleSet(handle, object, site)
//! ```

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{PoolEditor, Snippet};

use crate::ProbeError;
use crate::handles::{self, Makes};
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
    /// It makes a handle, of which it is seen what it does.
    Makes(usize, usize),
    /// It uses a handle.
    Uses(Use),
    /// The same from a `Field`.
    Field,
}

/// What a call does by a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Gets,
    Sets,
    /// It says whether it has set it.
    Swaps,
}

/// What an instruction reaches; none for all but a few calls.
pub(crate) fn reach(instruction: &Instruction<'_>, member: &MemberRef<'_>) -> Option<Reach> {
    let calls = matches!(
        instruction.opcode,
        opcode::INVOKEVIRTUAL | opcode::INVOKESTATIC
    );
    calls.then(|| reaches(member)).flatten()
}

/// What a call does by a handle; none where nobody can tell the difference.
fn uses(member: &MemberRef<'_>) -> Option<Use> {
    if !handles::uses(member) && !handles::uses_by_function(member) {
        return None;
    }
    let (name, descriptor) = (member.name.to_str_lossy(), member.descriptor.to_str_lossy());
    if name.starts_with("get") && !name.starts_with("getAnd") {
        // A scalar that was read is nothing new.
        return descriptor.ends_with(';').then_some(Use::Gets);
    }
    let says = descriptor.ends_with('Z') && name.to_lowercase().contains("compareandset");
    Some(if says { Use::Swaps } else { Use::Sets })
}

/// What a method reaches.
pub(crate) fn reaches(member: &MemberRef<'_>) -> Option<Reach> {
    let (class, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    match (&*class, &*name) {
        (FIELD, name) if name.starts_with("set") && name != "setAccessible" => Some(Reach::Writes),
        (FIELD, "get") => Some(Reach::Reads),
        ("java/lang/invoke/MethodHandles$Lookup", "findSetter" | "findStaticSetter") => {
            Some(Reach::Names(0, 1))
        }
        ("java/lang/invoke/MethodHandles$Lookup", "unreflectSetter" | "unreflectVarHandle")
        | ("sun/misc/Unsafe", "objectFieldOffset" | "staticFieldOffset") => Some(Reach::Field),
        _ => match handles::makes(member) {
            Some(Makes::Field(class, name)) => Some(Reach::Makes(class, name)),
            Some(Makes::Elements) => None,
            None => uses(member).map(Reach::Uses),
        },
    }
}

/// A `Field` or handle in a local has been used, on an object in another if there is
/// one; what it was used for is on the stack if it was read.
pub(crate) fn used(
    after: &mut Snippet,
    reach: Reach,
    by: u16,
    object: Option<u16>,
    site: u32,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    let (name, value) = match reach {
        Reach::Reads => ("fieldGot", "Ljava/lang/Object;"),
        Reach::Uses(Use::Gets) => ("handleGot", "Ljava/lang/Object;"),
        Reach::Uses(Use::Swaps) => ("handleSwapped", "Z"),
        Reach::Uses(Use::Sets) => ("handleSet", ""),
        _ => ("fieldSet", ""),
    };
    if !value.is_empty() {
        after.op(opcode::DUP)?;
    }
    after.load(OBJECT_TYPE, by)?;
    match object {
        Some(object) => after.load(OBJECT_TYPE, object)?,
        None => after.op(opcode::ACONST_NULL)?,
    };
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
        Reach::Writes | Reach::Reads | Reach::Uses(_) => {
            let by = editor.new_local(OBJECT_TYPE)?;
            before.op(opcode::DUP)?;
            before.store(OBJECT_TYPE, by)?;
            let first = arguments.first().filter(|(ty, _)| ty.is_reference());
            let object = first.map(|(_, slot)| *slot);
            let mut after = Snippet::new();
            used(&mut after, reach, by, object, site, pool)?;
            editor.after(instruction.offset, after)?;
        }
        Reach::Names(class, name) => {
            before.load(OBJECT_TYPE, argument(class))?;
            before.load(OBJECT_TYPE, argument(name))?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)V";
            call(&mut before, "reaches", descriptor, pool)?;
        }
        Reach::Makes(class, name) => {
            let mut after = Snippet::new();
            after.op(opcode::DUP)?;
            after.load(OBJECT_TYPE, argument(class))?;
            after.load(OBJECT_TYPE, argument(name))?;
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)V";
            call(&mut after, "reachesBy", descriptor, pool)?;
            editor.after(instruction.offset, after)?;
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
