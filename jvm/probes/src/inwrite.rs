//! Writes to inside fields by outside classes, and what outside classes find in
//! them: an inside object that was never mentioned gets its number there, in an
//! event that says the same as if what is in the field had been written again.
//!
//! Looked for in the classes of the application only. A field that a class
//! neither declares itself nor has from the JDK may be an inside one, whatever
//! the constant pool says: javac writes `this.count` with the subclass as owner.
//! Who declares it is found out when it is written for the first time.
//!
//! What the outside finds in an array of inside objects is looked at, too, where
//! the type of the array says that there are such objects in it.

use std::collections::BTreeSet;

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::flow::{Type, walk};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{
    ClassFile, Constant, Instruction, LineNumberTable, Member, MemberRef,
};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, PoolEditor, Snippet};

use crate::calls::HAS_CLASS_CONSTANTS;
use crate::catalog::{Catalog, Site};
use crate::pattern::{Patterns, is_platform};
use crate::probe::{call, duplicate, parameter, push_id};
use crate::{ProbeError, Skipped, copies, initialiser, reflected};

/// Whether the class could write to a field of an inside class.
pub(crate) fn mentions_inside_field(
    class: &ClassFile<'_>,
    patterns: &Patterns,
    catalog: &dyn Catalog,
) -> Result<bool, ProbeError> {
    for index in class.pool.indexes() {
        let found = match class.pool.get(index)? {
            Constant::FieldRef { .. } => {
                may_be_inside(class, &class.pool.member(index)?, patterns, catalog)?
            }
            Constant::MethodRef { .. } => reflected::reaches(&class.pool.member(index)?).is_some(),
            Constant::Utf8(text) => names_inside_array(&text.to_str_lossy(), patterns),
            _ => false,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a text may be the type of an array of inside objects, or have it.
fn names_inside_array(text: &str, patterns: &Patterns) -> bool {
    let mut arrays = text.split("[L").skip(1);
    arrays.any(|rest| {
        let class = rest.split_once(';').map(|(class, _)| class);
        class.is_some_and(|class| patterns.is_inside(class))
    })
}

/// The instructions that take an inside object out of an array.
fn inside_elements<'c>(
    class: &ClassFile<'c>,
    method: &Member<'c>,
    editor: &Editor<'c>,
    patterns: &Patterns,
) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let takes = |instruction: &Instruction<'_>| instruction.opcode == opcode::AALOAD;
    if !editor.instructions().iter().any(takes) {
        return found;
    }
    // Without frames nothing is known of types, and nothing is found.
    let _ = walk(class, method, editor.code(), |instruction, state| {
        let array = state.and_then(|state| {
            let below = state.stack.len().checked_sub(2)?;
            state.stack.get(below)
        });
        let array = match array {
            Some(Type::ArrayOf(name) | Type::Object(name)) => Utf8(name).to_str_lossy(),
            _ => return,
        };
        let class = array.trim_start_matches('[');
        let class = match class
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
        {
            Some(class) => class,
            None => class,
        };
        if takes(instruction) && patterns.is_inside(class) {
            found.insert(instruction.offset);
        }
    });
    found
}

/// Whether an inside class may declare a field.
fn may_be_inside(
    class: &ClassFile<'_>,
    member: &MemberRef<'_>,
    patterns: &Patterns,
    catalog: &dyn Catalog,
) -> Result<bool, ProbeError> {
    let owner = member.class.to_str_lossy();
    if patterns.is_inside(&owner) {
        return Ok(true);
    }
    if is_platform(&owner) || class.major < HAS_CLASS_CONSTANTS {
        return Ok(false);
    }
    if member.class != class.name()? {
        return Ok(has_inside_above(
            vec![owner.into_owned()],
            patterns,
            catalog,
        ));
    }
    for field in &class.fields {
        if class.pool.utf8(field.name)? == member.name
            && class.pool.utf8(field.descriptor)? == member.descriptor
        {
            return Ok(false);
        }
    }
    let mut above = Vec::new();
    for index in &class.interfaces {
        above.push(class.pool.class_name(*index)?.to_str_lossy().into_owned());
    }
    let superclass = class.super_name()?.map(Utf8::to_str_lossy);
    above.extend(superclass.map(std::borrow::Cow::into_owned));
    Ok(has_inside_above(above, patterns, catalog))
}

/// Whether one of these classes, or something above them, may be inside. A class is
/// loaded before what is above it: then nobody knows.
fn has_inside_above(mut open: Vec<String>, patterns: &Patterns, catalog: &dyn Catalog) -> bool {
    let mut met = BTreeSet::new();
    while let Some(name) = open.pop() {
        if patterns.is_inside(&name) {
            return true;
        }
        if is_platform(&name) || met.contains(&name) {
            continue;
        }
        match catalog.above(&name) {
            Some(above) => open.extend(above),
            None => return true,
        }
        met.insert(name);
    }
    false
}

/// What an outside class is looked through for.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Uses of inside fields, and copies of objects.
    pub(crate) fields: bool,
    /// Its initialiser.
    pub(crate) initialiser: bool,
}

