//! A class of a program of which a share is recorded: probes at the sites of the elements in
//! the share, and nowhere else.
//!
//! | site | probe |
//! | --- | --- |
//! | an access | around it, with the object that it is of: a stripe is held meanwhile |
//! | a monitor entered, a synchronized method, the return from `wait` | after it: the monitor is held |
//! | a call of the JDK that may block | after it |
//! | a call of a synchronized method | none: its method tells |
//!
//! Whoever throws in the middle of an access leaves it where it is caught, or at the end of
//! its method.

use std::collections::HashMap;

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};
use reprise_elements::{Deed, Site};

use crate::TurnError;
use crate::around::{Around, above_array};

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
            around: Around::default(),
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
    around: Around,
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
        let mut at: HashMap<u32, &Site> = HashMap::new();
        for site in sites {
            match site.deed {
                Deed::Method => {
                    let mut code = Snippet::new();
                    self.element(&mut code, "entered", site.element)?;
                    editor.at_entry(code)?;
                }
                Deed::Call => {}
                _ => {
                    at.insert(site.offset, site);
                }
            }
        }
        let instructions: Vec<Instruction<'_>> = editor.instructions().to_vec();
        for instruction in &instructions {
            let Some(site) = at.get(&instruction.offset) else {
                continue;
            };
            if site.deed == Deed::Access {
                self.access(editor, instruction, site.element)?;
            } else {
                let mut code = Snippet::new();
                self.element(&mut code, "entered", site.element)?;
                editor.after(instruction.offset, code)?;
            }
        }
        self.leave(editor, name)
    }

    fn element(&mut self, code: &mut Snippet, name: &str, element: u32) -> Result<(), TurnError> {
        code.push_int(element.cast_signed(), self.pool)?;
        code.invoke(Invoke::Static, SHARE, name, "(I)V", self.pool)?;
        Ok(())
    }

    fn access(
        &mut self,
        editor: &mut Editor<'c>,
        instruction: &Instruction<'_>,
        element: u32,
    ) -> Result<(), TurnError> {
        let Some((above, has_object)) = self.above(instruction)? else {
            return Ok(());
        };
        let pool = &mut *self.pool;
        let code = self.around.before(editor, &above, has_object, |code| {
            code.push_int(element.cast_signed(), pool)?;
            let descriptor = "(Ljava/lang/Object;I)V";
            code.invoke(Invoke::Static, SHARE, "accesses", descriptor, pool)?;
            Ok(())
        })?;
        editor.before(instruction.offset, code)?;
        let mut code = Snippet::new();
        code.invoke(Invoke::Static, SHARE, "accessed", "()V", self.pool)?;
        editor.after(instruction.offset, code)?;
        self.holds = true;
        Ok(())
    }

    /// What lies above the object that is used, and whether there is one.
    fn above(
        &self,
        instruction: &Instruction<'_>,
    ) -> Result<Option<(Vec<FieldType<'c>>, bool)>, TurnError> {
        let member = || -> Result<_, TurnError> {
            let index = instruction.constant();
            Ok(index
                .map(|index| self.class.pool.member(index))
                .transpose()?)
        };
        Ok(match instruction.opcode {
            opcode::IALOAD..=opcode::SALOAD | opcode::IASTORE..=opcode::SASTORE => {
                Some((above_array(instruction).0, true))
            }
            opcode::GETSTATIC | opcode::PUTSTATIC | opcode::INVOKESTATIC => {
                Some((Vec::new(), false))
            }
            opcode::GETFIELD => Some((Vec::new(), true)),
            opcode::PUTFIELD => match member()? {
                Some(member) => Some((vec![FieldType::parse(member.descriptor)?], true)),
                None => None,
            },
            opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => match member()? {
                Some(member) => {
                    let parameters = MethodDescriptor::parse(member.descriptor)?.parameters;
                    Some((parameters, true))
                }
                None => None,
            },
            _ => None,
        })
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
