//! What an outside class looks like, for the stand-in that a replay has for it.

use reprise_classfile::read::{ClassFile, Member, ReadError};
use reprise_jvm_events::table::{Declared, Shape};

/// What a class file says.
pub fn of_class(class: &ClassFile<'_>) -> Result<Shape, ReadError> {
    let name = |index: &u16| -> Result<String, ReadError> {
        Ok(class.pool.class_name(*index)?.to_str_lossy().into_owned())
    };
    let declared = |member: &Member<'_>| -> Result<Declared, ReadError> {
        Ok(Declared {
            access: member.access,
            name: class.pool.utf8(member.name)?.to_str_lossy().into_owned(),
            descriptor: class
                .pool
                .utf8(member.descriptor)?
                .to_str_lossy()
                .into_owned(),
        })
    };
    let superclass = class.super_name()?;
    Ok(Shape {
        access: class.access,
        superclass: superclass.map_or_else(String::new, |name| name.to_str_lossy().into_owned()),
        interfaces: class
            .interfaces
            .iter()
            .map(name)
            .collect::<Result<_, _>>()?,
        fields: class
            .fields
            .iter()
            .map(declared)
            .collect::<Result<_, _>>()?,
        methods: class
            .methods
            .iter()
            .map(declared)
            .collect::<Result<_, _>>()?,
    })
}