pub(crate) fn instrument<'c>(
    class: &'c ClassFile<'c>,
    edited: &mut ClassEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    wanted: Wanted,
) -> Result<Vec<Skipped>, ProbeError> {
    let mut skipped = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let initialises = wanted.initialiser && initialiser::is_one(class, method)?;
        if !wanted.fields && !initialises {
            continue;
        }
        match instrument_one(
            class,
            method,
            &mut edited.pool,
            patterns,
            catalog,
            initialises,
        ) {
            Ok(None) => {}
            Ok(Some(code)) => edited.set_code(index, code)?,
            Err(error) => {
                let name = class.pool.utf8(method.name)?.to_str_lossy();
                let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
                skipped.push(Skipped {
                    method: format!("{name}{descriptor}"),
                    why: error.to_string(),
                });
            }
        }
    }
    Ok(skipped)
}

fn instrument_one<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    initialises: bool,
) -> Result<Option<Vec<u8>>, ProbeError> {
    let Some(mut editor) = Editor::new(class, method)? else {
        return Ok(None);
    };
    let mut id = None;
    if initialises {
        let id = *id.get_or_insert_with(|| number(class, method, catalog));
        let line = line(class, &editor, 0);
        initialiser::instrument(class, &mut editor, pool, catalog, id, line)?;
    }
    probe(class, method, &mut editor, pool, patterns, catalog, &mut id)?;
    let copies = copies::instrument(class, &mut editor, pool)?;
    if id.is_none() && !copies {
        return Ok(None);
    }
    Ok(Some(editor.finish(pool)?))
}

/// Puts the probes into a body; the method gets its number with the first of
/// them, unless it has one.
pub(crate) fn probe<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    editor: &mut Editor<'c>,
    pool: &mut PoolEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    id: &mut Option<u32>,
) -> Result<(), ProbeError> {
    let candidates: Vec<Instruction<'_>> = editor
        .instructions()
        .iter()
        .filter(|i| {
            matches!(
                i.opcode,
                opcode::GETSTATIC..=opcode::PUTFIELD | opcode::INVOKEVIRTUAL | opcode::INVOKESTATIC
            )
        })
        .copied()
        .collect();
    for offset in inside_elements(class, method, editor, patterns) {
        let id = *id.get_or_insert_with(|| number(class, method, catalog));
        let site = catalog.site(&Site {
            method: id,
            offset,
            line: line(class, editor, offset),
            opcode: opcode::AALOAD,
            owner: "",
            name: "",
            descriptor: "V",
        });
        let mut before = Snippet::new();
        before.op(opcode::DUP2)?;
        editor.before(offset, before)?;
        let mut after = Snippet::new();
        after.op(opcode::DUP_X2)?;
        push_id(&mut after, site, pool)?;
        let descriptor = "(Ljava/lang/Object;ILjava/lang/Object;I)V";
        call(&mut after, "inReadElement", descriptor, pool)?;
        editor.after(offset, after)?;
    }
    for instruction in candidates {
        let Some(index) = instruction.constant() else {
            continue;
        };
        let member = class.pool.member(index)?;
        let owner = member.class.to_str_lossy();
        let reach = reflected::reach(&instruction, &member);
        let reads = matches!(instruction.opcode, opcode::GETFIELD | opcode::GETSTATIC);
        let writes = matches!(instruction.opcode, opcode::PUTFIELD | opcode::PUTSTATIC);
        let crosses = (writes || reads && may_hold_inside(&member.descriptor.to_str_lossy()))
            && may_be_inside(class, &member, patterns, catalog)?;
        if reach.is_none() && !crosses {
            continue;
        }
        let id = *id.get_or_insert_with(|| number(class, method, catalog));
        let site = catalog.site(&Site {
            method: id,
            offset: instruction.offset,
            line: line(class, editor, instruction.offset),
            opcode: instruction.opcode,
            owner: &owner,
            name: &member.name.to_str_lossy(),
            descriptor: &member.descriptor.to_str_lossy(),
        });
        if let Some(reach) = reach {
            reflected::instrument(editor, &instruction, &member, reach, site, pool)?;
            continue;
        }
        if reads {
            read(editor, &instruction, &owner, site, class.major, pool)?;
            continue;
        }
        let ty = FieldType::parse(member.descriptor)?;
        let mut code = Snippet::new();
        if instruction.opcode == opcode::PUTFIELD {
            let slot = editor.new_local(ty)?;
            code.store(ty, slot)?;
            code.op(opcode::DUP)?;
            code.load(ty, slot)?;
            push_id(&mut code, site, pool)?;
            let descriptor = format!("(Ljava/lang/Object;{}I)V", parameter(ty));
            call(&mut code, "inWrite", &descriptor, pool)?;
            code.load(ty, slot)?;
        } else {
            resolves(&mut code, &owner, site, class.major, pool)?;
            duplicate(&mut code, ty)?;
            push_id(&mut code, site, pool)?;
            let descriptor = format!("({}I)V", parameter(ty));
            call(&mut code, "inWriteStatic", &descriptor, pool)?;
        }
        editor.before(instruction.offset, code)?;
    }
    Ok(())
}

