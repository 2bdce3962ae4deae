//! Classes that are resolved without a call, and constants that are computed:
//! the player says whether the class was there, and what the constant was.

use reprise_classfile::opcode;
use reprise_classfile::read::{Constant, Instruction};
use reprise_classfile::write::{Invoke, Snippet};

use super::stubs::{STUB, Shape, Stubs};
use crate::ProbeError;
use crate::method::Body;
use crate::probe::push_id;
use crate::resolution::{computed_site, outside_class};

pub(super) fn resolve<'c>(
    body: &mut Body<'c, '_>,
    stubs: &mut Stubs<'c>,
    instruction: &Instruction<'c>,
    index: u16,
) -> Result<(), ProbeError> {
    let offset = instruction.offset;
    match body.class.pool.get(index)? {
        Constant::Class { .. } => {
            if let Some(name) = outside_class(body, index)? {
                let site = body.site(offset, instruction.opcode, &name, "", "V");
                let mut before = Snippet::new();
                push_id(&mut before, site, body.pool)?;
                before.invoke(Invoke::Static, STUB, "touches", "(I)V", body.pool)?;
                body.editor.before(offset, before)?;
            }
        }
        Constant::Dynamic { bootstrap, .. } => {
            let (site, result) = computed_site(body, instruction, index, bootstrap)?;
            let shape = Shape {
                parameters: Vec::new(),
                result: Some(result),
            };
            let key = format!("{} {index}", opcode::LDC);
            let code = stubs.call(key, &shape, site, body.pool, |_, pool| {
                Stubs::always(&shape, "call", pool)
            })?;
            body.editor.replace(offset, code)?;
        }
        _ => {}
    }
    Ok(())
}
