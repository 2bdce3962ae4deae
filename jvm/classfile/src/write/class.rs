//! The class file as a whole; the format is drawn in `read/class.rs`.

use std::borrow::Cow;

use super::{PoolEditor, PoolError, fit_u2, put_list, put_u2, put_u4};
use crate::read::{Attribute, ClassFile, Member, ReadError};

/// A class that is being edited. What is public here can be changed freely;
/// what is not touched is written byte for byte as it was read.
#[derive(Clone, Debug)]
pub struct ClassEditor<'c> {
    class: &'c ClassFile<'c>,
    /// The constants.
    pub pool: PoolEditor<'c>,
    /// The access flags.
    pub access: u16,
    /// The class itself, a Class constant.
    pub this_class: u16,
    /// The superclass.
    pub super_class: u16,
    /// The interfaces, Class constants.
    pub interfaces: Vec<u16>,
    /// The fields, at first those of the class in the same order.
    pub fields: Vec<MemberEditor<'c>>,
    /// The methods, at first those of the class in the same order.
    pub methods: Vec<MemberEditor<'c>>,
    /// The attributes of the class.
    pub attributes: Vec<AttributeEditor<'c>>,
    replaced: usize,
}

/// A field or method that is being edited.
#[derive(Clone, Debug, Default)]
pub struct MemberEditor<'c> {
    /// The access flags.
    pub access: u16,
    /// The name, a Utf8 constant.
    pub name: u16,
    /// The descriptor, a Utf8 constant.
    pub descriptor: u16,
    /// The attributes.
    pub attributes: Vec<AttributeEditor<'c>>,
}

/// An attribute, borrowed or new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeEditor<'c> {
    /// The name, a Utf8 constant.
    pub name: u16,
    /// The content, without name and length.
    pub content: Cow<'c, [u8]>,
}

/// Why a class could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// More items than the file has room to count.
    #[error("{count} {what}; a class file can count 65535")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// An attribute that is too long.
    #[error("attribute {name} has {length} bytes; 4294967295 are allowed")]
    AttributeTooLong {
        /// The index of its name.
        name: u16,
        /// Its length.
        length: usize,
    },
    /// A position behind the last method.
    #[error("there is no method {index}")]
    NoSuchMethod {
        /// The position.
        index: usize,
    },
    /// Stack map frames that are not in order.
    #[error("the stack map frame at {offset} is not behind the one before it")]
    FrameOutOfOrder {
        /// The frame.
        offset: u32,
    },
    /// The constant pool could not take what was needed.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A class file of that version cannot be made.
    #[error(transparent)]
    Version(#[from] ReadError),
}

impl<'c> ClassEditor<'c> {
    /// Begins with `class` as it is.
    pub fn new(class: &'c ClassFile<'c>) -> Self {
        Self {
            class,
            pool: PoolEditor::new(&class.pool),
            access: class.access,
            this_class: class.this_class,
            super_class: class.super_class,
            interfaces: class.interfaces.clone(),
            fields: class.fields.iter().map(MemberEditor::from).collect(),
            methods: class.methods.iter().map(MemberEditor::from).collect(),
            attributes: copied(&class.attributes),
            replaced: 0,
        }
    }

    /// The class as it was.
    pub fn original(&self) -> &'c ClassFile<'c> {
        self.class
    }

    /// Adds an interface unless the class has it.
    pub fn add_interface(&mut self, name: &str) -> Result<(), PoolError> {
        let index = self.pool.class(name)?;
        if !self.interfaces.contains(&index) {
            self.interfaces.push(index);
        }
        Ok(())
    }

    /// Adds a field and returns its position in [`ClassEditor::fields`].
    pub fn add_field(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
    ) -> Result<usize, PoolError> {
        let member = MemberEditor {
            access,
            name: self.pool.utf8(name)?,
            descriptor: self.pool.utf8(descriptor)?,
            attributes: Vec::new(),
        };
        self.fields.push(member);
        Ok(self.fields.len().saturating_sub(1))
    }

    /// Adds a method and returns its position in [`ClassEditor::methods`].
    /// `code` is the content of its `Code` attribute, as
    /// [`write_code`](super::write_code) makes it; abstract and native methods
    /// have none.
    pub fn add_method(
        &mut self,
        access: u16,
        name: &str,
        descriptor: &str,
        code: Option<Vec<u8>>,
    ) -> Result<usize, PoolError> {
        let mut member = MemberEditor {
            access,
            name: self.pool.utf8(name)?,
            descriptor: self.pool.utf8(descriptor)?,
            attributes: Vec::new(),
        };
        if let Some(code) = code {
            member.set_attribute(&mut self.pool, "Code", code)?;
        }
        self.methods.push(member);
        Ok(self.methods.len().saturating_sub(1))
    }

    /// Replaces the body of the method at `index` of [`ClassEditor::methods`].
    pub fn set_code(&mut self, index: usize, content: Vec<u8>) -> Result<(), WriteError> {
        let method = self.methods.get_mut(index);
        let method = method.ok_or(WriteError::NoSuchMethod { index })?;
        method.set_attribute(&mut self.pool, "Code", content)?;
        self.replaced = self.replaced.saturating_add(1);
        Ok(())
    }

