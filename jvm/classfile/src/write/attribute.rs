//! The attributes of classes, fields and methods that have a typed form: the
//! content that `read/attribute.rs` reads.

use super::class::put_attributes;
use super::{AttributeEditor, WriteError, fit_u2, put_list, put_u2};
use crate::read::{
    BootstrapMethods, ConstantValue, EnclosingMethod, Exceptions, InnerClasses, Module,
    ModuleGrant, NestHost, NestMembers, PermittedSubclasses, Record, Signature, SourceFile,
};

macro_rules! one_index {
    ($($type:ident)*) => {$(
        impl $type {
            /// The content of the attribute.
            pub fn write(&self) -> Vec<u8> {
                self.0.to_be_bytes().to_vec()
            }
        }
    )*};
}

macro_rules! list_of_indexes {
    ($($type:ident)*) => {$(
        impl $type {
            /// The content of the attribute.
            pub fn write(&self) -> Result<Vec<u8>, WriteError> {
                let mut out = Vec::new();
                put_indexes(&mut out, &self.0)?;
                Ok(out)
            }
        }
    )*};
}

one_index! { NestHost SourceFile Signature ConstantValue }
list_of_indexes! { NestMembers PermittedSubclasses Exceptions }

impl EnclosingMethod {
    /// The content of the attribute.
    pub fn write(&self) -> Vec<u8> {
        let mut out = self.class.to_be_bytes().to_vec();
        put_u2(&mut out, self.method);
        out
    }
}

impl InnerClasses {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_list(&mut out, "inner classes", &self.0, |out, row| {
            for value in [row.inner, row.outer, row.name, row.access] {
                put_u2(out, value);
            }
        })?;
        Ok(out)
    }
}

impl BootstrapMethods {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_u2(&mut out, fit_u2("bootstrap methods", self.0.len())?);
        for method in &self.0 {
            put_u2(&mut out, method.handle);
            put_indexes(&mut out, &method.arguments)?;
        }
        Ok(out)
    }
}

impl Record<'_> {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_u2(&mut out, fit_u2("record components", self.0.len())?);
        for component in &self.0 {
            put_u2(&mut out, component.name);
            put_u2(&mut out, component.descriptor);
            let attributes: Vec<_> = component
                .attributes
                .iter()
                .map(|attribute| AttributeEditor {
                    name: attribute.name,
                    content: attribute.content.into(),
                })
                .collect();
            put_attributes(&mut out, &attributes)?;
        }
        Ok(out)
    }
}

impl Module {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        for value in [self.name, self.flags, self.version] {
            put_u2(&mut out, value);
        }
        put_list(&mut out, "required modules", &self.requires, |out, row| {
            for value in [row.module, row.flags, row.version] {
                put_u2(out, value);
            }
        })?;
        put_grants(&mut out, "exports", &self.exports)?;
        put_grants(&mut out, "opens", &self.opens)?;
        put_indexes(&mut out, &self.uses)?;
        put_u2(&mut out, fit_u2("provided services", self.provides.len())?);
        for row in &self.provides {
            put_u2(&mut out, row.service);
            put_indexes(&mut out, &row.with)?;
        }
        Ok(out)
    }
}

fn put_grants(
    out: &mut Vec<u8>,
    what: &'static str,
    grants: &[ModuleGrant],
) -> Result<(), WriteError> {
    put_u2(out, fit_u2(what, grants.len())?);
    for grant in grants {
        put_u2(out, grant.package);
        put_u2(out, grant.flags);
        put_indexes(out, &grant.to)?;
    }
    Ok(())
}

fn put_indexes(out: &mut Vec<u8>, indexes: &[u16]) -> Result<(), WriteError> {
    put_list(out, "indexes", indexes, |out, index| put_u2(out, *index))
}
