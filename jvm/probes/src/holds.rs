//! Arrays that the inside holds when it lets them out or takes them in.
//!
//! Both sides can write to an array that both hold, and no call says so. Which
//! arrays these are is told by where they come from and go to in a body:
//!
//! ```text
//! getfield [ … invoke outside    both hold it from now on
//! getfield [ … areturn           the same
//! … putfield [                   the same, if it has crossed
//! … Arrays.asList, …Buffer.wrap  the JDK keeps it, wherever it came from
//! invoke outside [, astore       both hold it, where the program is called again
//! …Buffer.array                  the JDK has given what it goes on writing to
//! ```
//! An array that was made on the spot and went into a field only later, or that the
//! outside writes to otherwise while it waits in a local, is not seen.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::walk;
use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};
use reprise_classfile::write::Snippet;

use crate::ProbeError;
use crate::method::Body;
use crate::pattern::is_platform;
use crate::probe::{RECORDER, call};

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
    stores: BTreeSet<u32>,
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
        let waits = reads_between_calls(body);
        let mut brought = false;
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
                found.look(body, instruction, &stack);
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
                    if brought {
                        found.stores.insert(instruction.offset);
                    }
                }
                let casts = instruction.opcode == opcode::CHECKCAST;
                brought = waits && (brings(body, instruction) || brought && casts);
                last = pushed(body, instruction, &locals);
            },
        );
        found
    }

    fn look(&mut self, body: &Body<'_, '_>, instruction: &Instruction<'_>, stack: &[Source]) {
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
            opcode::PUTFIELD | opcode::PUTSTATIC
                if member.descriptor.to_str_lossy().starts_with('[') && top != Source::Fresh =>
            {
                self.stores.insert(offset);
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
                let count = descriptor.parameters.len();
                let first = stack.len().saturating_sub(count);
                let arguments = stack.get(first..).unwrap_or_default();
                let both = |(ty, source): (&FieldType<'_>, &Source)| {
                    matches!(ty, FieldType::Array(_))
                        && (*source == Source::Held || keeps && *source != Source::Fresh)
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
        for offset in &self.stores {
            let mut code = Snippet::new();
            code.op(opcode::DUP)?;
            call(&mut code, "keeps", "(Ljava/lang/Object;)V", body.pool)?;
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
            body.load_token(&mut code)?;
            let descriptor = format!("(Ljava/lang/Object;{RECORDER}I)V");
            call(&mut code, "returnsHeld", &descriptor, body.pool)?;
            body.editor.before(*offset, code)?;
        }
        Ok(())
    }
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

/// Whether an instruction calls an outside class of the program.
fn leaves<'c>(body: &Body<'c, '_>, instruction: &Instruction<'_>) -> Option<MemberRef<'c>> {
    let calls = (opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE).contains(&instruction.opcode);
    let member = member(body, instruction).filter(|_| calls)?;
    let owner = member.class.to_str_lossy();
    (!is_platform(&owner) && !body.patterns.is_inside(&owner)).then_some(member)
}

/// Whether it brings an array.
fn brings(body: &Body<'_, '_>, instruction: &Instruction<'_>) -> bool {
    leaves(body, instruction).is_some_and(|member| member.descriptor.to_str_lossy().contains(")["))
}

/// Whether a body reads elements of arrays and calls the program's outside more than
/// once: it may read what the outside has written since.
fn reads_between_calls(body: &Body<'_, '_>) -> bool {
    let instructions = body.editor.instructions();
    let reads = |i: &Instruction<'_>| (opcode::IALOAD..=opcode::SALOAD).contains(&i.opcode);
    let calls = instructions.iter().filter(|i| leaves(body, i).is_some());
    calls.take(2).count() == 2 && instructions.iter().any(reads)
}

fn returns_array(body: &Body<'_, '_>) -> bool {
    let descriptor = body.class.pool.utf8(body.method.descriptor);
    descriptor.is_ok_and(|text| text.to_str_lossy().contains(")["))
}

/// Whether a body has to do with arrays that could cross.
fn has_arrays(body: &Body<'_, '_>) -> bool {
    let mut instructions = body.editor.instructions().iter();
    let named = instructions.any(|instruction| {
        matches!(
            instruction.opcode,
            opcode::GETSTATIC..=opcode::INVOKEINTERFACE
        ) && member(body, instruction)
            .is_some_and(|member| member.descriptor.to_str_lossy().contains('['))
    });
    named || returns_array(body)
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
