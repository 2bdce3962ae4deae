//! What the class files say.

use std::collections::{BTreeMap, HashMap};

use reprise_classfile::flow::{self, Type};
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction, Member, ReadError, access};

use crate::arrays::{self, Arrays, Touched, UNKNOWN};

/// Which rules say what an element is. Who changes the list that a program has changes this.
const RULES: &[u8] = b"elements 3";

/// What uses members of classes by their names. Other classes of that package only tell.
const REFLECTION: &[&[u8]] = &[
    b"java/lang/reflect/AccessibleObject",
    b"java/lang/reflect/Constructor",
    b"java/lang/reflect/Executable",
    b"java/lang/reflect/Field",
    b"java/lang/reflect/Method",
];

/// A method's name and descriptor.
pub(crate) type Signature = (String, String);

/// The class files of a program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) classes: BTreeMap<String, Class>,
    pub(crate) arrays: Arrays,
    hashes: BTreeMap<String, [u8; 32]>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) above: Option<String>,
    pub(crate) interfaces: Vec<String>,
    /// By name: whether it is final.
    pub(crate) fields: HashMap<String, bool>,
    pub(crate) methods: Vec<Method>,
    /// Methods that are handed out, as lambdas are.
    pub(crate) handed_out: Vec<(String, Signature)>,
    /// It can reach what it does not name.
    pub(crate) reflects: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) signature: Signature,
    pub(crate) access: u16,
    pub(crate) uses: Vec<(u32, Use)>,
}

/// What a bytecode uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Field {
        class: String,
        name: String,
        /// It is written, of the object or class that is being made.
        makes: bool,
        writes: bool,
    },
    /// Elements of an array of this type.
    Array {
        of: &'static str,
        /// Which arrays these may be.
        class: u32,
        /// The array is just being made.
        makes: bool,
        writes: bool,
    },
    /// A monitor of an object of this type.
    Enter(Option<String>),
    Call {
        class: String,
        signature: Signature,
        /// The type of the receiver, as far as it is known.
        receiver: Option<String>,
    },
}

impl Program {
    /// Adds a class. Of two with one name the first counts, as on a class path.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let file = ClassFile::parse(bytes)?;
        let name = text(file.name()?);
        if self.classes.contains_key(&name) {
            return Ok(());
        }
        let class = Class::read(&file, &mut self.arrays)?;
        let hash = blake3::hash(bytes);
        self.hashes.insert(name.clone(), *hash.as_bytes());
        self.classes.insert(name, class);
        Ok(())
    }

    /// How many classes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// A hash of all code, and of the rules by which elements are found in it.
    pub(crate) fn version(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        // Elements are known by their numbers, which are those of another list with this.
        hasher.update(RULES);
        for (name, hash) in &self.hashes {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(hash);
        }
        let mut version = [0; 16];
        hasher.finalize_xof().fill(&mut version);
        version
    }
}

pub(crate) fn text(name: Utf8<'_>) -> String {
    name.to_str_lossy().into_owned()
}

impl Class {
    fn read(file: &ClassFile<'_>, arrays: &mut Arrays) -> Result<Self, ReadError> {
        let pool = &file.pool;
        let mut class = Self {
            above: file.super_name()?.map(text),
            ..Self::default()
        };
        for interface in &file.interfaces {
            class.interfaces.push(text(pool.class_name(*interface)?));
        }
        for field in &file.fields {
            let is_final = field.access & access::FINAL != 0;
            class.fields.insert(text(pool.utf8(field.name)?), is_final);
        }
        for index in pool.indexes() {
            match pool.get(index)? {
                Constant::MethodHandle { reference, .. } => {
                    // It may be that of a field.
                    if let Ok(member) = pool.member(reference) {
                        let signature = (text(member.name), text(member.descriptor));
                        class.handed_out.push((text(member.class), signature));
                    }
                }
                Constant::Class { name } => {
                    let name = pool.utf8(name)?;
                    class.reflects |= REFLECTION.contains(&name.0);
                }
                _ => {}
            }
        }
        for member in &file.methods {
            class.methods.push(Method::read(file, member, arrays)?);
        }
        Ok(class)
    }
}

