//! Java class files: read, relocate, write.
//!
//! The JVM side of Reprise puts probes into classes while they are loaded.
//! This crate is the part that knows the file format: bytes in, bytes out, no
//! I/O, no threads, no `unsafe`, and an error instead of a panic on any input.
//! It handles class files of Java 1.0.2 to 25 (versions 45 to 69).
//!
//! It edits and copies; it does not build a model and write that. Whatever is
//! not edited keeps its bytes, the constant pool only grows, and a method that
//! cannot be edited is left as it was while the caller is told why. That is
//! what makes it safe to run on every class of somebody else's program.
//!
//! ```text
//! read/      bytes → view              one file per structure
//! flow/      types at each instruction where relocation has to know them
//! relocate/  what moves where          when code is inserted into a method
//! write/     view + edits → bytes      the same file names as read/
//! dump       view → text               for people and golden tests
//! ```
//!
//! # Example
//!
//! A call before every field access of every method:
//!
//! ```
//! use reprise_classfile::opcode::{GETFIELD, PUTFIELD};
//! use reprise_classfile::read::ClassFile;
//! use reprise_classfile::relocate::Editor;
//! use reprise_classfile::write::{ClassEditor, Invoke, Snippet};
//!
//! fn probe_fields(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
//!     let class = ClassFile::parse(bytes)?;
//!     let mut edited = ClassEditor::new(&class);
//!     let mut probe = Snippet::new();
//!     probe.invoke(Invoke::Static, "my/Probes", "field", "()V", &mut edited.pool)?;
//!
//!     for (index, method) in class.methods.iter().enumerate() {
//!         let Some(mut editor) = Editor::new(&class, method)? else {
//!             continue; // abstract or native
//!         };
//!         let sites: Vec<u32> = editor
//!             .instructions()
//!             .iter()
//!             .filter(|i| matches!(i.opcode, GETFIELD | PUTFIELD))
//!             .map(|i| i.offset)
//!             .collect();
//!         for offset in sites {
//!             editor.before(offset, probe.clone())?;
//!         }
//!         let code = editor.finish(&mut edited.pool)?;
//!         edited.set_code(index, code)?;
//!     }
//!     Ok(edited.finish()?)
//! }
//! # let class = reprise_classfile::write::empty_class(52, 0x21, "A", "java/lang/Object")?;
//! # assert!(probe_fields(&class)?.len() > class.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::unwrap_used
    )
)]

pub mod descriptor;
pub mod dump;
pub mod flow;
pub mod mutf8;
pub mod opcode;
pub mod read;
pub mod relocate;
pub mod write;
