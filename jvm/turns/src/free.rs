//! A class of a program whose threads run freely: probes at what synchronises, so that the
//! order of that is known, and nowhere else.
//!
//! | what | probe |
//! | --- | --- |
//! | a monitor | the place before it is entered; then who was there last; the same where it is left |
//! | a synchronized method | the place is the call of it, wherever [`Facts`] knows of one by that name |
//! | a volatile field, or one that has a handle (with `all`: any that is not final) | around the access |
//! | an element of an array, in a class with arrays in volatile fields or handles of elements (with `all`: in any) | around the access |
//! | a call of the JDK that synchronises | around the call, by its receiver |
//! | a call that has to do with pools, of a parallel stream as well | around the call, all by one |
//! | a call that looks into a table of the JDK's, which the program fills | around the call, all by one |
//! | a method that the JDK may call, and that is not over at once | where it begins and where it returns |
//!
//! A place where a thread may be made to stop is one that is counted whenever it is passed,
//! so there each pass is told.

mod accesses;
mod called_back;
mod kind;
mod short;

use std::collections::{BTreeSet, HashSet};

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Constant, Instruction, Member, ReadError, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};
use reprise_program::Notes;

use crate::TurnError;
use crate::around::{Around, OBJECT};
use crate::calls::redirect;
use crate::explore::{Number, Site};
use crate::facts::{Facts, handled_fields, shares_elements};
use crate::values::watch;
use kind::Kind;

const FREE: &str = "java/reprise/scheduler/Free";

/// Which accesses are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Synchronisation.
    Synchronisation,
    /// And whatever threads may share.
    All,
}

/// The class with its probes. `is_thread` knows whether a class extends `Thread`.
pub fn instrument(
    bytes: &[u8],
    scope: Scope,
    facts: &Facts,
    is_thread: &dyn Fn(&str) -> bool,
    number: &mut Number<'_>,
) -> Result<Option<Vec<u8>>, TurnError> {
    let class = parse_for_edit(bytes)?;
    let mut facts = facts.clone();
    facts.add_class(&class)?;
    let handled = handled(&class)?;
    let handled_fields = handled_fields(&class)?;
    let elements = scope == Scope::All || shares_elements(&class)?;
    let mut edited = ClassEditor::new(&class);
    let mut any = false;
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let mut body = Body {
            class: &class,
            method,
            name: class.pool.utf8(method.name)?.to_str_lossy().into_owned(),
            descriptor: class
                .pool
                .utf8(method.descriptor)?
                .to_str_lossy()
                .into_owned(),
            notes: None,
            pool: &mut edited.pool,
            scope,
            facts: &facts,
            handled: &handled,
            handled_fields: &handled_fields,
            elements,
            is_thread,
            around: Around::default(),
            calls: false,
            changed: false,
        };
        body.edit(&mut editor, number)?;
        let changed = body.changed;
        let redirected = redirect(&class, &mut editor, &mut edited.pool, is_thread)?;
        let watched = watch(&class, &mut editor, &mut edited.pool)?;
        if changed || redirected || watched {
            let code = editor.finish(&mut edited.pool)?;
            edited.set_code(index, code)?;
            any = true;
        }
    }
    Ok(if any { Some(edited.finish()?) } else { None })
}

/// The methods of the class that it hands out, as lambdas do.
fn handled(class: &ClassFile<'_>) -> Result<HashSet<(String, String)>, ReadError> {
    let mut found = HashSet::new();
    let own = class.name()?;
    for index in class.pool.indexes() {
        if let Ok(Constant::MethodHandle { reference, .. }) = class.pool.get(index)
            && let Ok(member) = class.pool.member(reference)
            && member.class == own
        {
            let name = member.name.to_str_lossy().into_owned();
            found.insert((name, member.descriptor.to_str_lossy().into_owned()));
        }
    }
    Ok(found)
}

struct Body<'c, 'e> {
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    name: String,
    descriptor: String,
    notes: Option<Notes>,
    pool: &'e mut PoolEditor<'c>,
    scope: Scope,
    facts: &'e Facts,
    handled: &'e HashSet<(String, String)>,
    /// The names of fields of the class that are used through handles as well.
    handled_fields: &'e BTreeSet<u16>,
    /// Whether elements of arrays are recorded.
    elements: bool,
    is_thread: &'e dyn Fn(&str) -> bool,
    around: Around,
    /// Whether there are calls that must not be left with what they have.
    calls: bool,
    changed: bool,
}

