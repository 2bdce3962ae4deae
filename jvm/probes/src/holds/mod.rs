//! Arrays that the inside holds when it lets them out or takes them in.
//!
//! Both sides can write to an array that both hold, and no call says so. Which
//! arrays these are is told by where they come from and go to in a body:
//!
//! ```text
//! getfield [ … invoke outside    both hold it from now on
//! getfield [ … areturn           the same
//! aload [ … invoke outside       the same, where the program is called again
//! … putfield [ or Object         both hold it, if it has crossed
//! … aastore                      the same
//! … Arrays.asList, …Buffer.wrap  the JDK keeps it, wherever it came from
//! invoke outside [, astore       both hold it, where the program is called again
//! invoke, checkcast [, astore    the same
//! getfield outside [, astore     both hold it, where the program is called
//! a parameter [                  the same, where the outside calls
//! …Buffer.array                  the JDK has given what it goes on writing to
//! ```
//! The program is called where a body that reads elements calls anything but the JDK. What
//! goes out on the spot where it is made, and into a field there, is not seen.

mod locals;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::{Type, walk};
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::write::Snippet;

use self::locals::{Brought, array_parameters, brings, calls_with_reads, casts_to_array};
use crate::ProbeError;
use crate::method::Body;
use crate::pattern::is_platform;
use crate::probe::{OBJECT_TYPE, RECORDER, call};

/// Where a value on the stack comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A field, or an element of an array.
    Held,
    /// The instruction before has made it.
    Fresh,
    Elsewhere,
}

/// Where a body lets out or keeps arrays.
#[derive(Default)]
pub(crate) struct Holds {
    /// Calls, and which of their arguments both sides hold then.
    calls: BTreeMap<u32, Vec<usize>>,
    /// Where an array goes into a field or a local.
    stores: BTreeSet<u32>,
    /// Where something goes into a field or an element that may be an array.
    any_stores: BTreeSet<u32>,
    /// The slots of arrays that are given as arguments and may be written to meanwhile.
    parameters: Vec<u16>,
    returns: BTreeSet<u32>,
    /// Calls that bring an array which the JDK goes on writing to.
    shares: BTreeSet<u32>,
}

