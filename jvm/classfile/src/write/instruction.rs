//! Straight-line code to insert.
//!
//! A [`Snippet`] has no jumps, so it can stand anywhere and needs no stack map
//! frame of its own. Whoever needs a branch puts it into a static method and
//! calls that. The snippet keeps count of the stack while it is built, so that
//! nobody has to work out `max_stack`. Its constants are indexes into the pool
//! it was built with: it fits into methods of that class only.

use super::{PoolEditor, PoolError, put_u2};
use crate::descriptor::{DescriptorError, FieldType, MethodDescriptor};
use crate::mutf8::{self, Utf8};
use crate::opcode::{self, Format};
use crate::read::{Constant, Instructions, ReadError};

/// A piece of straight-line code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    bytes: Vec<u8>,
    /// Slots on the stack now, relative to the beginning.
    depth: i64,
    /// The most there were.
    peak: i64,
    /// One more than the highest local slot used.
    locals: u32,
    /// Whether the last instruction leaves the method.
    ends: bool,
}

/// The kinds of call, without `invokedynamic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invoke {
    /// A static method of a class.
    Static,
    /// A static method of an interface.
    InterfaceStatic,
    /// An instance method of a class.
    Virtual,
    /// A constructor, private or superclass method.
    Special,
    /// An instance method of an interface.
    Interface,
    /// A private method of an interface, or a default one by `super`.
    InterfaceSpecial,
}

/// Why an instruction could not be added to a snippet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnippetError {
    /// The constant pool could not take what was needed.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A descriptor that is none.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// Bytes that are no instructions.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An instruction that needs operands, or that jumps.
    #[error("opcode {opcode:#04x} cannot stand in straight-line code this way")]
    NotPlain {
        /// The opcode.
        opcode: u8,
    },
    /// An instruction after a return or `athrow`.
    #[error("opcode {opcode:#04x} after the end of the code")]
    AfterEnd {
        /// The opcode.
        opcode: u8,
    },
    /// A slot beyond what `iinc` and the like can name.
    #[error("amount {amount} does not fit into 16 bits")]
    AmountTooLarge {
        /// The amount.
        amount: i32,
    },
}

type Built<'s> = Result<&'s mut Snippet, SnippetError>;

impl Snippet {
    /// No code.
    pub fn new() -> Self {
        Self::default()
    }

    /// Code that was assembled elsewhere. `peak` is the most slots it has on
    /// the stack at once, `depth` what it leaves there, both relative to its
    /// beginning. The bytes must be whole instructions without jumps.
    pub fn from_bytes(bytes: &[u8], peak: u16, depth: i32) -> Result<Self, SnippetError> {
        let mut snippet = Self {
            bytes: bytes.to_vec(),
            depth: depth.into(),
            peak: peak.into(),
            ..Self::default()
        };
        for instruction in Instructions::new(bytes) {
            let instruction = instruction?;
            let opcode = instruction.opcode;
            let mut jumps = opcode == opcode::RET;
            instruction.each_target(|_| jumps = true);
            if jumps {
                return Err(SnippetError::NotPlain { opcode });
            }
            snippet.check_open(opcode)?;
            if let Some(slot) = instruction.local() {
                snippet.use_local(slot, 2);
            }
            snippet.ends = !opcode::falls_through(opcode);
        }
        Ok(snippet)
    }

    /// `test` leaves an int on the stack; unless that is zero, `yes` is done, which
    /// leaves the method. A frame is needed where it goes on otherwise.
    pub(crate) fn unless(test: &Self, yes: &Self) -> Result<Self, SnippetError> {
        let distance = yes.bytes.len().saturating_add(3);
        let distance = i16::try_from(distance).map_err(|_| SnippetError::NotPlain {
            opcode: opcode::IFEQ,
        })?;
        let mut bytes = test.bytes.clone();
        bytes.push(opcode::IFEQ);
        bytes.extend_from_slice(&distance.to_be_bytes());
        bytes.extend_from_slice(&yes.bytes);
        Ok(Self {
            bytes,
            depth: 0,
            peak: test.peak.max(yes.peak),
            locals: test.locals.max(yes.locals),
            ends: false,
        })
    }

    /// The instructions.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether the last instruction is a return or `athrow`.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// The stack slots needed above what is there at the beginning.
    pub fn max_stack(&self) -> u16 {
        u16::try_from(self.peak).unwrap_or(u16::MAX)
    }

    /// The slots the stack has grown by at the end.
    pub fn depth(&self) -> i64 {
        self.depth
    }

    /// One more than the highest local slot used.
    pub fn max_locals(&self) -> u16 {
        u16::try_from(self.locals).unwrap_or(u16::MAX)
    }

