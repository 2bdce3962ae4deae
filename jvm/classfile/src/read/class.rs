//! The class file as a whole.
//!
//! ```text
//! u4 CAFEBABE   u2 minor   u2 major
//! constant pool
//! u2 access     u2 this    u2 super
//! u2 n          u2[n] interfaces
//! u2 n          member[n] fields
//! u2 n          member[n] methods
//! u2 n          attribute[n]
//!
//! member:    u2 access   u2 name   u2 descriptor   u2 n   attribute[n]
//! attribute: u2 name     u4 length                 u1[length]
//! ```

use super::cursor::Cursor;
use super::{Code, Pool, ReadError};
use crate::mutf8::Utf8;

/// Access flags that this crate or its users test.
#[allow(missing_docs)] // Named as in the specification.
pub mod access {
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const SYNCHRONIZED: u16 = 0x0020;
    pub const SUPER: u16 = 0x0020;
    pub const VOLATILE: u16 = 0x0040;
    pub const BRIDGE: u16 = 0x0040;
    pub const TRANSIENT: u16 = 0x0080;
    pub const VARARGS: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
    pub const MODULE: u16 = 0x8000;
}

/// A class file, split but not interpreted.
#[derive(Clone, Debug)]
pub struct ClassFile<'a> {
    /// The minor version; 65535 marks preview features.
    pub minor: u16,
    /// The major version: 45 (Java 1.0.2) to 69 (Java 25).
    pub major: u16,
    /// The constants.
    pub pool: Pool<'a>,
    /// The access flags.
    pub access: u16,
    /// The class itself, a Class constant.
    pub this_class: u16,
    /// The superclass; 0 for `java.lang.Object` and modules.
    pub super_class: u16,
    /// The interfaces, Class constants.
    pub interfaces: Vec<u16>,
    /// The fields.
    pub fields: Vec<Member<'a>>,
    /// The methods.
    pub methods: Vec<Member<'a>>,
    /// The attributes of the class.
    pub attributes: Vec<Attribute<'a>>,
}

/// A field or a method.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// The access flags.
    pub access: u16,
    /// The name, a Utf8 constant.
    pub name: u16,
    /// The descriptor, a Utf8 constant.
    pub descriptor: u16,
    /// The attributes.
    pub attributes: Vec<Attribute<'a>>,
}

/// An attribute as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The name, a Utf8 constant.
    pub name: u16,
    /// Where the content begins in the file.
    pub offset: usize,
    /// The content, without name and length.
    pub content: &'a [u8],
}

impl<'a> ClassFile<'a> {
    /// Splits `bytes`. The pool and all lengths are checked; the content of
    /// attributes is not looked at.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut cursor = Cursor::new(bytes, 0);
        let found = cursor.u4()?;
        if found != 0xCAFE_BABE {
            return Err(ReadError::BadMagic { found });
        }
        let minor = cursor.u2()?;
        let major = cursor.u2()?;
        // Before 45.3, which Java 1.0.2 wrote, `Code` had narrower fields in
        // some JVMs and not in others.
        if !(45..=69).contains(&major) || (major == 45 && minor < 3) {
            return Err(ReadError::UnsupportedVersion { major, minor });
        }
        let class = Self {
            minor,
            major,
            pool: Pool::read(&mut cursor)?,
            access: cursor.u2()?,
            this_class: cursor.u2()?,
            super_class: cursor.u2()?,
            interfaces: cursor.list(Cursor::u2)?,
            fields: cursor.list(Member::read)?,
            methods: cursor.list(Member::read)?,
            attributes: cursor.list(Attribute::read)?,
        };
        cursor.finish()?;
        Ok(class)
    }

    /// The name of the class: `java/lang/String`.
    pub fn name(&self) -> Result<Utf8<'a>, ReadError> {
        self.pool.class_name(self.this_class)
    }

    /// The name of the superclass, if there is one.
    pub fn super_name(&self) -> Result<Option<Utf8<'a>>, ReadError> {
        match self.super_class {
            0 => Ok(None),
            index => self.pool.class_name(index).map(Some),
        }
    }

    /// The first attribute of that name in `attributes`.
    pub fn find<'b>(&self, attributes: &[Attribute<'b>], name: &str) -> Option<Attribute<'b>> {
        attributes
            .iter()
            .find(|attribute| attribute.is(&self.pool, name))
            .copied()
    }

    /// The position in [`ClassFile::methods`] of the method with that name and
    /// descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.methods.iter().position(|method| {
            self.pool.utf8(method.name).is_ok_and(|n| n == name)
                && self
                    .pool
                    .utf8(method.descriptor)
                    .is_ok_and(|d| d == descriptor)
        })
    }

    /// The body of a method; none if it is abstract or native.
    pub fn code(&self, method: &Member<'a>) -> Result<Option<Code<'a>>, ReadError> {
        self.find(&method.attributes, "Code")
            .map(|attribute| Code::read(&attribute))
            .transpose()
    }
}

impl<'a> Member<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, ReadError> {
        Ok(Self {
            access: cursor.u2()?,
            name: cursor.u2()?,
            descriptor: cursor.u2()?,
            attributes: cursor.list(Attribute::read)?,
        })
    }
}

impl<'a> Attribute<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self, ReadError> {
        let name = cursor.u2()?;
        let length = cursor.u4()?;
        let offset = cursor.offset();
        Ok(Self {
            name,
            offset,
            content: cursor.take(usize::try_from(length).unwrap_or(usize::MAX))?,
        })
    }

    /// Whether this is the attribute `name`.
    pub fn is(&self, pool: &Pool<'_>, name: &str) -> bool {
        pool.utf8(self.name)
            .is_ok_and(|found| found.as_bytes() == name.as_bytes())
    }

    pub(crate) fn cursor(&self) -> Cursor<'a> {
        Cursor::new(self.content, self.offset)
    }

    /// Reads the whole content with `read`.
    pub(crate) fn all<T>(
        &self,
        read: impl FnOnce(&mut Cursor<'a>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let mut cursor = self.cursor();
        let value = read(&mut cursor)?;
        cursor.finish()?;
        Ok(value)
    }
}