fn number(class: &ClassFile<'_>, method: &Member<'_>, catalog: &mut dyn Catalog) -> u32 {
    let text = |index| class.pool.utf8(index).map(Utf8::to_str_lossy);
    let name = text(method.name).unwrap_or_default();
    let descriptor = text(method.descriptor).unwrap_or_default();
    catalog.method(method.access, &name, &descriptor)
}

/// Classes of the JDK that nothing inside can be a subclass of, of those that fields have most.
const FINAL: [&str; 21] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/time/Duration",
    "java/time/Instant",
    "java/time/LocalDate",
    "java/time/LocalDateTime",
    "java/util/Locale",
    "java/util/Optional",
    "java/util/UUID",
    "java/util/regex/Matcher",
    "java/util/regex/Pattern",
];

/// Whether there can be an inside object in a field of that type. An array is what the
/// outside may write to from then on.
fn may_hold_inside(descriptor: &str) -> bool {
    if descriptor.starts_with('[') {
        return true;
    }
    let Some(class) = descriptor
        .strip_prefix('L')
        .and_then(|rest| rest.strip_suffix(';'))
    else {
        return false;
    };
    !FINAL.contains(&class)
}

/// Looks at the object that was read. The receiver waits below it.
fn read(
    editor: &mut Editor<'_>,
    instruction: &Instruction<'_>,
    owner: &str,
    site: u32,
    major: u16,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    let mut before = Snippet::new();
    let mut after = Snippet::new();
    if instruction.opcode == opcode::GETFIELD {
        before.op(opcode::DUP)?;
        after.op(opcode::DUP_X1)?;
        push_id(&mut after, site, pool)?;
        let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;I)V";
        call(&mut after, "inRead", descriptor, pool)?;
    } else {
        resolves(&mut before, owner, site, major, pool)?;
        after.op(opcode::DUP)?;
        push_id(&mut after, site, pool)?;
        call(&mut after, "inReadStatic", "(Ljava/lang/Object;I)V", pool)?;
    }
    editor.before(instruction.offset, before)?;
    editor.after(instruction.offset, after)?;
    Ok(())
}

/// Finds out who declares a static field, where class files can say whose it is.
fn resolves(
    code: &mut Snippet,
    owner: &str,
    site: u32,
    major: u16,
    pool: &mut PoolEditor<'_>,
) -> Result<(), ProbeError> {
    if major >= HAS_CLASS_CONSTANTS {
        code.push_class(owner, pool)?;
        push_id(code, site, pool)?;
        call(code, "resolves", "(Ljava/lang/Class;I)V", pool)?;
    }
    Ok(())
}

fn line(class: &ClassFile<'_>, editor: &Editor<'_>, offset: u32) -> u32 {
    let rows = editor
        .code()
        .attributes
        .iter()
        .filter(|attribute| attribute.is(&class.pool, "LineNumberTable"))
        .filter_map(|attribute| LineNumberTable::read(attribute).ok())
        .flat_map(|table| table.0);
    rows.filter(|row| u32::from(row.start) <= offset)
        .max_by_key(|row| row.start)
        .map_or(0, |row| row.line.into())
}
