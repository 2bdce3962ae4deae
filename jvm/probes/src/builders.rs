//! String builders that a method makes for itself.
//!
//! Compilers made every concatenation a row of calls on a `StringBuilder` before
//! Java 9, and programs still build strings so. A builder that no other method
//! gets to see does the same on both sides: its calls run for real and leave no
//! event.
//!
//! A builder is followed on the stack and into locals. It is one of these as long
//! as nothing happens to it but calls that take and return plain values, or copy
//! one such builder into another. Where paths meet, each of them must have such a
//! builder in the same place of the stack; what is on the stack in a jump
//! backwards is not followed. Locals are taken as one each, wherever they are
//! written: if anything but such builders is a builder there, none of them is
//! followed.

use std::collections::{BTreeMap, BTreeSet};

use reprise_classfile::descriptor::MethodDescriptor;
use reprise_classfile::flow::{State, Type, walk};
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Code, Instruction, Member, MemberRef};

use crate::pattern::Builders;

const BUILDERS: [&str; 2] = ["java/lang/StringBuilder", "java/lang/StringBuffer"];

/// What a builder may be taken for where paths with something else meet.
const ABOVE: [&str; 7] = [
    "java/lang/Object",
    "java/lang/AbstractStringBuilder",
    "java/lang/CharSequence",
    "java/lang/Appendable",
    "java/lang/Comparable",
    "java/io/Serializable",
    "java/lang/constant/Constable",
];

/// The instructions of a body that only concern builders of its own.
pub(crate) fn owned(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &Code<'_>,
    which: Builders,
) -> BTreeSet<u32> {
    let names_one = class.pool.indexes().any(|index| {
        let name = class.pool.class_name(index);
        name.is_ok_and(|name| BUILDERS.contains(&name.to_str_lossy().as_ref()))
    });
    if !names_one || which == Builders::None {
        return BTreeSet::new();
    }
    let mut meets = BTreeMap::new();
    for instruction in code.instructions() {
        let Ok(instruction) = instruction else {
            return BTreeSet::new();
        };
        instruction.each_target(|target| {
            let meet: &mut Meet = meets.entry(target).or_default();
            meet.is_followed &= target > i64::from(instruction.offset);
            meet.is_followed &= which == Builders::Followed;
        });
    }
    for row in &code.exceptions {
        meets.entry(i64::from(row.handler)).or_default().is_followed = false;
    }
    let mut analysis = Analysis {
        class,
        meets,
        stack: Vec::new(),
        unsettled: false,
        falls: true,
        groups: Groups::default(),
        uses: Vec::new(),
    };
    let mut entered = false;
    let followed = walk(class, method, code, |instruction, state| {
        if let (false, Some(state)) = (entered, state) {
            entered = true;
            analysis.parameters(state);
        }
        analysis.visit(instruction, state);
    });
    if followed.is_err() {
        return BTreeSet::new();
    }
    analysis.finish()
}

/// Where a builder is: it was made there, or is in that local.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Made(u32),
    Local(u16),
}

/// Places that may have the same builder.
#[derive(Default)]
struct Groups {
    above: BTreeMap<Place, Place>,
    escaped: BTreeSet<Place>,
}

impl Groups {
    fn of(&self, mut place: Place) -> Place {
        while let Some(above) = self.above.get(&place) {
            place = *above;
        }
        place
    }

    fn join(&mut self, a: Place, b: Place) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b {
            if self.escaped.contains(&a) {
                self.escaped.insert(b);
            }
            self.above.insert(a, b);
        }
    }

    fn escapes(&mut self, place: Place) {
        let place = self.of(place);
        self.escaped.insert(place);
    }

    fn stays(&self, place: Place) -> bool {
        !self.escaped.contains(&self.of(place))
    }
}

/// A place where paths meet.
struct Meet {
    /// Whether all of them come from above and bring what they have on the stack.
    is_followed: bool,
    /// What those that came already have there.
    stack: Option<Vec<Option<Place>>>,
}

impl Default for Meet {
    fn default() -> Self {
        Self {
            is_followed: true,
            stack: None,
        }
    }
}

struct Analysis<'a, 'c> {
    class: &'a ClassFile<'c>,
    meets: BTreeMap<i64, Meet>,
    stack: Vec<Option<Place>>,
    /// Whether the instruction before goes on to the next.
    falls: bool,
    /// Only how deep the stack is now says what the instruction before took.
    unsettled: bool,
    groups: Groups,
    uses: Vec<(u32, Place)>,
}

impl Analysis<'_, '_> {
    /// What comes from elsewhere is not made here.
    fn parameters(&mut self, state: &State<'_>) {
        for (slot, ty) in state.locals.iter().enumerate() {
            if let (true, Ok(slot)) = (is_builder(ty), u16::try_from(slot)) {
                self.groups.escapes(Place::Local(slot));
            }
        }
    }

