//! The `StackMapTable`; the format is drawn in `read/frames.rs`.

use super::{WriteError, fit_u2, put_list, put_u2};
use crate::read::{FrameKind, StackMapTable, VerificationType};

impl StackMapTable {
    /// The content of the attribute. Frames keep the form they have; one whose
    /// short form cannot hold its distance gets the extended form.
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        let mut out = Vec::new();
        put_u2(&mut out, fit_u2("stack map frames", self.0.len())?);
        let mut before: Option<u32> = None;
        for frame in &self.0 {
            let distance = match before {
                None => Some(frame.offset),
                Some(before) => frame.offset.checked_sub(before.saturating_add(1)),
            };
            let delta = distance.and_then(|d| u16::try_from(d).ok()).ok_or(
                WriteError::FrameOutOfOrder {
                    offset: frame.offset,
                },
            )?;
            before = Some(frame.offset);
            frame.kind.write(&mut out, delta)?;
        }
        Ok(out)
    }
}

impl FrameKind {
    fn write(&self, out: &mut Vec<u8>, delta: u16) -> Result<(), WriteError> {
        let short = u8::try_from(delta).ok().filter(|delta| *delta < 64);
        match (self, short) {
            (Self::Same { extended: false }, Some(delta)) => out.push(delta),
            (Self::Same { .. }, _) => {
                out.push(251);
                put_u2(out, delta);
            }
            (
                Self::SameLocals {
                    stack,
                    extended: false,
                },
                Some(delta),
            ) => {
                out.push(64 | delta);
                stack.write(out);
            }
            (Self::SameLocals { stack, .. }, _) => {
                out.push(247);
                put_u2(out, delta);
                stack.write(out);
            }
            (Self::Chop(count), _) => {
                out.push(251_u8.saturating_sub(*count));
                put_u2(out, delta);
            }
            (Self::Append(locals), _) => {
                let count = u8::try_from(locals.len()).unwrap_or(u8::MAX);
                out.push(251_u8.saturating_add(count));
                put_u2(out, delta);
                locals.iter().for_each(|ty| ty.write(out));
            }
            (Self::Full { locals, stack }, _) => {
                out.push(255);
                put_u2(out, delta);
                put_list(out, "locals in a frame", locals, |out, ty| ty.write(out))?;
                put_list(out, "values in a frame", stack, |out, ty| ty.write(out))?;
            }
        }
        Ok(())
    }
}

impl VerificationType {
    fn write(self, out: &mut Vec<u8>) {
        let (tag, operand) = match self {
            Self::Top => (0, None),
            Self::Integer => (1, None),
            Self::Float => (2, None),
            Self::Double => (3, None),
            Self::Long => (4, None),
            Self::Null => (5, None),
            Self::UninitializedThis => (6, None),
            Self::Object(class) => (7, Some(class)),
            Self::Uninitialized(offset) => (8, Some(offset)),
        };
        out.push(tag);
        if let Some(operand) = operand {
            put_u2(out, operand);
        }
    }
}
