//! Type annotations on code; the format is drawn in `read/annotations.rs`.

use super::{WriteError, fit_u2, put_list, put_u2};
use crate::read::{CodeAnnotations, CodeTarget};

impl CodeAnnotations<'_> {
    /// The content of the attribute.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_u2(&mut out, fit_u2("type annotations", self.0.len())?);
        for annotation in &self.0 {
            out.push(annotation.tag);
            match &annotation.target {
                CodeTarget::Locals(ranges) => {
                    put_list(&mut out, "variable ranges", ranges, |out, range| {
                        for value in [range.start, range.length, range.slot] {
                            put_u2(out, value);
                        }
                    })?;
                }
                CodeTarget::Catch(index) => put_u2(&mut out, *index),
                CodeTarget::Instruction(offset) => put_u2(&mut out, *offset),
                CodeTarget::Argument(offset, argument) => {
                    put_u2(&mut out, *offset);
                    out.push(*argument);
                }
            }
            out.extend_from_slice(annotation.rest);
        }
        Ok(out)
    }
}
