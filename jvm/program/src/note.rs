//! What stands at a bytecode, for people: `Main.java:8, writes Counter.value`.

use std::collections::BTreeMap;

use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, Member, ReadError};

use crate::blocking;

/// What a bytecode does that other threads can notice; none for all others.
pub(crate) fn deed(
    class: &ClassFile<'_>,
    instruction: &Instruction<'_>,
) -> Result<Option<String>, ReadError> {
    let verb = match instruction.opcode {
        opcode::GETSTATIC | opcode::GETFIELD => "reads",
        opcode::PUTSTATIC | opcode::PUTFIELD => "writes",
        opcode::IALOAD..=opcode::SALOAD => return Ok(Some("reads an array".to_owned())),
        opcode::IASTORE..=opcode::SASTORE => return Ok(Some("writes an array".to_owned())),
        opcode::MONITORENTER => return Ok(Some("enters a monitor".to_owned())),
        opcode::MONITOREXIT => return Ok(Some("leaves a monitor".to_owned())),
        opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => "calls",
        _ => return Ok(None),
    };
    let Some(constant) = instruction.constant() else {
        return Ok(None);
    };
    let member = class.pool.member(constant)?;
    let owner = member.class.to_str_lossy();
    let owner = owner.rsplit(['/', '$']).next().unwrap_or(&owner);
    let name = member.name.to_str_lossy();
    // It goes behind a comment sign, and onto terminals.
    let text = format!("{verb} {owner}.{name}").replace(char::is_control, "?");
    Ok(Some(text))
}

/// The notes of a method's bytecodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Without folders.
    source: Option<String>,
    /// Where lines begin.
    lines: Vec<(u32, u32)>,
    deeds: BTreeMap<u32, String>,
}

impl Notes {
    /// What can be said of the bytecodes of a method.
    pub fn of(class: &ClassFile<'_>, member: &Member<'_>) -> Result<Self, ReadError> {
        let internal = class.name()?.to_string();
        let source = crate::source(class, &internal)?;
        let source = source.map(|source| match source.rsplit_once('/') {
            Some((_, file)) => file.to_owned(),
            None => source,
        });
        let mut notes = Self {
            source: source.map(|source| source.replace(char::is_control, "?")),
            ..Self::default()
        };
        if let Some(code) = class.code(member)? {
            notes.lines = crate::lines(class, &code)?;
            for instruction in code.instructions() {
                let instruction = instruction?;
                if let Some(deed) = deed(class, &instruction)? {
                    notes.deeds.insert(instruction.offset, deed);
                }
            }
        }
        Ok(notes)
    }

    /// What a bytecode uses that other threads may use, and whether it only reads that:
    /// a field, all arrays, all monitors, or the objects of a class that is called.
    pub fn uses(&self, offset: u32) -> Option<(String, bool)> {
        let (verb, what) = self.deeds.get(&offset)?.split_once(' ')?;
        let what = match verb {
            "calls" => what.rsplit_once('.')?.0,
            _ => what,
        };
        Some((what.to_owned(), verb == "reads"))
    }

    /// Whether a bytecode calls a method by whose name a thread can be said to be blocked in it;
    /// what others block in is only known to the JDK.
    pub fn names_blocking(&self, offset: u32) -> bool {
        let deed = self.deeds.get(&offset).map(String::as_str);
        let called = deed.and_then(|deed| deed.strip_prefix("calls "));
        let name = called.and_then(|called| called.rsplit('.').next());
        name.is_some_and(blocking::is_name)
    }

    /// The note of a bytecode; none if nothing is known of it.
    pub fn at(&self, offset: u32) -> Option<String> {
        let behind = self.lines.partition_point(|(start, _)| *start <= offset);
        let line = behind.checked_sub(1).and_then(|at| self.lines.get(at));
        let place = match (&self.source, line) {
            (Some(source), Some((_, line))) => Some(format!("{source}:{line}")),
            _ => None,
        };
        let parts: Vec<String> = place
            .into_iter()
            .chain(self.deeds.get(&offset).cloned())
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