impl Method {
    fn read<'c>(
        file: &ClassFile<'c>,
        member: &Member<'c>,
        arrays: &mut Arrays,
    ) -> Result<Self, ReadError> {
        let name = text(file.pool.utf8(member.name)?);
        let mut uses = Vec::new();
        if let Some(code) = file.code(member)? {
            let touched = arrays::walk(arrays, file, member, &code)?;
            let mut wrong = None;
            let mut visit = |instruction: &Instruction<'c>, stack: Option<&[Type<'c>]>| match used(
                file,
                &name,
                instruction,
                stack.unwrap_or_default(),
                &touched,
            ) {
                Ok(Some(used)) => uses.push((instruction.offset, used)),
                Ok(None) => {}
                Err(error) => wrong = Some(error),
            };
            let walked = flow::walk(file, member, &code, |instruction, state| {
                visit(instruction, state.map(|state| state.stack.as_slice()));
            });
            if walked.is_err() {
                // Old code says nothing of its types.
                uses.clear();
                let mut again = Vec::new();
                for instruction in code.instructions() {
                    let instruction = instruction?;
                    if let Some(used) = used(file, &name, &instruction, &[], &touched)? {
                        again.push((instruction.offset, used));
                    }
                }
                uses = again;
            } else if let Some(error) = wrong {
                return Err(error);
            }
        }
        Ok(Self {
            signature: (name, text(file.pool.utf8(member.descriptor)?)),
            access: member.access,
            uses,
        })
    }
}

/// The type of a value below the top of the stack.
fn typed(stack: &[Type<'_>], below: usize) -> Option<String> {
    match stack.iter().rev().nth(below)? {
        Type::Object(name) => Some(String::from_utf8_lossy(name).into_owned()),
        _ => None,
    }
}

fn used(
    file: &ClassFile<'_>,
    method: &str,
    instruction: &Instruction<'_>,
    stack: &[Type<'_>],
    touched: &HashMap<u32, Touched>,
) -> Result<Option<Use>, ReadError> {
    let code = instruction.opcode;
    let array = |of: u8, writes: bool| {
        let touched = touched.get(&instruction.offset);
        Some(Use::Array {
            of: elements(of),
            class: touched.map_or(UNKNOWN, |touched| touched.class),
            makes: touched.is_some_and(|touched| touched.fresh),
            writes,
        })
    };
    Ok(match code {
        opcode::IALOAD..=opcode::SALOAD => array(code - opcode::IALOAD, false),
        opcode::IASTORE..=opcode::SASTORE => array(code - opcode::IASTORE, true),
        opcode::MONITORENTER => Some(Use::Enter(typed(stack, 0))),
        opcode::GETSTATIC..=opcode::PUTFIELD => {
            let Some(index) = instruction.constant() else {
                return Ok(None);
            };
            let member = file.pool.member(index)?;
            let own = member.class == file.name()?;
            let makes = own
                && matches!(
                    (method, code),
                    ("<clinit>", opcode::PUTSTATIC) | ("<init>", opcode::PUTFIELD)
                );
            Some(Use::Field {
                class: text(member.class),
                name: text(member.name),
                makes,
                writes: matches!(code, opcode::PUTSTATIC | opcode::PUTFIELD),
            })
        }
        opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
            let Some(index) = instruction.constant() else {
                return Ok(None);
            };
            let member = file.pool.member(index)?;
            // Only `wait` is asked for its receiver, whose arguments are a long and an int.
            let below = member
                .descriptor
                .0
                .iter()
                .filter(|byte| b"IJ".contains(byte))
                .count();
            Some(Use::Call {
                class: text(member.class),
                signature: (text(member.name), text(member.descriptor)),
                receiver: typed(stack, below),
            })
        }
        _ => None,
    })
}

/// The type of the elements that an instruction reads or writes, in the order of opcodes.
pub(crate) fn elements(number: u8) -> &'static str {
    match number {
        0 => "int",
        1 => "long",
        2 => "float",
        3 => "double",
        4 => "Object",
        // One instruction has both.
        5 => "byte",
        6 => "char",
        _ => "short",
    }
}
