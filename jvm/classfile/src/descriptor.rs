//! Field and method descriptors: `I`, `[J`, `Ljava/lang/String;`, `(ID)V`.

use crate::mutf8::Utf8;

/// The type of a field, parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The primitive types need no explanation.
pub enum FieldType<'a> {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    /// A class or interface, by name: `java/lang/String`.
    Object(Utf8<'a>),
    /// An array, by its whole descriptor: `[[I`.
    Array(Utf8<'a>),
}

/// The parameters and the result of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodDescriptor<'a> {
    /// The parameters, without `this`.
    pub parameters: Vec<FieldType<'a>>,
    /// The result; none for `void`.
    pub result: Option<FieldType<'a>>,
}

/// Why text is not a descriptor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptorError {
    /// A character that cannot stand here.
    #[error("byte {found:#04x} at {offset} of descriptor {descriptor:?}")]
    Unexpected {
        /// The descriptor.
        descriptor: String,
        /// Where in it.
        offset: usize,
        /// What stands there.
        found: u8,
    },
    /// The text ends too early.
    #[error("descriptor {descriptor:?} ends too early")]
    Truncated {
        /// The descriptor.
        descriptor: String,
    },
    /// More than 255 dimensions.
    #[error("descriptor {descriptor:?} has more than 255 dimensions")]
    TooManyDimensions {
        /// The descriptor.
        descriptor: String,
    },
    /// More than 255 slots of parameters.
    #[error("descriptor {descriptor:?} needs {slots} slots of parameters, 255 are allowed")]
    TooManyParameters {
        /// The descriptor.
        descriptor: String,
        /// How many slots it needs.
        slots: u32,
    },
}

impl<'a> FieldType<'a> {
    /// Parses a field descriptor.
    pub fn parse(descriptor: Utf8<'a>) -> Result<Self, DescriptorError> {
        let mut parser = Parser::new(descriptor);
        let ty = parser.field()?;
        parser.finish()?;
        Ok(ty)
    }

    /// How many local or stack slots a value takes.
    pub fn slots(self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }

    /// Whether it is a class or an array.
    pub fn is_reference(self) -> bool {
        matches!(self, Self::Object(_) | Self::Array(_))
    }

    /// What the array holds; none if it is no array.
    pub fn element(self) -> Option<Self> {
        match self {
            Self::Array(descriptor) => Self::parse(Utf8(descriptor.0.get(1..)?)).ok(),
            _ => None,
        }
    }
}

impl<'a> MethodDescriptor<'a> {
    /// Parses a method descriptor.
    pub fn parse(descriptor: Utf8<'a>) -> Result<Self, DescriptorError> {
        let mut parser = Parser::new(descriptor);
        parser.expect(b'(')?;
        let mut parameters = Vec::new();
        while parser.peek() != Some(b')') {
            parameters.push(parser.field()?);
        }
        parser.expect(b')')?;
        let result = if parser.peek() == Some(b'V') {
            parser.expect(b'V')?;
            None
        } else {
            Some(parser.field()?)
        };
        parser.finish()?;
        let slots = parameters.iter().map(|p| u32::from(p.slots())).sum();
        if slots > 255 {
            return Err(DescriptorError::TooManyParameters {
                descriptor: descriptor.to_string(),
                slots,
            });
        }
        Ok(Self { parameters, result })
    }

    /// The slots of the parameters, without `this`; at most 255.
    pub fn parameter_slots(&self) -> u16 {
        self.parameters.iter().map(|p| p.slots()).sum()
    }