    fn visit(&mut self, instruction: &Instruction<'_>, state: Option<&State<'_>>) {
        let Some(state) = state else {
            self.lose_all();
            self.unsettled = false;
            self.falls = false;
            return;
        };
        let depth = state.stack.len();
        if self.falls {
            self.settle(depth);
        }
        self.meet(instruction.offset, depth);
        self.falls = !matches!(
            instruction.opcode,
            opcode::GOTO
                | opcode::GOTO_W
                | opcode::JSR
                | opcode::JSR_W
                | opcode::RET
                | opcode::TABLESWITCH..=opcode::RETURN | opcode::ATHROW
        );
        let mut targets = Vec::new();
        instruction.each_target(|target| targets.push(target));
        if !targets.is_empty() || !self.falls {
            self.unsettled = false;
            self.jump(instruction, &targets);
            return;
        }
        self.unsettled = false;
        match instruction.opcode {
            opcode::NOP | opcode::IINC => {}
            opcode::ACONST_NULL..=opcode::DLOAD | opcode::ILOAD_0..=opcode::DLOAD_3 => {
                self.stack.push(None);
            }
            opcode::GETSTATIC => self.stack.push(None),
            opcode::NEW => {
                let place = self.new_builder(instruction);
                self.stack.push(place);
            }
            opcode::DUP => {
                let top = self.stack.last().copied().flatten();
                self.stack.push(top);
            }
            opcode::POP => drop(self.stack.pop()),
            opcode::ALOAD | opcode::ALOAD_0..=opcode::ALOAD_3 => self.load(instruction, state),
            opcode::ASTORE | opcode::ASTORE_0..=opcode::ASTORE_3 => self.store(instruction, state),
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => self.call(instruction),
            _ => self.unsettled = true,
        }
    }

    /// What is on the stack where other paths may come in, too.
    fn meet(&mut self, offset: u32, depth: usize) {
        let meet = self.meets.get_mut(&i64::from(offset));
        let (other, is_followed) = match meet {
            Some(meet) => (meet.stack.take(), meet.is_followed),
            None if self.falls => return,
            // Nothing leads here but a frame.
            None => (None, false),
        };
        match other {
            Some(other) if !self.falls => self.stack = other,
            Some(other) => self.join(other),
            None => {}
        }
        if !is_followed || self.stack.len() != depth {
            self.lose_all();
            self.stack.resize(depth, None);
        }
    }

    /// Two paths meet: what is in the same place is taken for the same.
    fn join(&mut self, other: Vec<Option<Place>>) {
        if other.len() != self.stack.len() {
            other.into_iter().for_each(|place| self.lose(place));
            self.lose_all();
            return;
        }
        let mine = std::mem::take(&mut self.stack);
        for (a, b) in mine.into_iter().zip(other) {
            let joined = match (a, b) {
                (Some(a), Some(b)) => {
                    self.groups.join(a, b);
                    Some(a)
                }
                (a, b) => {
                    self.lose(a);
                    self.lose(b);
                    None
                }
            };
            self.stack.push(joined);
        }
    }

    /// What is on the stack goes along; what the instruction takes does not.
    fn jump(&mut self, instruction: &Instruction<'_>, targets: &[i64]) {
        let takes = match instruction.opcode {
            opcode::GOTO | opcode::GOTO_W => 0,
            opcode::IFEQ..=opcode::IFLE
            | opcode::IFNULL
            | opcode::IFNONNULL
            | opcode::TABLESWITCH
            | opcode::LOOKUPSWITCH => 1,
            opcode::IF_ICMPEQ..=opcode::IF_ACMPNE => 2,
            // Returns, throws and subroutines.
            _ => self.stack.len(),
        };
        for _ in 0..takes {
            let taken = self.stack.pop().flatten();
            self.lose(taken);
        }
        for target in targets {
            let stack = self.stack.clone();
            let meet = self.meets.get_mut(target).filter(|meet| meet.is_followed);
            let Some(meet) = meet else {
                stack.into_iter().for_each(|place| self.lose(place));
                continue;
            };
            match meet.stack.take() {
                None => meet.stack = Some(stack),
                Some(other) => {
                    let kept = std::mem::replace(&mut self.stack, stack);
                    self.join(other);
                    let joined = std::mem::replace(&mut self.stack, kept);
                    if let Some(meet) = self.meets.get_mut(target) {
                        meet.stack = Some(joined);
                    }
                }
            }
        }
        if !self.falls {
            self.stack.clear();
        }
    }

    /// What the instruction before has taken from the stack, it may have done
    /// anything with. It has left one value at most.
    fn settle(&mut self, depth: usize) {
        if self.unsettled {
            let below = depth.saturating_sub(1);
            for place in self.stack.split_off(below.min(self.stack.len())) {
                self.lose(place);
            }
        }
        if self.stack.len() > depth {
            self.lose_all();
        }
        self.stack.resize(depth, None);
    }

    fn lose(&mut self, place: Option<Place>) {
        if let Some(place) = place {
            self.groups.escapes(place);
        }
    }