    /// An instruction without operands: `dup`, `iadd`, `athrow`, …
    pub fn op(&mut self, opcode: u8) -> Built<'_> {
        if opcode::format(opcode) != Some(Format::Plain) {
            return Err(SnippetError::NotPlain { opcode });
        }
        let (pops, pushes) = match opcode::effect(opcode).split_once('>') {
            Some((pops, pushes)) => (slots(pops), slots(pushes)),
            None => match opcode {
                opcode::ALOAD_0..=opcode::ALOAD_3 => (0, 1),
                opcode::AALOAD => (2, 1),
                opcode::POP => (1, 0),
                opcode::POP2 => (2, 0),
                opcode::DUP | opcode::DUP_X1 | opcode::DUP_X2 => (0, 1),
                opcode::DUP2 | opcode::DUP2_X1 | opcode::DUP2_X2 => (0, 2),
                _ => (0, 0), // swap
            },
        };
        let first = match opcode {
            opcode::ILOAD_0..=opcode::ALOAD_3 => Some(opcode::ILOAD_0),
            opcode::ISTORE_0..=opcode::ASTORE_3 => Some(opcode::ISTORE_0),
            _ => None,
        };
        if let Some(first) = first {
            self.use_local(u16::from(opcode.wrapping_sub(first) & 3), pops.max(pushes));
        }
        self.add(opcode, &[], pops, pushes)?;
        self.ends = !opcode::falls_through(opcode);
        Ok(self)
    }

    /// An `int`, in the shortest form.
    pub fn push_int(&mut self, value: i32, pool: &mut PoolEditor<'_>) -> Built<'_> {
        match value {
            -1..=5 => {
                // The opcodes of -1 to 5 follow each other.
                let opcode = i32::from(opcode::ICONST_0).saturating_add(value);
                self.op(u8::try_from(opcode).unwrap_or(opcode::ICONST_0))
            }
            -128..=127 => {
                let [.., byte] = value.to_be_bytes();
                self.add(opcode::BIPUSH, &[byte], 0, 1)
            }
            -32768..=32767 => {
                let [.., high, low] = value.to_be_bytes();
                self.add(opcode::SIPUSH, &[high, low], 0, 1)
            }
            _ => {
                let index = pool.add(Constant::Integer(value))?;
                self.push_constant(index, false)
            }
        }
    }

    /// A `long`.
    pub fn push_long(&mut self, value: i64, pool: &mut PoolEditor<'_>) -> Built<'_> {
        match value {
            0 => self.op(opcode::LCONST_0),
            1 => self.op(opcode::LCONST_1),
            _ => {
                let index = pool.add(Constant::Long(value))?;
                self.push_constant(index, true)
            }
        }
    }

    /// A string.
    pub fn push_string(&mut self, text: &str, pool: &mut PoolEditor<'_>) -> Built<'_> {
        let index = pool.string(text)?;
        self.push_constant(index, false)
    }

    /// A class object. Class files older than 49 have no such constants.
    pub fn push_class(&mut self, name: &str, pool: &mut PoolEditor<'_>) -> Built<'_> {
        let index = pool.class(name)?;
        self.push_constant(index, false)
    }

    /// The constant at `index`; `two_slots` for Long and Double.
    pub fn push_constant(&mut self, index: u16, two_slots: bool) -> Built<'_> {
        match u8::try_from(index) {
            _ if two_slots => self.add(opcode::LDC2_W, &index.to_be_bytes(), 0, 2),
            Ok(index) => self.add(opcode::LDC, &[index], 0, 1),
            Err(_) => self.add(opcode::LDC_W, &index.to_be_bytes(), 0, 1),
        }
    }

    /// Loads a local of that type.
    pub fn load(&mut self, ty: FieldType<'_>, slot: u16) -> Built<'_> {
        let slots = i64::from(ty.slots());
        self.local(opcode::ILOAD, opcode::ILOAD_0, ty, slot, 0, slots)
    }

    /// Stores into a local of that type.
    pub fn store(&mut self, ty: FieldType<'_>, slot: u16) -> Built<'_> {
        let slots = i64::from(ty.slots());
        self.local(opcode::ISTORE, opcode::ISTORE_0, ty, slot, slots, 0)
    }

    /// Adds to an `int` local.
    pub fn increment(&mut self, slot: u16, amount: i32) -> Built<'_> {
        let wide = i16::try_from(amount).map_err(|_| SnippetError::AmountTooLarge { amount })?;
        self.use_local(slot, 1);
        if let (Ok(slot), Ok(amount)) = (u8::try_from(slot), i8::try_from(wide)) {
            return self.add(opcode::IINC, &[slot, amount.cast_unsigned()], 0, 0);
        }
        let mut operands = vec![opcode::IINC];
        put_u2(&mut operands, slot);
        put_u2(&mut operands, wide.cast_unsigned());
        self.add(opcode::WIDE, &operands, 0, 0)
    }

    /// `getstatic`, `putstatic`, `getfield` or `putfield`.
    pub fn field(
        &mut self,
        opcode: u8,
        class: &str,
        name: &str,
        descriptor: &str,
        pool: &mut PoolEditor<'_>,
    ) -> Built<'_> {
        let text = mutf8::encode(descriptor);
        let slots = i64::from(FieldType::parse(Utf8(&text))?.slots());
        let (pops, pushes) = match opcode {
            opcode::GETSTATIC => (0, slots),
            opcode::PUTSTATIC => (slots, 0),
            opcode::GETFIELD => (1, slots),
            opcode::PUTFIELD => (slots.saturating_add(1), 0),
            _ => return Err(SnippetError::NotPlain { opcode }),
        };
        let index = pool.field(class, name, descriptor)?;
        self.add(opcode, &index.to_be_bytes(), pops, pushes)
    }

    /// A call.
    pub fn invoke(
        &mut self,
        kind: Invoke,
        class: &str,
        name: &str,
        descriptor: &str,
        pool: &mut PoolEditor<'_>,
    ) -> Built<'_> {
        let text = mutf8::encode(descriptor);
        let method = MethodDescriptor::parse(Utf8(&text))?;
        let arguments = i64::from(method.parameter_slots());
        let result = i64::from(method.result_slots());
        let with_this = arguments.saturating_add(1);
        let index = match kind {
            Invoke::Interface | Invoke::InterfaceStatic | Invoke::InterfaceSpecial => {
                pool.interface_method(class, name, descriptor)?
            }
            _ => pool.method(class, name, descriptor)?,
        };
        let [high, low] = index.to_be_bytes();
        match kind {
            Invoke::Static | Invoke::InterfaceStatic => {
                self.add(opcode::INVOKESTATIC, &[high, low], arguments, result)
            }
            Invoke::Virtual => self.add(opcode::INVOKEVIRTUAL, &[high, low], with_this, result),
            Invoke::Special | Invoke::InterfaceSpecial => {
                self.add(opcode::INVOKESPECIAL, &[high, low], with_this, result)
            }
            Invoke::Interface => {
                let count = u8::try_from(with_this).unwrap_or(u8::MAX);
                let operands = [high, low, count, 0];
                self.add(opcode::INVOKEINTERFACE, &operands, with_this, result)
            }
        }
    }

    /// `invokedynamic` with the bootstrap at that position of
    /// `BootstrapMethods`.
    pub fn invoke_dynamic(
        &mut self,
        bootstrap: u16,
        name: &str,
        descriptor: &str,
        pool: &mut PoolEditor<'_>,
    ) -> Built<'_> {
        let text = mutf8::encode(descriptor);
        let method = MethodDescriptor::parse(Utf8(&text))?;
        let name_and_type = pool.name_and_type(name, descriptor)?;
        let [high, low] = pool
            .add(Constant::InvokeDynamic {
                bootstrap,
                name_and_type,
            })?
            .to_be_bytes();
        self.add(
            opcode::INVOKEDYNAMIC,
            &[high, low, 0, 0],
            method.parameter_slots().into(),
            method.result_slots().into(),
        )
    }

    /// `new`, `anewarray`, `checkcast` or `instanceof`.
    pub fn with_class(&mut self, opcode: u8, class: &str, pool: &mut PoolEditor<'_>) -> Built<'_> {
        let pops = match opcode {
            opcode::NEW => 0,
            opcode::ANEWARRAY | opcode::CHECKCAST | opcode::INSTANCEOF => 1,
            _ => return Err(SnippetError::NotPlain { opcode }),
        };
        let index = pool.class(class)?;
        self.add(opcode, &index.to_be_bytes(), pops, 1)
    }

    fn local(
        &mut self,
        long: u8,
        short: u8,
        ty: FieldType<'_>,
        slot: u16,
        pops: i64,
        pushes: i64,
    ) -> Built<'_> {
        let kind: u8 = match ty {
            FieldType::Long => 1,
            FieldType::Float => 2,
            FieldType::Double => 3,
            FieldType::Object(_) | FieldType::Array(_) => 4,
            _ => 0,
        };
        self.use_local(slot, pops.max(pushes));
        let long = long.saturating_add(kind);
        match u8::try_from(slot) {
            Ok(slot @ 0..=3) => {
                let opcode = short
                    .saturating_add(kind.saturating_mul(4))
                    .saturating_add(slot);
                self.add(opcode, &[], pops, pushes)
            }
            Ok(slot) => self.add(long, &[slot], pops, pushes),
            Err(_) => {
                let [high, low] = slot.to_be_bytes();
                self.add(opcode::WIDE, &[long, high, low], pops, pushes)
            }
        }
    }

    fn use_local(&mut self, slot: u16, slots: i64) {
        let slots = u32::try_from(slots).unwrap_or(2);
        self.locals = self.locals.max(u32::from(slot).saturating_add(slots));
    }

    fn check_open(&self, opcode: u8) -> Result<(), SnippetError> {
        match self.ends {
            true => Err(SnippetError::AfterEnd { opcode }),
            false => Ok(()),
        }
    }

    fn add(&mut self, opcode: u8, operands: &[u8], pops: i64, pushes: i64) -> Built<'_> {
        self.check_open(opcode)?;
        self.bytes.push(opcode);
        self.bytes.extend_from_slice(operands);
        self.depth = self.depth.saturating_sub(pops).saturating_add(pushes);
        self.peak = self.peak.max(self.depth);
        Ok(self)
    }
}

/// The slots of the types in an effect.
fn slots(types: &str) -> i64 {
    types
        .bytes()
        .map(|ty| if matches!(ty, b'J' | b'D') { 2 } else { 1 })
        .sum()
}
