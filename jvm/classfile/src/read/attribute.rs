//! The attributes of classes, fields and methods that have a typed form.
//!
//! Every type here has `read`, and `write` in the file of the same name under
//! `write/`. All numbers are constant-pool indexes unless they say otherwise.

use super::cursor::Cursor;
use super::{Attribute, ReadError};

/// `BootstrapMethods`: the bootstraps of dynamic constants and call sites.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BootstrapMethods(pub Vec<BootstrapMethod>);

/// One bootstrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// The MethodHandle that is called.
    pub handle: u16,
    /// Its static arguments.
    pub arguments: Vec<u16>,
}

/// `InnerClasses`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InnerClasses(pub Vec<InnerClass>);

/// One row of `InnerClasses`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerClass {
    /// The class.
    pub inner: u16,
    /// The class it is a member of; 0 for local and anonymous classes.
    pub outer: u16,
    /// Its simple name; 0 for anonymous classes.
    pub name: u16,
    /// Its access flags as declared.
    pub access: u16,
}

/// `NestHost`: the class whose nest this class belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestHost(pub u16);

/// `NestMembers`: the classes of this host's nest.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NestMembers(pub Vec<u16>);

/// `PermittedSubclasses` of a sealed class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PermittedSubclasses(pub Vec<u16>);

/// `Exceptions`: what a method declares to throw.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Exceptions(pub Vec<u16>);

/// `Record`: the components of a record class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Record<'a>(pub Vec<RecordComponent<'a>>);

/// One component of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordComponent<'a> {
    /// Its name.
    pub name: u16,
    /// Its descriptor.
    pub descriptor: u16,
    /// Its attributes.
    pub attributes: Vec<Attribute<'a>>,
}

/// `EnclosingMethod` of a local or anonymous class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnclosingMethod {
    /// The enclosing class.
    pub class: u16,
    /// The NameAndType of the method; 0 in initialisers.
    pub method: u16,
}

/// `SourceFile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceFile(pub u16);

/// `Signature`: the generic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub u16);

/// `ConstantValue` of a static field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantValue(pub u16);

/// `Module`: a module's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The Module constant.
    pub name: u16,
    /// Flags.
    pub flags: u16,
    /// The version, or 0.
    pub version: u16,
    /// `requires`.
    pub requires: Vec<ModuleRequire>,
    /// `exports`.
    pub exports: Vec<ModuleGrant>,
    /// `opens`.
    pub opens: Vec<ModuleGrant>,
    /// `uses`: Class constants.
    pub uses: Vec<u16>,
    /// `provides`.
    pub provides: Vec<ModuleProvide>,
}

/// One `requires`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleRequire {
    /// The Module constant.
    pub module: u16,
    /// Flags.
    pub flags: u16,
    /// The version at compile time, or 0.
    pub version: u16,
}

/// One `exports` or `opens`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleGrant {
    /// The Package constant.
    pub package: u16,
    /// Flags.
    pub flags: u16,
    /// The Module constants it is limited to; empty: everybody.
    pub to: Vec<u16>,
}

/// One `provides`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleProvide {
    /// The service, a Class constant.
    pub service: u16,
    /// The implementations, Class constants.
    pub with: Vec<u16>,
}

/// Attributes whose content is one index, or one list of indexes.
macro_rules! simple {
    ($($type:ident: $read:expr;)*) => {$(
        impl $type {
            /// Reads the content of the attribute of this name.
            pub fn read(attribute: &Attribute<'_>) -> Result<Self, ReadError> {
                attribute.all($read).map(Self)
            }
        }
    )*};
}

simple! {
    NestHost: Cursor::u2;
    SourceFile: Cursor::u2;
    Signature: Cursor::u2;
    ConstantValue: Cursor::u2;
    NestMembers: |c| c.list(Cursor::u2);
    PermittedSubclasses: |c| c.list(Cursor::u2);
    Exceptions: |c| c.list(Cursor::u2);
    InnerClasses: |c| c.list(InnerClass::read);
    BootstrapMethods: |c| c.list(BootstrapMethod::read);
}

impl InnerClass {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            inner: cursor.u2()?,
            outer: cursor.u2()?,
            name: cursor.u2()?,
            access: cursor.u2()?,
        })
    }
}

impl BootstrapMethod {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            handle: cursor.u2()?,
            arguments: cursor.list(Cursor::u2)?,
        })
    }
}

impl<'a> Record<'a> {
    /// Reads the content of the attribute of this name.
    pub fn read(attribute: &Attribute<'a>) -> Result<Self, ReadError> {
        attribute
            .all(|cursor| {
                cursor.list(|c| {
                    Ok(RecordComponent {
                        name: c.u2()?,
                        descriptor: c.u2()?,
                        attributes: c.list(Attribute::read)?,
                    })
                })
            })
            .map(Self)
    }
}

impl EnclosingMethod {
    /// Reads the content of the attribute of this name.
    pub fn read(attribute: &Attribute<'_>) -> Result<Self, ReadError> {
        attribute.all(|c| {
            Ok(Self {
                class: c.u2()?,
                method: c.u2()?,
            })
        })
    }
}

impl Module {
    /// Reads the content of the attribute of this name.
    pub fn read(attribute: &Attribute<'_>) -> Result<Self, ReadError> {
        fn grant(c: &mut Cursor<'_>) -> Result<ModuleGrant, ReadError> {
            Ok(ModuleGrant {
                package: c.u2()?,
                flags: c.u2()?,
                to: c.list(Cursor::u2)?,
            })
        }
        attribute.all(|c| {
            Ok(Self {
                name: c.u2()?,
                flags: c.u2()?,
                version: c.u2()?,
                requires: c.list(|c| {
                    Ok(ModuleRequire {
                        module: c.u2()?,
                        flags: c.u2()?,
                        version: c.u2()?,
                    })
                })?,
                exports: c.list(grant)?,
                opens: c.list(grant)?,
                uses: c.list(Cursor::u2)?,
                provides: c.list(|c| {
                    Ok(ModuleProvide {
                        service: c.u2()?,
                        with: c.list(Cursor::u2)?,
                    })
                })?,
            })
        })
    }
}
