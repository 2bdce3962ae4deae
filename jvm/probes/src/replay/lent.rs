//! Methods that the player plays although their class is inside: those that were
//! lent to the outside, because they could not have their probes, and those that
//! cannot be rewritten.

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Member, access};
use reprise_classfile::write::{Invoke, PoolEditor, Snippet, write_code};

use super::stubs::{STUB, Shape};
use crate::ProbeError;
use crate::catalog::{Catalog, Site};
use crate::lent::opcode_of;

/// The body of a method that was lent.
pub(super) fn body<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    catalog: &mut dyn Catalog,
    id: u32,
) -> Result<Vec<u8>, ProbeError> {
    let site = site(class, method, catalog, id)?;
    let shape = shape(class, method)?;
    if class.pool.utf8(method.name)? == "<clinit>" {
        return told(&shape, "touches", site, pool);
    }
    let code = shape.hand_over("call", Some(site), pool)?;
    Ok(write_code(slots(&shape), &code)?)
}

/// The body of a method that cannot be rewritten and was not lent.
pub(super) fn lost<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    catalog: &mut dyn Catalog,
    id: u32,
) -> Result<Vec<u8>, ProbeError> {
    let site = site(class, method, catalog, id)?;
    told(&shape(class, method)?, "lost", site, pool)
}

/// The player is told of the site, and the method ends.
fn told(
    shape: &Shape<'_>,
    function: &str,
    site: u32,
    pool: &mut PoolEditor<'_>,
) -> Result<Vec<u8>, ProbeError> {
    let mut code = Snippet::new();
    code.push_int(site.cast_signed(), pool)?;
    code.invoke(Invoke::Static, STUB, function, "(I)V", pool)?;
    match shape.result {
        None => shape.leave(&mut code)?,
        Some(_) => {
            code.op(opcode::ACONST_NULL)?;
            code.op(opcode::ATHROW)?;
        }
    }
    Ok(write_code(slots(shape), &code)?)
}

fn slots(shape: &Shape<'_>) -> u16 {
    shape.parameters.iter().map(|ty| ty.slots()).sum()
}

fn shape<'c>(class: &ClassFile<'c>, method: &Member<'c>) -> Result<Shape<'c>, ProbeError> {
    let descriptor = MethodDescriptor::parse(class.pool.utf8(method.descriptor)?)?;
    let mut parameters = Vec::new();
    if method.access & access::STATIC == 0 {
        parameters.push(FieldType::Object(class.name()?));
    }
    parameters.extend(descriptor.parameters);
    let result = descriptor.result;
    Ok(Shape { parameters, result })
}

fn site(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    catalog: &mut dyn Catalog,
    id: u32,
) -> Result<u32, ProbeError> {
    Ok(catalog.site(&Site {
        method: id,
        offset: 0,
        line: 0,
        opcode: opcode_of(class, method),
        owner: &class.name()?.to_str_lossy(),
        name: &class.pool.utf8(method.name)?.to_str_lossy(),
        descriptor: &class.pool.utf8(method.descriptor)?.to_str_lossy(),
    }))
}
