//! Methods that the JDK may call and that are over at once: they compute something from what they
//! are given, as most of those in streams do. The JDK need not give up what it has for them, which
//! takes far longer than they do.

use reprise_classfile::opcode;
use reprise_classfile::read::{Instruction, MemberRef};

use super::Body;

/// Classes of numbers, whose methods below do nothing else.
const NUMBERS: &[&str] = &[
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
];

impl Body<'_, '_> {
    /// Whether a method has no loop, and comes to nothing that is recorded, nor to code of which
    /// nothing is known.
    pub(super) fn is_short(&self, instructions: &[Instruction<'_>]) -> bool {
        instructions.iter().all(|instruction| {
            let mut forward = true;
            instruction.each_target(|target| forward &= target > i64::from(instruction.offset));
            forward && self.is_over_at_once(instruction)
        })
    }

    fn is_over_at_once(&self, instruction: &Instruction<'_>) -> bool {
        match instruction.opcode {
            opcode::INVOKEVIRTUAL | opcode::INVOKESTATIC => instruction
                .constant()
                .and_then(|index| self.class.pool.member(index).ok())
                .is_some_and(|member| computes(&member)),
            // A class may have to be initialised for it.
            opcode::GETSTATIC | opcode::PUTSTATIC | opcode::NEW => false,
            _ => !self.may_synchronise(std::slice::from_ref(instruction)),
        }
    }
}

/// Whether a method of the JDK computes a number from numbers.
fn computes(member: &MemberRef<'_>) -> bool {
    let name = member.name.to_str_lossy();
    let owner = member.class.to_str_lossy();
    match &*owner {
        "java/lang/Math" => name != "random",
        _ if NUMBERS.contains(&&*owner) => {
            let descriptor = member.descriptor.to_str_lossy();
            let of_text = descriptor.contains("String") || descriptor.contains("Object;)");
            (name == "valueOf" || name == "compare" || name.ends_with("Value")) && !of_text
        }
        _ => false,
    }
}
