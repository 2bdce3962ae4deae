//! Classes that are resolved without a call, and constants that are computed.
//!
//! A cast, `instanceof`, a class constant or a new array of an outside class may
//! find that the class is not there: an optional dependency. It may also run a
//! class loader of the program's own. So the thread counts as outside meanwhile,
//! as for `new`. A constant that a bootstrap method computes is an outcall.

use std::borrow::Cow;

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::opcode;
use reprise_classfile::read::{BootstrapMethods, Constant, Instruction};
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::calls::log_result;
use crate::dynamic::handle_owner;
use crate::fields::{may_run_code, touch};
use crate::method::Body;
use crate::probe::{OBJECT_TYPE, RECORDER, call, push_id};

pub(crate) fn instrument(body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
    let instructions = body.editor.instructions().iter();
    let instructions: Vec<Instruction<'_>> = instructions
        .filter(|instruction| names_a_constant(instruction.opcode))
        .copied()
        .collect();
    for instruction in instructions {
        let Some(index) = instruction.constant() else {
            continue;
        };
        match body.class.pool.get(index)? {
            Constant::Class { .. } => resolved(body, &instruction, index)?,
            Constant::Dynamic { bootstrap, .. } => {
                computed(body, &instruction, index, bootstrap)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether an instruction may resolve a class or compute a constant.
pub(crate) fn names_a_constant(opcode: u8) -> bool {
    matches!(
        opcode,
        opcode::CHECKCAST
            | opcode::INSTANCEOF
            | opcode::ANEWARRAY
            | opcode::MULTIANEWARRAY
            | opcode::LDC
            | opcode::LDC_W
            | opcode::LDC2_W
    )
}

fn resolved(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    index: u16,
) -> Result<(), ProbeError> {
    let Some(name) = outside_class(body, index)? else {
        return Ok(());
    };
    let site = body.site(instruction.offset, instruction.opcode, &name, "", "V");
    touch(body, instruction.offset, site)?;
    let mut after = Snippet::new();
    body.load_recorder(&mut after)?;
    call(&mut after, "touched", &format!("({RECORDER})V"), body.pool)?;
    body.editor.after(instruction.offset, after)?;
    Ok(())
}

/// The class that a constant names, if resolving it may run code.
pub(crate) fn outside_class<'c>(
    body: &Body<'c, '_>,
    index: u16,
) -> Result<Option<Cow<'c, str>>, ProbeError> {
    let name = body.class.pool.class_name(index)?.to_str_lossy();
    // Of an array, the class of its elements is what is looked for.
    let element = name.trim_start_matches('[');
    let element = match element.len() == name.len() {
        true => element,
        false => match element.strip_prefix('L').and_then(|e| e.strip_suffix(';')) {
            Some(element) => element,
            None => return Ok(None),
        },
    };
    Ok(may_run_code(body, element).then_some(name))
}

fn computed(
    body: &mut Body<'_, '_>,
    instruction: &Instruction<'_>,
    index: u16,
    bootstrap: u16,
) -> Result<(), ProbeError> {
    let (site, result) = computed_site(body, instruction, index, bootstrap)?;
    let offset = instruction.offset;
    let mut before = Snippet::new();
    body.load_recorder(&mut before)?;
    push_id(&mut before, site, body.pool)?;
    call(
        &mut before,
        "callOutBare",
        &format!("({RECORDER}I)V"),
        body.pool,
    )?;
    body.editor.before(offset, before)?;
    let mut after = Snippet::new();
    let result = if result.is_reference() {
        OBJECT_TYPE
    } else {
        result
    };
    log_result(body, &mut after, Some(result))?;
    body.editor.after(offset, after)?;
    Ok(())
}

/// The site of a computed constant, as a call of its bootstrap method's class,
/// and the constant's type.
pub(crate) fn computed_site<'c>(
    body: &mut Body<'c, '_>,
    instruction: &Instruction<'_>,
    index: u16,
    bootstrap: u16,
) -> Result<(u32, FieldType<'c>), ProbeError> {
    let class = body.class;
    let (name, ty) = class.pool.dynamic(index)?;
    let bootstraps = match class.find(&class.attributes, "BootstrapMethods") {
        Some(attribute) => BootstrapMethods::read(&attribute)?.0,
        None => Vec::new(),
    };
    let owner = match bootstraps.get(usize::from(bootstrap)) {
        Some(method) => handle_owner(body, method.handle)?.unwrap_or_default(),
        None => String::new(),
    };
    let result = FieldType::parse(ty)?;
    let text = format!("(){}", ty.to_str_lossy());
    let offset = instruction.offset;
    let site = body.site(
        offset,
        instruction.opcode,
        &owner,
        &name.to_str_lossy(),
        &text,
    );
    Ok((site, result))
}
