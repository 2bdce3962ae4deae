//! Writes to inside fields by outside classes.
//!
//! Looked for in the classes of the application only, and there only at fields
//! that an inside class declares, or may turn out to declare: an outside
//! subclass names itself when it writes to a field that it inherits.

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, LineNumberTable, Member, MemberRef};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, PoolEditor, Snippet};

use crate::catalog::{Catalog, Site};
use crate::origin::Origin;
use crate::pattern::Patterns;
use crate::probe::{call, duplicate, parameter, push_id};
use crate::{ProbeError, Skipped, reflected};

/// Which side a field is on that an outside class writes to.
fn side(
    class: &ClassFile<'_>,
    member: &MemberRef<'_>,
    patterns: &Patterns,
    catalog: &dyn Catalog,
) -> Result<Origin, ProbeError> {
    let name = member.name.to_str_lossy();
    let descriptor = member.descriptor.to_str_lossy();
    let owner = member.class.to_str_lossy();
    let own = member.class == class.name()?;
    if own {
        for field in &class.fields {
            if class.pool.utf8(field.name)? == member.name
                && class.pool.utf8(field.descriptor)? == member.descriptor
            {
                return Ok(Origin::Outside);
            }
        }
    }
    // A class that is being loaded comes before those above it.
    let above = class.super_name()?.filter(|_| own);
    let start = above.map_or(owner, Utf8::to_str_lossy);
    let found = catalog.origin(&start, &name, &descriptor);
    if found == Origin::Unknown && patterns.is_inside(&start) {
        return Ok(Origin::Inside);
    }
    Ok(found)
}

/// Gives every method that needs them its probes; none when no method does.
pub(crate) fn instrument<'c>(
    class: &'c ClassFile<'c>,
    edited: &mut ClassEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
) -> Result<Option<Vec<Skipped>>, ProbeError> {
    let mut skipped = Vec::new();
    let mut changed = false;
    for (index, method) in class.methods.iter().enumerate() {
        match instrument_one(class, method, &mut edited.pool, patterns, catalog) {
            Ok(None) => {}
            Ok(Some(code)) => {
                changed = true;
                edited.set_code(index, code)?;
            }
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
    Ok((changed || !skipped.is_empty()).then_some(skipped))
}

fn instrument_one<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
) -> Result<Option<Vec<u8>>, ProbeError> {
    let Some(mut editor) = Editor::new(class, method)? else {
        return Ok(None);
    };
    let candidates: Vec<Instruction<'_>> = editor
        .instructions()
        .iter()
        .filter(|i| {
            matches!(
                i.opcode,
                opcode::PUTFIELD | opcode::PUTSTATIC | opcode::INVOKEVIRTUAL | opcode::INVOKESTATIC
            )
        })
        .copied()
        .collect();
    let mut id = None;
    for instruction in candidates {
        let Some(index) = instruction.constant() else {
            continue;
        };
        let member = class.pool.member(index)?;
        let owner = member.class.to_str_lossy();
        let reach = reflected::reach(&instruction, &member);
        let writes = matches!(instruction.opcode, opcode::PUTFIELD | opcode::PUTSTATIC);
        let side = match writes {
            true => side(class, &member, patterns, catalog)?,
            false => Origin::Outside,
        };
        if side == Origin::Outside && reach.is_none() {
            continue;
        }
        let id = *id.get_or_insert_with(|| {
            let text = |index| class.pool.utf8(index).map(Utf8::to_str_lossy);
            let name = text(method.name).unwrap_or_default();
            let descriptor = text(method.descriptor).unwrap_or_default();
            catalog.method(method.access, &name, &descriptor)
        });
        let site = catalog.site(&Site {
            method: id,
            offset: instruction.offset,
            line: line(class, &editor, instruction.offset),
            opcode: instruction.opcode,
            owner: &owner,
            name: &member.name.to_str_lossy(),
            descriptor: &member.descriptor.to_str_lossy(),
        });
        if let Some(reach) = reach {
            reflected::instrument(&mut editor, &instruction, &member, reach, site, pool)?;
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
            duplicate(&mut code, ty)?;
            if side == Origin::Unknown && class.major >= 49 {
                code.push_class(&owner, pool)?;
                push_id(&mut code, site, pool)?;
                call(&mut code, "aimsInside", "(Ljava/lang/Class;I)I", pool)?;
            } else {
                push_id(&mut code, site, pool)?;
            }
            let descriptor = format!("({}I)V", parameter(ty));
            call(&mut code, "inWriteStatic", &descriptor, pool)?;
        }
        editor.before(instruction.offset, code)?;
    }
    match id {
        Some(_) => Ok(Some(editor.finish(pool)?)),
        None => Ok(None),
    }
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