    /// How often a body was replaced.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// Adds or replaces an attribute of the class.
    pub fn set_attribute(&mut self, name: &str, content: Vec<u8>) -> Result<(), PoolError> {
        set(&mut self.attributes, &mut self.pool, name, content)
    }

    /// Removes the attributes of that name from the class.
    pub fn remove_attribute(&mut self, name: &str) {
        remove(&mut self.attributes, &self.pool, name);
    }

    /// The bytes of the edited class.
    pub fn finish(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::with_capacity(self.class.pool.as_bytes().len().saturating_mul(2));
        put_u4(&mut out, 0xCAFE_BABE);
        put_u2(&mut out, self.class.minor);
        put_u2(&mut out, self.class.major);
        self.pool.write(&mut out);
        put_u2(&mut out, self.access);
        put_u2(&mut out, self.this_class);
        put_u2(&mut out, self.super_class);
        put_list(&mut out, "interfaces", &self.interfaces, |out, index| {
            put_u2(out, *index);
        })?;
        put_members(&mut out, "fields", &self.fields)?;
        put_members(&mut out, "methods", &self.methods)?;
        put_attributes(&mut out, &self.attributes)?;
        Ok(out)
    }
}

impl<'c> MemberEditor<'c> {
    /// Adds or replaces an attribute.
    pub fn set_attribute(
        &mut self,
        pool: &mut PoolEditor<'c>,
        name: &str,
        content: Vec<u8>,
    ) -> Result<(), PoolError> {
        set(&mut self.attributes, pool, name, content)
    }

    /// Removes the attributes of that name.
    pub fn remove_attribute(&mut self, pool: &PoolEditor<'c>, name: &str) {
        remove(&mut self.attributes, pool, name);
    }
}

impl<'c> From<&Member<'c>> for MemberEditor<'c> {
    fn from(member: &Member<'c>) -> Self {
        Self {
            access: member.access,
            name: member.name,
            descriptor: member.descriptor,
            attributes: copied(&member.attributes),
        }
    }
}

/// The smallest class: a name, a superclass, no members.
pub fn empty_class(
    major: u16,
    access: u16,
    name: &str,
    super_name: &str,
) -> Result<Vec<u8>, WriteError> {
    // The oldest version is 45.3.
    let minor = if major == 45 { 3 } else { 0 };
    let head: Vec<u8> = [0xCAFE, 0xBABE, minor, major, 1, 0, 0, 0, 0, 0, 0, 0]
        .iter()
        .flat_map(|word: &u16| word.to_be_bytes())
        .collect();
    let class = ClassFile::parse(&head)?;
    let mut editor = ClassEditor::new(&class);
    editor.access = access;
    editor.this_class = editor.pool.class(name)?;
    editor.super_class = editor.pool.class(super_name)?;
    editor.finish()
}

fn copied<'c>(attributes: &[Attribute<'c>]) -> Vec<AttributeEditor<'c>> {
    let copy = |attribute: &Attribute<'c>| AttributeEditor {
        name: attribute.name,
        content: Cow::Borrowed(attribute.content),
    };
    attributes.iter().map(copy).collect()
}

fn set<'c>(
    attributes: &mut Vec<AttributeEditor<'c>>,
    pool: &mut PoolEditor<'c>,
    name: &str,
    content: Vec<u8>,
) -> Result<(), PoolError> {
    let content = Cow::Owned(content);
    let found = attributes
        .iter_mut()
        .find(|a| pool.utf8_at(a.name).is_ok_and(|found| found == name));
    match found {
        Some(attribute) => attribute.content = content,
        None => {
            let name = pool.utf8(name)?;
            attributes.push(AttributeEditor { name, content });
        }
    }
    Ok(())
}

fn remove(attributes: &mut Vec<AttributeEditor<'_>>, pool: &PoolEditor<'_>, name: &str) {
    attributes.retain(|a| !pool.utf8_at(a.name).is_ok_and(|found| found == name));
}

fn put_members(
    out: &mut Vec<u8>,
    what: &'static str,
    members: &[MemberEditor<'_>],
) -> Result<(), WriteError> {
    put_u2(out, fit_u2(what, members.len())?);
    for member in members {
        put_u2(out, member.access);
        put_u2(out, member.name);
        put_u2(out, member.descriptor);
        put_attributes(out, &member.attributes)?;
    }
    Ok(())
}

pub(crate) fn put_attributes(
    out: &mut Vec<u8>,
    attributes: &[AttributeEditor<'_>],
) -> Result<(), WriteError> {
    put_u2(out, fit_u2("attributes", attributes.len())?);
    for attribute in attributes {
        let length = attribute.content.len();
        put_u2(out, attribute.name);
        put_u4(
            out,
            u32::try_from(length).map_err(|_| WriteError::AttributeTooLong {
                name: attribute.name,
                length,
            })?,
        );
        out.extend_from_slice(&attribute.content);
    }
    Ok(())
}
