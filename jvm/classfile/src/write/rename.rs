//! Renaming classes in all references of a class file.
//!
//! References are constants: Class, NameAndType and MethodType. They are
//! replaced in place, so no instruction changes; the new names are appended.
//! The descriptors of the class's own members, its signatures and its record
//! components are given new names as well. String constants, annotations and
//! the names in debug tables stay: nothing at link time depends on them.

use super::{ClassEditor, MemberEditor, PoolEditor, PoolError, WriteError};
use crate::mutf8::Utf8;
use crate::read::{Attribute, Constant, ReadError, Record};

/// Why classes could not be renamed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// A constant or attribute could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A new name could not be added.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A table got too long.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Renames every class for which `rename` returns a name. Names are internal
/// ones, `java/lang/String`, in modified UTF-8.
pub fn rename_classes(
    editor: &mut ClassEditor<'_>,
    rename: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<(), RenameError> {
    let original = editor.pool.original();
    for index in original.indexes() {
        let replaced = match original.get(index)? {
            Constant::Class { name } => {
                let old = original.utf8(name)?.0;
                let new = match old {
                    [b'[', ..] => in_types(old, rename),
                    _ => rename(old),
                };
                new.map(|new| -> Result<_, PoolError> {
                    let name = editor.pool.add(Constant::Utf8(Utf8(&new)))?;
                    Ok(Constant::Class { name })
                })
            }
            Constant::NameAndType { name, descriptor } => {
                in_types(original.utf8(descriptor)?.0, rename).map(|new| {
                    let descriptor = editor.pool.add(Constant::Utf8(Utf8(&new)))?;
                    Ok(Constant::NameAndType { name, descriptor })
                })
            }
            Constant::MethodType { descriptor } => in_types(original.utf8(descriptor)?.0, rename)
                .map(|new| {
                    let descriptor = editor.pool.add(Constant::Utf8(Utf8(&new)))?;
                    Ok(Constant::MethodType { descriptor })
                }),
            _ => None,
        };
        if let Some(replaced) = replaced {
            editor.pool.replace(index, replaced?)?;
        }
    }
    let members = editor.fields.iter_mut().chain(&mut editor.methods);
    for member in members {
        rename_member(member, &mut editor.pool, rename)?;
    }
    for attribute in &mut editor.attributes {
        let name = editor.pool.utf8_at(attribute.name)?;
        if name == "Signature" {
            rename_index(&mut attribute.content, &mut editor.pool, rename)?;
        } else if name == "Record" {
            let content = attribute.content.clone();
            let mut record = Record::read(&Attribute {
                name: attribute.name,
                offset: 0,
                content: &content,
            })?;
            for component in &mut record.0 {
                let text = editor.pool.utf8_at(component.descriptor)?.0.to_vec();
                if let Some(new) = in_types(&text, rename) {
                    component.descriptor = editor.pool.add(Constant::Utf8(Utf8(&new)))?;
                }
            }
            attribute.content = record.write()?.into();
        }
    }
    Ok(())
}

fn rename_member(
    member: &mut MemberEditor<'_>,
    pool: &mut PoolEditor<'_>,
    rename: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<(), RenameError> {
    let text = pool.utf8_at(member.descriptor)?.0.to_vec();
    if let Some(new) = in_types(&text, rename) {
        member.descriptor = pool.add(Constant::Utf8(Utf8(&new)))?;
    }
    for attribute in &mut member.attributes {
        if pool.utf8_at(attribute.name)? == "Signature" {
            rename_index(&mut attribute.content, pool, rename)?;
        }
    }
    Ok(())
}

/// Renames in an attribute whose content is the index of a signature.
fn rename_index(
    content: &mut std::borrow::Cow<'_, [u8]>,
    pool: &mut PoolEditor<'_>,
    rename: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<(), RenameError> {
    let [high, low] = content.as_ref() else {
        return Ok(());
    };
    let text = pool.utf8_at(u16::from_be_bytes([*high, *low]))?.0.to_vec();
    if let Some(new) = in_types(&text, rename) {
        let index = pool.add(Constant::Utf8(Utf8(&new)))?;
        *content = index.to_be_bytes().to_vec().into();
    }
    Ok(())
}

/// Renames in a descriptor or signature; none if nothing changes.
fn in_types(text: &[u8], rename: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let mut scan = Scan {
        rest: text,
        out: Vec::with_capacity(text.len()),
        changed: false,
        rename,
    };
    // `<A:Lbound;B::Lbound;>`: names of type parameters look like types.
    if scan.rest.first() == Some(&b'<') {
        scan.copy(1);
        while !matches!(scan.rest.first(), None | Some(b'>')) {
            scan.copy_to(b":");
            while scan.rest.first() == Some(&b':') {
                scan.copy(1);
                if !matches!(scan.rest.first(), None | Some(b':')) {
                    scan.types(true);
                }
            }
        }
    }
    scan.types(false);
    scan.changed.then_some(scan.out)
}

struct Scan<'t> {
    rest: &'t [u8],
    out: Vec<u8>,
    changed: bool,
    rename: &'t dyn Fn(&[u8]) -> Option<Vec<u8>>,
}

impl<'t> Scan<'t> {
    /// Goes over one type, up to its `;`, or over all there are.
    fn types(&mut self, one: bool) {
        let mut depth: usize = 0;
        while let Some(first) = self.rest.first() {
            self.copy(1);
            match first {
                b'L' => {
                    let name = self.take_to(b";<.");
                    match (self.rename)(name) {
                        Some(new) => {
                            self.out.extend_from_slice(&new);
                            self.changed = true;
                        }
                        None => self.out.extend_from_slice(name),
                    }
                }
                b'T' => self.copy_to(b";"),
                // The simple name of a member class.
                b'.' => self.copy_to(b";<"),
                b'<' => depth = depth.saturating_add(1),
                b'>' => depth = depth.saturating_sub(1),
                b';' if one && depth == 0 => return,
                _ => {}
            }
        }
    }

    fn copy(&mut self, count: usize) {
        let (head, tail) = self.rest.split_at_checked(count).unwrap_or_default();
        self.out.extend_from_slice(head);
        self.rest = tail;
    }

    fn copy_to(&mut self, ends: &[u8]) {
        let name = self.take_to(ends);
        self.out.extend_from_slice(name);
    }

    /// What comes before the first of `ends`.
    fn take_to(&mut self, ends: &[u8]) -> &'t [u8] {
        let found = self.rest.iter().position(|byte| ends.contains(byte));
        let at = found.unwrap_or(self.rest.len());
        let (name, after) = self.rest.split_at_checked(at).unwrap_or_default();
        self.rest = after;
        name
    }
}

#[cfg(test)]
mod tests {
    use super::in_types;

    fn check(text: &str, expected: Option<&str>) {
        let rename = |name: &[u8]| (name == b"a/B").then(|| b"x/Longer".to_vec());
        let found = in_types(text.as_bytes(), &rename);
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{text}");
    }

    #[test]
    fn renames_in_descriptors_and_signatures() {
        check("(ILa/B;[[La/B;)V", Some("(ILx/Longer;[[Lx/Longer;)V"));
        check("(ILa/BC;La;)V", None);
        check(
            "<L:La/B;T::La/B;>Ljava/util/List<La/B;>;",
            Some("<L:Lx/Longer;T::Lx/Longer;>Ljava/util/List<Lx/Longer;>;"),
        );
        check("La/B<TT;>.La/B;", Some("Lx/Longer<TT;>.La/B;"));
        check("<T:", None);
    }
}
