//! A class of a program of which a share is recorded: probes at the sites of the elements in
//! the share, and nowhere else.
//!
//! | site | probe |
//! | --- | --- |
//! | an access | before and after it: nobody else accesses the element meanwhile |
//! | accesses to one element with nothing in between that takes time or may wait | before each, and after the last |
//! | a monitor entered, a synchronized method, the return from `wait` | after it: the monitor is held |
//! | a call of the JDK that may block | after it |
//! | a call of a synchronized method | none: its method tells |
//!
//! Whoever throws in the middle of an access leaves it where it is caught, or at the end of
//! its method.

use std::collections::{HashMap, HashSet};

use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};
use reprise_elements::{Deed, Site};

use crate::TurnError;

const SHARE: &str = "java/reprise/scheduler/Share";

/// The class with its probes; none where nothing changes.
pub fn instrument(bytes: &[u8], sites: &[Site]) -> Result<Option<Vec<u8>>, TurnError> {
    if sites.is_empty() {
        return Ok(None);
    }
    let class = parse_for_edit(bytes)?;
    let mut by_method: HashMap<(&str, &str), Vec<&Site>> = HashMap::new();
    for site in sites {
        let key = (site.method.as_str(), site.descriptor.as_str());
        by_method.entry(key).or_default().push(site);
    }
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        let Some(sites) = by_method.get(&(&*name, &*descriptor)) else {
            continue;
        };
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let mut body = Body {
            class: &class,
            pool: &mut edited.pool,
            holds: false,
        };
        body.edit(&mut editor, sites, &name)?;
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
        any = true;
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}

struct Body<'c, 'e> {
    class: &'c ClassFile<'c>,
    pool: &'e mut PoolEditor<'c>,
    /// Whether there is something that must not be left held.
    holds: bool,
}

impl<'c> Body<'c, '_> {
    fn edit(
        &mut self,
        editor: &mut Editor<'c>,
        sites: &[&Site],
        name: &str,
    ) -> Result<(), TurnError> {
        let mut accessed: HashMap<u32, u32> = HashMap::new();
        let mut entered: HashMap<u32, u32> = HashMap::new();
        for site in sites {
            match site.deed {
                Deed::Method => {
                    let mut code = Snippet::new();
                    self.element(&mut code, "entered", site.element)?;
                    editor.at_entry(code)?;
                }
                Deed::Call => {}
                Deed::Access => {
                    accessed.insert(site.offset, site.element);
                }
                _ => {
                    entered.insert(site.offset, site.element);
                }
            }
        }
        let instructions: Vec<Instruction<'_>> = editor.instructions().to_vec();
        let targets = targets(editor, &instructions);
        // The element that the thread is at, and the last access to it.
        let mut at: Option<(u32, u32)> = None;
        for instruction in &instructions {
            let offset = instruction.offset;
            let element = accessed
                .get(&offset)
                .filter(|_| is_access(instruction.opcode));
            let brief = self.is_brief(instruction);
            let goes_on = brief && !targets.contains(&offset);
            let same = at.is_some_and(|(of, _)| element.is_none_or(|element| *element == of));
            if !(goes_on && same) {
                self.done(editor, at.take())?;
            }
            if let Some(element) = element {
                let mut code = Snippet::new();
                let tells = match at {
                    Some(_) => "again",
                    None => "accesses",
                };
                self.element(&mut code, tells, *element)?;
                editor.before(offset, code)?;
                self.holds = true;
                at = Some((*element, offset));
                if !brief {
                    self.done(editor, at.take())?;
                }
            }
            if let Some(element) = entered.get(&offset) {
                let mut code = Snippet::new();
                self.element(&mut code, "entered", *element)?;
                editor.after(offset, code)?;
            }
        }
        self.done(editor, at)?;
        self.leave(editor, name)
    }

    /// The thread is no more at an element, after the last access to it.
    fn done(&mut self, editor: &mut Editor<'c>, at: Option<(u32, u32)>) -> Result<(), TurnError> {
        if let Some((_, last)) = at {
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, SHARE, "accessed", "()V", self.pool)?;
            editor.after(last, code)?;
        }
        Ok(())
    }

    /// Whether an instruction takes no time and goes on to the next one: it calls nothing,
    /// initialises no class, makes nothing, and waits for nobody.
    fn is_brief(&self, instruction: &Instruction<'_>) -> bool {
        match instruction.opcode {
            opcode::NOP..=opcode::SIPUSH
            | opcode::ILOAD..=opcode::LXOR
            | opcode::IINC..=opcode::DCMPG
            | opcode::GETFIELD
            | opcode::PUTFIELD
            | opcode::ARRAYLENGTH => true,
            opcode::LDC | opcode::LDC_W | opcode::LDC2_W => {
                let constant = instruction.constant().map(|at| self.class.pool.get(at));
                matches!(
                    constant,
                    Some(Ok(Constant::Integer(_)
                        | Constant::Float(_)
                        | Constant::Long(_)
                        | Constant::Double(_)))
                )
            }
            _ => false,
        }
    }

    fn element(&mut self, code: &mut Snippet, name: &str, element: u32) -> Result<(), TurnError> {
        code.push_int(element.cast_signed(), self.pool)?;
        code.invoke(Invoke::Static, SHARE, name, "(I)V", self.pool)?;
        Ok(())
    }

    /// What is thrown leaves what is held.
    fn leave(&mut self, editor: &mut Editor<'c>, name: &str) -> Result<(), TurnError> {
        if !self.holds {
            return Ok(());
        }
        let rows = editor.code().exceptions.iter();
        let mut handlers: Vec<u32> = rows.map(|row| row.handler.into()).collect();
        handlers.sort_unstable();
        handlers.dedup();
        for handler in handlers {
            let mut code = Snippet::new();
            code.invoke(Invoke::Static, SHARE, "accessed", "()V", self.pool)?;
            editor.before(handler, code)?;
        }
        let mut end = Snippet::new();
        end.invoke(Invoke::Static, SHARE, "accessed", "()V", self.pool)?;
        end.op(opcode::ATHROW)?;
        // A constructor is covered from where its object is complete.
        match editor.catch_all(end) {
            Err(error) if name != "<init>" => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// Where control may come from elsewhere.
fn targets(editor: &Editor<'_>, instructions: &[Instruction<'_>]) -> HashSet<u32> {
    let rows = editor.code().exceptions.iter();
    let mut targets: HashSet<u32> = rows.map(|row| row.handler.into()).collect();
    for instruction in instructions {
        instruction.each_target(|target| targets.extend(u32::try_from(target)));
    }
    targets
}

/// Whether an instruction is one that accesses elements.
fn is_access(code: u8) -> bool {
    matches!(
        code,
        opcode::IALOAD..=opcode::SALOAD
            | opcode::IASTORE..=opcode::SASTORE
            | opcode::GETSTATIC..=opcode::PUTFIELD
            | opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE
    )
}
