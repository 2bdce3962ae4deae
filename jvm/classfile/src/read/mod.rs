//! Reading: a borrowed view of a class file that loses nothing.
//!
//! [`ClassFile::parse`] splits the file into constant pool, members and
//! attributes and keeps every attribute as the bytes it had. What an attribute
//! means is read on demand by a typed reader ([`Code::read`],
//! [`InnerClasses::read`], …), so that reading a class costs little when only
//! one method is of interest, and an attribute this crate does not know can
//! still be copied.
//!
//! Each file here has a counterpart with the same name in [`crate::write`].

mod annotations;
mod attribute;
mod class;
mod code;
pub(crate) mod cursor;
mod frames;
mod instruction;
mod pool;

pub use annotations::{CodeAnnotation, CodeAnnotations, CodeTarget, LocalRange};
pub use attribute::{
    BootstrapMethod, BootstrapMethods, ConstantValue, EnclosingMethod, Exceptions, InnerClass,
    InnerClasses, Module, ModuleGrant, ModuleProvide, ModuleRequire, NestHost, NestMembers,
    PermittedSubclasses, Record, RecordComponent, Signature, SourceFile,
};
pub use class::{Attribute, ClassFile, Member, access};
pub use code::{
    Code, ExceptionEntry, LineNumber, LineNumberTable, LocalVariable, LocalVariableTable,
};
pub use frames::{Frame, FrameKind, StackMapTable, VerificationType};
pub(crate) use instruction::padding;
pub use instruction::{Instruction, Instructions, LookupSwitch, Operands, TableSwitch};
pub use pool::{Constant, MemberRef, Pool};

/// Why bytes could not be read as a class file or a part of one. Offsets count
/// from the start of the file, except in code, where they are those of the
/// instruction.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes end too early.
    #[error("{needed} bytes needed at offset {offset}, {available} left")]
    Truncated {
        /// Where the bytes were needed.
        offset: usize,
        /// How many were needed.
        needed: usize,
        /// How many there were.
        available: usize,
    },
    /// There are bytes after the end.
    #[error("unexpected bytes at offset {offset}: {count}")]
    TrailingBytes {
        /// The first of them.
        offset: usize,
        /// How many.
        count: usize,
    },
    /// The file does not begin with `CAFEBABE`.
    #[error("not a class file: it begins with {found:08X}")]
    BadMagic {
        /// What it begins with.
        found: u32,
    },
    /// A class file of a Java release this crate does not know.
    #[error("class file version {major}.{minor} is not between 45.3 and 69")]
    UnsupportedVersion {
        /// The major version.
        major: u16,
        /// The minor version.
        minor: u16,
    },
    /// A constant with an unknown tag.
    #[error("constant {index} at offset {offset} has unknown tag {tag}")]
    BadConstantTag {
        /// The index of the constant.
        index: u16,
        /// Where the tag is.
        offset: usize,
        /// The tag.
        tag: u8,
    },
    /// The pool's count is 0, though index 0 counts and is always unused.
    #[error("the constant pool at offset {offset} has a count of 0")]
    EmptyPool {
        /// Where the count is.
        offset: usize,
    },
    /// The last constant takes two entries and there is only one left.
    #[error("constant {index} takes two entries, the pool has {count}")]
    ConstantBeyondPool {
        /// The index of the constant.
        index: u16,
        /// The pool's count.
        count: u16,
    },
    /// An index that names no constant.
    #[error("there is no constant {index}: the pool has {count}")]
    NoSuchConstant {
        /// The index.
        index: u16,
        /// The pool's count.
        count: u16,
    },
    /// A constant of another kind than its use demands.
    #[error("constant {index} has tag {tag} where a {expected} is needed")]
    WrongConstant {
        /// The index.
        index: u16,
        /// Its tag.
        tag: u8,
        /// The kind that was expected.
        expected: &'static str,
    },
    /// A byte in code that is no instruction.
    #[error("no instruction has opcode {opcode:#04x} (at {offset})")]
    BadOpcode {
        /// Where it is in the code.
        offset: u32,
        /// The opcode.
        opcode: u8,
    },
    /// `wide` before an instruction that has no wide form.
    #[error("opcode {opcode:#04x} at {offset} has no wide form")]
    BadWide {
        /// Where the `wide` is in the code.
        offset: u32,
        /// The opcode after it.
        opcode: u8,
    },
    /// A switch whose bounds make no sense.
    #[error("the switch at {offset} goes from {low} to {high}")]
    BadSwitch {
        /// Where it is in the code.
        offset: u32,
        /// The lowest key, or 0 for a `lookupswitch`.
        low: i32,
        /// The highest key, or the number of pairs of a `lookupswitch`.
        high: i32,
    },
    /// A method body that is empty or longer than 65,535 bytes.
    #[error("code of {length} bytes; between 1 and 65535 are allowed")]
    BadCodeLength {
        /// Its length.
        length: u32,
    },
    /// A stack map frame of an unknown kind.
    #[error("stack map frame at offset {offset} has reserved kind {tag}")]
    BadFrame {
        /// Where it is.
        offset: usize,
        /// Its first byte.
        tag: u8,
    },
    /// A verification type of an unknown kind.
    #[error("verification type at offset {offset} has unknown kind {tag}")]
    BadVerificationType {
        /// Where it is.
        offset: usize,
        /// Its first byte.
        tag: u8,
    },
    /// A type annotation with a target that code does not have, or an element
    /// value of an unknown kind.
    #[error("annotation at offset {offset} has unknown tag {tag:#04x}")]
    BadAnnotation {
        /// Where the tag is.
        offset: usize,
        /// The tag.
        tag: u8,
    },
    /// Annotations nested deeper than any compiler writes.
    #[error("annotations nested too deeply at offset {offset}")]
    NestedTooDeeply {
        /// Where the limit was reached.
        offset: usize,
    },
}