    /// The slots of the result; 0 for `void`.
    pub fn result_slots(&self) -> u16 {
        self.result.map_or(0, FieldType::slots)
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn new(descriptor: Utf8<'a>) -> Self {
        Self {
            text: descriptor.0,
            at: 0,
        }
    }

    fn descriptor(&self) -> String {
        Utf8(self.text).to_string()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, DescriptorError> {
        let byte = self.peek().ok_or_else(|| DescriptorError::Truncated {
            descriptor: self.descriptor(),
        })?;
        self.at = self.at.saturating_add(1);
        Ok(byte)
    }

    fn unexpected(&self, offset: usize, found: u8) -> DescriptorError {
        DescriptorError::Unexpected {
            descriptor: self.descriptor(),
            offset,
            found,
        }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), DescriptorError> {
        let offset = self.at;
        match self.next()? {
            found if found == wanted => Ok(()),
            found => Err(self.unexpected(offset, found)),
        }
    }

    fn since(&self, start: usize) -> Utf8<'a> {
        Utf8(self.text.get(start..self.at).unwrap_or_default())
    }

    fn field(&mut self) -> Result<FieldType<'a>, DescriptorError> {
        let start = self.at;
        while self.peek() == Some(b'[') {
            self.next()?;
        }
        let dimensions = self.at.saturating_sub(start);
        if dimensions > 255 {
            return Err(DescriptorError::TooManyDimensions {
                descriptor: self.descriptor(),
            });
        }
        let offset = self.at;
        let element = match self.next()? {
            b'Z' => FieldType::Boolean,
            b'B' => FieldType::Byte,
            b'C' => FieldType::Char,
            b'S' => FieldType::Short,
            b'I' => FieldType::Int,
            b'J' => FieldType::Long,
            b'F' => FieldType::Float,
            b'D' => FieldType::Double,
            b'L' => {
                let name = self.at;
                while !matches!(self.peek(), None | Some(b';')) {
                    self.next()?;
                }
                let name = self.since(name);
                self.expect(b';')?;
                FieldType::Object(name)
            }
            found => return Err(self.unexpected(offset, found)),
        };
        Ok(match dimensions {
            0 => element,
            _ => FieldType::Array(self.since(start)),
        })
    }

    fn finish(&self) -> Result<(), DescriptorError> {
        match self.peek() {
            None => Ok(()),
            Some(found) => Err(self.unexpected(self.at, found)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(text: &str) -> Result<(usize, u16, u16), DescriptorError> {
        MethodDescriptor::parse(Utf8(text.as_bytes()))
            .map(|m| (m.parameters.len(), m.parameter_slots(), m.result_slots()))
    }

    #[test]
    fn counts_slots() {
        assert_eq!(method("()V"), Ok((0, 0, 0)));
        assert_eq!(method("(IJ[JLa/B;D)J"), Ok((5, 7, 2)));
        assert_eq!(
            method(&format!("({})V", "J".repeat(127))),
            Ok((127, 254, 0))
        );
    }

    #[test]
    fn names_what_is_wrong() {
        let unexpected = |descriptor: &str, offset, found| {
            Err(DescriptorError::Unexpected {
                descriptor: descriptor.into(),
                offset,
                found,
            })
        };
        assert_eq!(method("I"), unexpected("I", 0, b'I'));
        assert_eq!(method("(V)V"), unexpected("(V)V", 1, b'V'));
        assert_eq!(method("()VV"), unexpected("()VV", 3, b'V'));
        assert!(matches!(
            method("(La"),
            Err(DescriptorError::Truncated { .. })
        ));
        assert!(matches!(
            method(&format!("({})V", "J".repeat(128))),
            Err(DescriptorError::TooManyParameters { slots: 256, .. })
        ));
        assert!(matches!(
            FieldType::parse(Utf8("[".repeat(256).as_bytes())),
            Err(DescriptorError::TooManyDimensions { .. })
        ));
    }

    #[test]
    fn elements_of_arrays() {
        let ints = FieldType::parse(Utf8(b"[[I")).unwrap();
        assert_eq!(ints.element(), Some(FieldType::Array(Utf8(b"[I"))));
        assert_eq!(ints.element().unwrap().element(), Some(FieldType::Int));
        assert_eq!(FieldType::Int.element(), None);
        assert!(ints.is_reference() && !FieldType::Int.is_reference());
    }
}