impl Holds {
    pub(crate) fn of(body: &Body<'_, '_>) -> Self {
        let mut found = Self::default();
        if !has_arrays(body) {
            return found;
        }
        let shares = |i: &&Instruction<'_>| {
            i.opcode == opcode::INVOKEVIRTUAL && member(body, i).is_some_and(|m| is_shared(&m))
        };
        let instructions = body.editor.instructions().iter();
        found.shares = instructions.filter(shares).map(|i| i.offset).collect();
        let mut stack: Vec<Source> = Vec::new();
        let mut locals: HashMap<u16, Source> = HashMap::new();
        let mut last: Option<Source> = None;
        let calls = calls_with_reads(body);
        if calls > 0 {
            found.parameters = array_parameters(body);
        }
        let mut brought = Brought::Nothing;
        // Without frames there is nothing to go by, and nothing is found.
        let _ = walk(
            body.class,
            body.method,
            body.editor.code(),
            |instruction, state| {
                let Some(state) = state else { return };
                stack.resize(state.stack.len(), Source::Elsewhere);
                if let (Some(source), Some(top)) = (last, stack.last_mut()) {
                    *top = source;
                }
                found.look(body, instruction, &stack, calls > 1);
                if instruction.opcode == opcode::AASTORE
                    && stack.last() != Some(&Source::Fresh)
                    && may_be_array(state.stack.last())
                {
                    found.any_stores.insert(instruction.offset);
                }
                if matches!(
                    instruction.opcode,
                    opcode::ASTORE | opcode::ASTORE_0..=opcode::ASTORE_3
                ) && let Some(slot) = instruction.local()
                {
                    let held = stack.last() == Some(&Source::Held);
                    let source = if held {
                        Source::Held
                    } else {
                        Source::Elsewhere
                    };
                    locals.insert(slot, source);
                    if brought == Brought::Array {
                        found.stores.insert(instruction.offset);
                    }
                }
                brought = match instruction.opcode {
                    opcode::CHECKCAST if casts_to_array(body, instruction) => match brought {
                        Brought::Nothing => Brought::Nothing,
                        _ => Brought::Array,
                    },
                    _ => brings(body, instruction, calls),
                };
                last = pushed(body, instruction, &locals);
            },
        );
        found
    }

    /// What both sides hold from an instruction on; `again`: if the body calls another time.
    fn look(
        &mut self,
        body: &Body<'_, '_>,
        instruction: &Instruction<'_>,
        stack: &[Source],
        again: bool,
    ) {
        let top = stack.last().copied().unwrap_or(Source::Elsewhere);
        let offset = instruction.offset;
        if instruction.opcode == opcode::ARETURN {
            if top == Source::Held && returns_array(body) {
                self.returns.insert(offset);
            }
            return;
        }
        let Some(member) = member(body, instruction) else {
            return;
        };
        match instruction.opcode {
            opcode::PUTFIELD | opcode::PUTSTATIC if top != Source::Fresh => {
                let descriptor = member.descriptor.to_str_lossy();
                if descriptor.starts_with('[') {
                    self.stores.insert(offset);
                } else if descriptor == "Ljava/lang/Object;" {
                    self.any_stores.insert(offset);
                }
            }
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                let Ok(descriptor) = MethodDescriptor::parse(member.descriptor) else {
                    return;
                };
                let owner = member.class.to_str_lossy();
                let keeps = is_keeper(&owner, &member.name.to_str_lossy());
                if is_platform(&owner) && !keeps {
                    return;
                }
                let leaves = !body.patterns.is_inside(&owner);
                let count = descriptor.parameters.len();
                let first = stack.len().saturating_sub(count);
                let arguments = stack.get(first..).unwrap_or_default();
                let both = |(ty, source): (&FieldType<'_>, &Source)| {
                    matches!(ty, FieldType::Array(_))
                        && match source {
                            Source::Held => true,
                            Source::Elsewhere => keeps || again && leaves,
                            Source::Fresh => false,
                        }
                };
                let held = descriptor.parameters.iter().zip(arguments).map(both);
                let held = held.enumerate().filter(|(_, both)| *both);
                let held: Vec<usize> = held.map(|(at, _)| at).collect();
                if !held.is_empty() {
                    self.calls.insert(offset, held);
                }
            }
            _ => {}
        }
    }

    /// Whether the body gives arrays to the outside that it holds.
    pub(crate) fn are_any_given(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Says which arguments of an outcall both sides hold from now on; they are
    /// in these slots.
    pub(crate) fn give(
        &self,
        body: &mut Body<'_, '_>,
        code: &mut Snippet,
        offset: u32,
        arguments: &[(FieldType<'_>, u16)],
    ) -> Result<(), ProbeError> {
        for at in self.calls.get(&offset).into_iter().flatten() {
            if let Some((ty, slot)) = arguments.get(*at) {
                code.load(*ty, *slot)?;
                call(code, "holds", "(Ljava/lang/Object;)V", body.pool)?;
            }
        }
        Ok(())
    }

    /// The same for what a body returns and stores.
    pub(crate) fn instrument(&self, body: &mut Body<'_, '_>) -> Result<(), ProbeError> {
        for slot in &self.parameters {
            let mut code = Snippet::new();
            code.load(OBJECT_TYPE, *slot)?;
            crosses(body, &mut code)?;
            body.editor.at_entry(code)?;
        }
        let known = self.stores.iter().map(|offset| (offset, "keeps"));
        let any = self.any_stores.iter().map(|offset| (offset, "keepsAny"));
        for (offset, probe) in known.chain(any) {
            let mut code = Snippet::new();
            code.op(opcode::DUP)?;
            call(&mut code, probe, "(Ljava/lang/Object;)V", body.pool)?;
            body.editor.before(*offset, code)?;
        }
        for offset in &self.shares {
            let mut code = Snippet::new();
            code.op(opcode::DUP)?;
            call(&mut code, "holds", "(Ljava/lang/Object;)V", body.pool)?;
            body.editor.after(*offset, code)?;
        }
        for offset in &self.returns {
            let mut code = Snippet::new();
            code.op(opcode::DUP)?;
            crosses(body, &mut code)?;
            body.editor.before(*offset, code)?;
        }
        Ok(())
    }
}

/// Both sides hold the array on the stack from now on, if the outside has called.
fn crosses(body: &mut Body<'_, '_>, code: &mut Snippet) -> Result<(), ProbeError> {
    body.load_token(code)?;
    let descriptor = format!("(Ljava/lang/Object;{RECORDER}I)V");
    call(code, "crossesHeld", &descriptor, body.pool)
}

/// Methods of the JDK that keep an array and write to it later.
fn is_keeper(class: &str, name: &str) -> bool {
    class == "java/util/Arrays" && name == "asList"
        || class.starts_with("java/nio/") && class.ends_with("Buffer") && name == "wrap"
}

/// Whether a method of the JDK returns an array that it goes on writing to.
fn is_shared(member: &MemberRef<'_>) -> bool {
    let (class, name) = (member.class.to_str_lossy(), member.name.to_str_lossy());
    let buffers = class.starts_with("java/nio/") && class.ends_with("Buffer") && name == "array";
    let pixels = class.starts_with("java/awt/image/DataBuffer")
        && matches!(name.as_ref(), "getData" | "getBankData");
    (buffers || pixels) && member.descriptor.to_str_lossy().contains(")[")
}

fn member<'c>(body: &Body<'c, '_>, instruction: &Instruction<'_>) -> Option<MemberRef<'c>> {
    body.class.pool.member(instruction.constant()?).ok()
}