impl<'c> Body<'c, '_> {
    fn edit(&mut self, editor: &mut Editor<'c>, number: &mut Number<'_>) -> Result<(), TurnError> {
        let instructions: Vec<Instruction<'_>> = editor.instructions().to_vec();
        let called_back = self.is_called_back(&instructions);
        for instruction in &instructions {
            let offset = instruction.offset;
            match instruction.opcode {
                opcode::MONITORENTER => {
                    let site = self.site(offset, number)?;
                    let mut code = Snippet::new();
                    code.op(opcode::DUP)?;
                    self.tell(&mut code, "passes", Some(site), "(I)V")?;
                    editor.before(offset, code)?;
                    let mut code = Snippet::new();
                    self.tell(&mut code, "entered", None, "(Ljava/lang/Object;)V")?;
                    editor.after(offset, code)?;
                }
                opcode::MONITOREXIT => {
                    let mut code = Snippet::new();
                    code.op(opcode::DUP)?;
                    self.tell(&mut code, "leaves", None, "(Ljava/lang/Object;)V")?;
                    editor.before(offset, code)?;
                }
                opcode::IALOAD..=opcode::SALOAD | opcode::IASTORE..=opcode::SASTORE
                    if self.elements && self.name != "<clinit>" =>
                {
                    let site = self.site(offset, number)?;
                    self.element(editor, instruction, site)?;
                }
                opcode::GETSTATIC..=opcode::PUTFIELD => {
                    if let Some(member) = self.shared(instruction)? {
                        let site = self.site(offset, number)?;
                        self.field(editor, instruction, &member, site)?;
                    }
                }
                opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => {
                    self.call(editor, instruction, number)?;
                }
                code if called_back && opcode::is_return(code) => {
                    let site = self.site(offset, number)?;
                    let mut code = Snippet::new();
                    self.tell(&mut code, "returns", Some(site), "(I)V")?;
                    editor.before(offset, code)?;
                }
                _ => {}
            }
        }
        self.brackets(editor, called_back)
    }

    fn site(&mut self, offset: u32, number: &mut Number<'_>) -> Result<u32, TurnError> {
        if self.notes.is_none() {
            self.notes = Some(Notes::of(self.class, self.method)?);
        }
        let notes = self.notes.as_ref();
        Ok(number(&Site {
            method: &self.name,
            descriptor: &self.descriptor,
            offset,
            note: notes.and_then(|notes| notes.at(offset)),
            uses: notes.and_then(|notes| notes.uses(offset)),
            names_blocking: notes.is_some_and(|notes| notes.names_blocking(offset)),
        }))
    }

    fn tell(
        &mut self,
        code: &mut Snippet,
        name: &str,
        site: Option<u32>,
        descriptor: &str,
    ) -> Result<(), TurnError> {
        if let Some(site) = site {
            code.push_int(site.cast_signed(), self.pool)?;
        }
        code.invoke(Invoke::Static, FREE, name, descriptor, self.pool)?;
        self.changed = true;
        Ok(())
    }

    /// Code that tells the object below some values, and of what use it is.
    fn told(
        &mut self,
        editor: &mut Editor<'c>,
        above: &[FieldType<'_>],
        has_object: bool,
        name: &str,
        key: Option<i32>,
        site: u32,
    ) -> Result<Snippet, TurnError> {
        let pool = &mut *self.pool;
        self.changed = true;
        self.around.before(editor, above, has_object, |code| {
            let descriptor = match key {
                Some(key) => {
                    code.push_int(key, pool)?;
                    "(Ljava/lang/Object;II)V"
                }
                None => "(Ljava/lang/Object;I)V",
            };
            code.push_int(site.cast_signed(), pool)?;
            code.invoke(Invoke::Static, FREE, name, descriptor, pool)?;
            Ok(())
        })
    }

    fn after(&mut self, editor: &mut Editor<'c>, offset: u32, name: &str) -> Result<(), TurnError> {
        self.calls = true;
        let mut code = Snippet::new();
        self.tell(&mut code, name, None, "()V")?;
        Ok(editor.after(offset, code)?)
    }

    fn call(
        &mut self,
        editor: &mut Editor<'c>,
        instruction: &Instruction<'_>,
        number: &mut Number<'_>,
    ) -> Result<(), TurnError> {
        let Some(index) = instruction.constant() else {
            return Ok(());
        };
        let member = self.class.pool.member(index)?;
        let is_static = instruction.opcode == opcode::INVOKESTATIC;
        let kind = self.kind(&member, is_static);
        let name = match kind {
            Kind::None => return Ok(()),
            Kind::Place => "passes",
            Kind::Marks => "marks",
            Kind::Asks => "asks",
            Kind::Pools => "pools",
            Kind::Tables => "tables",
            Kind::Joins => "joins",
            Kind::Perhaps | Kind::PerhapsArgument => "perhaps",
            Kind::Runs => "runs",
            Kind::Streams => "streams",
            Kind::Receiver | Kind::Argument => "call",
        };
        let offset = instruction.offset;
        let site = self.site(offset, number)?;
        let code = if matches!(
            kind,
            Kind::Joins | Kind::Receiver | Kind::Perhaps | Kind::Runs | Kind::Streams
        ) {
            let descriptor = MethodDescriptor::parse(member.descriptor)?;
            self.told(editor, &descriptor.parameters, true, name, None, site)?
        } else if matches!(kind, Kind::Argument | Kind::PerhapsArgument) {
            let descriptor = MethodDescriptor::parse(member.descriptor)?;
            let above = descriptor.parameters.get(1..).unwrap_or_default();
            self.told(editor, above, true, name, None, site)?
        } else {
            let mut code = Snippet::new();
            self.tell(&mut code, name, Some(site), "(I)V")?;
            code
        };
        editor.before(offset, code)?;
        match kind {
            Kind::Place => Ok(()),
            _ => self.after(editor, offset, "called"),
        }
    }

    /// What begins and ends with a method.
    fn brackets(&mut self, editor: &mut Editor<'c>, called_back: bool) -> Result<(), TurnError> {
        if self.calls {
            let mut handlers: Vec<u32> = editor
                .code()
                .exceptions
                .iter()
                .map(|row| row.handler.into())
                .collect();
            handlers.sort_unstable();
            handlers.dedup();
            for handler in handlers {
                let mut code = Snippet::new();
                self.tell(&mut code, "thrown", None, "()V")?;
                editor.before(handler, code)?;
            }
        }
        let mut begins = Vec::new();
        let mut ends = Snippet::new();
        if self.name == "<clinit>" {
            begins.push(("initialises", "()I", "initialised", FieldType::Int));
        }
        if self.method.access & access::SYNCHRONIZED != 0 {
            begins.push((
                "acquired",
                "(Ljava/lang/Object;)Ljava/lang/Object;",
                "leaves",
                OBJECT,
            ));
        }
        let mut any = self.calls || called_back;
        if called_back {
            self.tell(&mut ends, "unwinds", None, "()V")?;
            let mut code = Snippet::new();
            self.tell(&mut code, "calledBack", None, "()V")?;
            editor.at_entry(code)?;
        } else if self.calls {
            self.tell(&mut ends, "thrown", None, "()V")?;
        }
        for (begin, descriptor, end, ty) in begins {
            any = true;
            let mut code = Snippet::new();
            if ty == OBJECT && self.method.access & access::STATIC == 0 {
                code.op(opcode::ALOAD_0)?;
            } else if ty == OBJECT {
                let own = self.class.name()?.to_str_lossy().into_owned();
                code.push_class(&own, self.pool)?;
            }
            self.tell(&mut code, begin, None, descriptor)?;
            let slot = editor.hold(ty, code)?;
            let mut code = Snippet::new();
            code.load(ty, slot)?;
            let descriptor = if ty == OBJECT {
                "(Ljava/lang/Object;)V"
            } else {
                "(I)V"
            };
            self.tell(&mut code, end, None, descriptor)?;
            editor.before_returns(&code)?;
            ends.load(ty, slot)?;
            self.tell(&mut ends, end, None, descriptor)?;
        }
        if any {
            ends.op(opcode::ATHROW)?;
            // A constructor is covered from where its object is complete.
            if let Err(error) = editor.catch_all(ends)
                && self.name != "<init>"
            {
                return Err(error.into());
            }
        }
        Ok(())
    }
}