    fn lose_all(&mut self) {
        for place in std::mem::take(&mut self.stack) {
            self.lose(place);
        }
    }

    fn new_builder(&mut self, instruction: &Instruction<'_>) -> Option<Place> {
        let name = self.class.pool.class_name(instruction.constant()?).ok()?;
        let place = Place::Made(instruction.offset);
        BUILDERS
            .contains(&name.to_str_lossy().as_ref())
            .then(|| self.uses.push((instruction.offset, place)))?;
        Some(place)
    }

    fn load(&mut self, instruction: &Instruction<'_>, state: &State<'_>) {
        let place = instruction.local().map(Place::Local);
        let slot = instruction.local().map(usize::from);
        let ty = slot.and_then(|slot| state.locals.get(slot));
        let pushed = match ty {
            Some(ty) if is_builder(ty) => place,
            Some(Type::Object(name)) if !is_above(name) => None,
            Some(Type::Object(_)) | None => {
                self.lose(place);
                None
            }
            Some(_) => None,
        };
        self.stack.push(pushed);
    }

    fn store(&mut self, instruction: &Instruction<'_>, state: &State<'_>) {
        let stored = self.stack.pop().flatten();
        let Some(local) = instruction.local().map(Place::Local) else {
            self.lose(stored);
            return;
        };
        match stored {
            Some(place) => self.groups.join(place, local),
            None if state.stack.last().is_some_and(is_builder) => {
                self.groups.escapes(local);
            }
            None => {}
        }
    }

    fn call(&mut self, instruction: &Instruction<'_>) {
        let member = instruction.constant();
        let member = member.and_then(|index| self.class.pool.member(index).ok());
        let Some(member) = member else {
            self.lose_all();
            return;
        };
        let Ok(descriptor) = MethodDescriptor::parse(member.descriptor) else {
            self.lose_all();
            return;
        };
        let count = descriptor.parameters.len();
        let first = self.stack.len().saturating_sub(count);
        let arguments = self.stack.split_off(first);
        let receiver = self.stack.last().copied().flatten();
        let copies = match (receiver, arguments.as_slice()) {
            (Some(to), [Some(from)]) if appends_sequence(&member) => {
                // What happens to one of them happens to both.
                self.groups.join(*from, to);
                true
            }
            _ => {
                arguments.into_iter().for_each(|place| self.lose(place));
                false
            }
        };
        let mut result = None;
        if instruction.opcode != opcode::INVOKESTATIC {
            let receiver = self.stack.pop().flatten();
            match receiver {
                Some(place) if copies || is_plain(&member) => {
                    self.uses.push((instruction.offset, place));
                    result = returns_itself(&member).then_some(place);
                }
                lost => self.lose(lost),
            }
        }
        if descriptor.result.is_some() {
            self.stack.push(result);
        }
    }

    fn finish(mut self) -> BTreeSet<u32> {
        self.lose_all();
        let groups = &self.groups;
        let stays = self.uses.iter().filter(|(_, place)| groups.stays(*place));
        stays.map(|(offset, _)| *offset).collect()
    }
}

fn is_builder(ty: &Type<'_>) -> bool {
    matches!(ty, Type::Object(name) if BUILDERS.iter().any(|known| known.as_bytes() == *name))
}

fn is_above(name: &[u8]) -> bool {
    ABOVE.iter().any(|known| known.as_bytes() == name)
}

/// Whether a call on a builder has to do with plain values only.
fn is_plain(member: &MemberRef<'_>) -> bool {
    if !BUILDERS.contains(&member.class.to_str_lossy().as_ref()) {
        return false;
    }
    let descriptor = member.descriptor.to_str_lossy();
    let parameters = descriptor.replace("Ljava/lang/String;", "");
    let plain = parameters
        .split_once(')')
        .is_some_and(|(parameters, _)| !parameters.contains(['L', '[']));
    let named = [
        "<init>",
        "append",
        "charAt",
        "delete",
        "deleteCharAt",
        "indexOf",
        "insert",
        "isEmpty",
        "lastIndexOf",
        "length",
        "replace",
        "reverse",
        "setCharAt",
        "setLength",
        "substring",
        "toString",
    ];
    plain && named.contains(&member.name.to_str_lossy().as_ref())
}

/// Whether a call appends what another builder holds, if it is given one.
fn appends_sequence(member: &MemberRef<'_>) -> bool {
    let descriptor = member.descriptor.to_str_lossy();
    BUILDERS.contains(&member.class.to_str_lossy().as_ref())
        && member.name == "append"
        && (descriptor.starts_with("(Ljava/lang/CharSequence;)")
            || descriptor.starts_with("(Ljava/lang/StringBuffer;)"))
}

/// Whether what it returns is the builder.
fn returns_itself(member: &MemberRef<'_>) -> bool {
    let descriptor = member.descriptor.to_str_lossy();
    let result = descriptor.rsplit_once(')').map(|(_, result)| result);
    result.is_some_and(|result| result.contains("Buil") || result.contains("Buffer"))
}