/// Whether a value of this type may be an array.
fn may_be_array(ty: Option<&Type<'_>>) -> bool {
    match ty {
        Some(Type::ArrayOf(_)) => true,
        Some(Type::Object(name)) => name.starts_with(b"[") || *name == b"java/lang/Object",
        _ => false,
    }
}

fn returns_array(body: &Body<'_, '_>) -> bool {
    let descriptor = body.class.pool.utf8(body.method.descriptor);
    descriptor.is_ok_and(|text| text.to_str_lossy().contains(")["))
}

/// Whether a body has to do with arrays that could cross.
fn has_arrays(body: &Body<'_, '_>) -> bool {
    let mut instructions = body.editor.instructions().iter();
    let named = instructions.any(|instruction| {
        let puts = matches!(instruction.opcode, opcode::PUTFIELD | opcode::PUTSTATIC);
        let has = |member: MemberRef<'_>| {
            let descriptor = member.descriptor.to_str_lossy();
            descriptor.contains('[') || puts && descriptor == "Ljava/lang/Object;"
        };
        match instruction.opcode {
            opcode::GETSTATIC..=opcode::INVOKEINTERFACE => {
                member(body, instruction).is_some_and(has)
            }
            opcode::CHECKCAST => casts_to_array(body, instruction),
            opcode::AASTORE => true,
            _ => false,
        }
    });
    named || returns_array(body) || !array_parameters(body).is_empty()
}

/// Where the value comes from that an instruction leaves on top of the stack;
/// none if it leaves what was there.
fn pushed(
    body: &Body<'_, '_>,
    instruction: &Instruction<'_>,
    locals: &HashMap<u16, Source>,
) -> Option<Source> {
    let local = || {
        let slot = instruction.local();
        slot.and_then(|slot| locals.get(&slot).copied())
    };
    match instruction.opcode {
        opcode::GETFIELD | opcode::GETSTATIC | opcode::AALOAD => Some(Source::Held),
        opcode::NEWARRAY | opcode::ANEWARRAY | opcode::MULTIANEWARRAY => Some(Source::Fresh),
        opcode::ALOAD | opcode::ALOAD_0..=opcode::ALOAD_3 => {
            Some(local().unwrap_or(Source::Elsewhere))
        }
        opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
            let member = member(body, instruction)?;
            let copies = member.name == "clone" || member.name == "copyOf";
            let nothing = member.descriptor.to_str_lossy().ends_with(")V");
            match (nothing, copies) {
                (true, _) => None,
                (false, true) => Some(Source::Fresh),
                (false, false) => Some(Source::Elsewhere),
            }
        }
        // What these store lies below; an array with its first elements is on
        // top afterwards, and is as fresh as it was.
        opcode::IASTORE..=opcode::SASTORE | opcode::CHECKCAST | opcode::DUP => None,
        opcode::POP | opcode::POP2 | opcode::PUTFIELD | opcode::PUTSTATIC => None,
        opcode::ISTORE..=opcode::ASTORE_3 => None,
        _ => Some(Source::Elsewhere),
    }
}
