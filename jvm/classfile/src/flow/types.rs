//! Types of values and the state of a frame, in the verifier's terms.

use super::FlowError;
use crate::descriptor::FieldType;
use crate::read::{Pool, ReadError, VerificationType};
use crate::write::{PoolEditor, PoolError};

/// The type of a local or stack value. Names are borrowed from the constant
/// pool, so that a state is cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // As in `VerificationType`.
pub enum Type<'a> {
    Top,
    Integer,
    Float,
    Long,
    Double,
    Null,
    UninitializedThis,
    /// The result of the `new` at this offset.
    Uninitialized(u32),
    /// A class by name, or an array by descriptor.
    Object(&'a [u8]),
    /// An array whose elements are of the class or array of this name.
    ArrayOf(&'a [u8]),
    /// What `jsr` pushes.
    Address,
}

impl<'a> Type<'a> {
    pub(crate) fn slots(self) -> usize {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }

    pub(crate) fn is_reference(self) -> bool {
        matches!(self, Self::Null | Self::Object(_) | Self::ArrayOf(_))
    }

    pub(crate) fn of_field(ty: FieldType<'a>) -> Self {
        match ty {
            FieldType::Long => Self::Long,
            FieldType::Float => Self::Float,
            FieldType::Double => Self::Double,
            FieldType::Object(name) | FieldType::Array(name) => Self::Object(name.0),
            _ => Self::Integer,
        }
    }

    pub(crate) fn of_verification(
        ty: VerificationType,
        pool: &Pool<'a>,
    ) -> Result<Self, ReadError> {
        Ok(match ty {
            VerificationType::Top => Self::Top,
            VerificationType::Integer => Self::Integer,
            VerificationType::Float => Self::Float,
            VerificationType::Double => Self::Double,
            VerificationType::Long => Self::Long,
            VerificationType::Null => Self::Null,
            VerificationType::UninitializedThis => Self::UninitializedThis,
            VerificationType::Object(class) => Self::Object(pool.class_name(class)?.0),
            VerificationType::Uninitialized(offset) => Self::Uninitialized(offset.into()),
        })
    }

    /// The element type of an array, as `aaload` pushes it.
    pub(crate) fn element(self) -> Option<Self> {
        match self {
            Self::Null => Some(Self::Null),
            Self::ArrayOf(name) => Some(Self::Object(name)),
            Self::Object([b'[', rest @ ..]) => match rest {
                [b'L', name @ .., b';'] => Some(Self::Object(name)),
                [b'[', ..] => Some(Self::Object(rest)),
                _ => None,
            },
            _ => None,
        }
    }

    /// As it is written in a frame. Offsets are not mapped.
    pub(crate) fn to_verification(
        self,
        pool: &mut PoolEditor<'_>,
    ) -> Result<VerificationType, PoolError> {
        use crate::mutf8::Utf8;
        Ok(match self {
            // An address cannot be written; its slot becomes unusable.
            Self::Top | Self::Address => VerificationType::Top,
            Self::Integer => VerificationType::Integer,
            Self::Float => VerificationType::Float,
            Self::Long => VerificationType::Long,
            Self::Double => VerificationType::Double,
            Self::Null => VerificationType::Null,
            Self::UninitializedThis => VerificationType::UninitializedThis,
            Self::Uninitialized(offset) => {
                VerificationType::Uninitialized(u16::try_from(offset).unwrap_or(u16::MAX))
            }
            Self::Object(name) => VerificationType::Object(pool.class_bytes(Utf8(name))?),
            Self::ArrayOf(name) => {
                let text = match name {
                    [b'[', ..] => [b"[", name].concat(),
                    _ => [b"[L", name, b";"].concat(),
                };
                VerificationType::Object(pool.class_bytes(Utf8(&text))?)
            }
        })
    }
}

/// Locals and stack before an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct State<'a> {
    /// By slot; the second slot of a Long or Double is Top.
    pub locals: Vec<Type<'a>>,
    /// By value, the top last.
    pub stack: Vec<Type<'a>>,
}

impl<'a> State<'a> {
    /// From the lists of a frame, where Long and Double stand for two slots.
    pub(crate) fn of_lists(locals: &[Type<'a>], stack: Vec<Type<'a>>) -> Self {
        let mut slots = Vec::with_capacity(locals.len().saturating_add(4));
        for ty in locals {
            slots.push(*ty);
            if ty.slots() == 2 {
                slots.push(Type::Top);
            }
        }
        Self {
            locals: slots,
            stack,
        }
    }

    /// The locals as a frame lists them, without unusable ones at the end.
    pub(crate) fn local_list(&self) -> Vec<Type<'a>> {
        let mut list = Vec::new();
        let mut slots = self.locals.iter();
        while let Some(ty) = slots.next() {
            list.push(*ty);
            if ty.slots() == 2 {
                slots.next();
            }
        }
        while matches!(list.last(), Some(Type::Top | Type::Address)) {
            list.pop();
        }
        list
    }

    /// Whether `this` may still need `super()`.
    pub(crate) fn holds_uninitialized_this(&self) -> bool {
        self.locals
            .iter()
            .chain(&self.stack)
            .any(|ty| *ty == Type::UninitializedThis)
    }

    pub(crate) fn pop(&mut self, offset: u32) -> Result<Type<'a>, FlowError> {
        self.stack.pop().ok_or(FlowError::StackUnderflow { offset })
    }

    /// Pops values of exactly that many slots; the top is last.
    pub(crate) fn pop_slots(
        &mut self,
        slots: usize,
        offset: u32,
    ) -> Result<Vec<Type<'a>>, FlowError> {
        let mut taken = Vec::with_capacity(slots);
        let mut left = slots;
        while left > 0 {
            let ty = self.pop(offset)?;
            left = left
                .checked_sub(ty.slots())
                .ok_or(FlowError::SplitValue { offset })?;
            taken.push(ty);
        }
        taken.reverse();
        Ok(taken)
    }

    pub(crate) fn local(&self, slot: u16) -> Type<'a> {
        self.locals
            .get(usize::from(slot))
            .copied()
            .unwrap_or(Type::Top)
    }

    /// Stores into a slot; a Long or Double that it cuts in half is lost.
    pub(crate) fn set_local(&mut self, slot: u16, ty: Type<'a>) {
        let slot = usize::from(slot);
        let end = slot.saturating_add(ty.slots());
        if self.locals.len() < end {
            self.locals.resize(end, Type::Top);
        }
        if let Some(before) = slot.checked_sub(1).and_then(|i| self.locals.get_mut(i))
            && before.slots() == 2
        {
            *before = Type::Top;
        }
        if let Some(here) = self.locals.get_mut(slot) {
            *here = ty;
        }
        if ty.slots() == 2
            && let Some(second) = self.locals.get_mut(end.saturating_sub(1))
        {
            *second = Type::Top;
        }
    }

    /// Replaces every `from`, as a constructor call does.
    pub(crate) fn initialize(&mut self, from: Type<'a>, to: Type<'a>) {
        for ty in self.locals.iter_mut().chain(&mut self.stack) {
            if *ty == from {
                *ty = to;
            }
        }
    }
}
