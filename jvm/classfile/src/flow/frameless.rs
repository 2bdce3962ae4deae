//! Classes that are verified without their frames, although their version has some.

use super::walk;
use crate::read::{ClassFile, ReadError};

/// The version in which frames are new: a JVM that finds them wrong or missing
/// verifies the class once more, as it does those of the version before.
const MAY_HAVE_FRAMES: u16 = 50;
const BEFORE_FRAMES: u16 = 49;

/// Parses a class that is to be edited. One of version 50 whose frames do not tell
/// all types, as some generators of code write it, becomes one of version 49: the
/// JVM does not hold it against frames either, and edited code needs none.
pub fn parse_for_edit(bytes: &[u8]) -> Result<ClassFile<'_>, ReadError> {
    let mut class = ClassFile::parse(bytes)?;
    if class.major == MAY_HAVE_FRAMES && !tells_all_types(&class)? {
        class.major = BEFORE_FRAMES;
    }
    Ok(class)
}

fn tells_all_types(class: &ClassFile<'_>) -> Result<bool, ReadError> {
    for method in &class.methods {
        if let Some(code) = class.code(method)?
            && walk(class, method, &code, |_, _| {}).is_err()
        {
            return Ok(false);
        }
    }
    Ok(true)
}
