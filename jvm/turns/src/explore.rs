//! A class of the program whose schedule is being chosen: a probe wherever a switch
//! can make a difference, that is at accesses to what other threads may use, at
//! monitors, and at calls of the JDK that may block.
//!
//! So are calls of the program's own methods that may be synchronized: those of other
//! classes, since nobody knows here what they are. Other calls among its methods are
//! counted and no more: a thread that waits to enter a synchronized method stands before
//! such a call.

use std::collections::HashSet;

use reprise_classfile::descriptor::FieldType;
use reprise_classfile::flow::parse_for_edit;
use reprise_classfile::mutf8::Utf8;
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, Instruction, Member, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, Invoke, PoolEditor, Snippet};

use reprise_program::Notes;

use crate::TurnError;
use crate::calls::redirect_all;
use crate::plan::Place;
use crate::values::watch;

const POINT: &str = "java/reprise/scheduler/Point";
const OBJECT: FieldType<'static> = FieldType::Object(Utf8(b"java/lang/Object"));

/// A bytecode that gets a probe.
#[derive(Debug)]
pub struct Site<'s> {
    /// Its method's name.
    pub method: &'s str,
    /// And descriptor.
    pub descriptor: &'s str,
    /// Its offset.
    pub offset: u32,
    /// What a person is told of it.
    pub note: Option<String>,
    /// What it uses that other threads may use, and whether it only reads that.
    pub uses: Option<(String, bool)>,
    /// Whether a thread can be said to be blocked in it.
    pub names_blocking: bool,
}

/// Numbers a bytecode.
pub type Number<'n> = dyn FnMut(&Site<'_>) -> u32 + 'n;

/// Packages of the JDK whose calls are shared accesses or synchronisation.
const SHARED: &[&str] = &["java/util/", "java/lang/Thread", "java/lang/ref/"];

/// What of these is a value, or calls back at once.
const UNSHARED: &[&str] = &[
    "java/util/Objects",
    "java/util/Optional",
    "java/util/Locale",
    "java/util/function/",
    "java/util/regex/",
    "java/util/stream/",
    "java/util/Arrays",
    "java/lang/ThreadLocal",
];

/// The class with its probes. `places` are those of this class that get one, whatever
/// stands there; with `values`, what is another value in every run can be given.
pub fn instrument(
    bytes: &[u8],
    places: &[&Place],
    is_thread: &dyn Fn(&str) -> bool,
    values: bool,
    number: &mut Number<'_>,
) -> Result<Vec<u8>, TurnError> {
    let class = parse_for_edit(bytes)?;
    let mut edited = ClassEditor::new(&class);
    for (index, method) in class.methods.iter().enumerate() {
        let Some(mut editor) = Editor::new(&class, method)? else {
            continue;
        };
        let mut body = Body {
            class: &class,
            method,
            pool: &mut edited.pool,
            places,
            is_thread,
        };
        body.points(&mut editor, number)?;
        redirect_all(&class, &mut editor, body.pool, is_thread)?;
        if values {
            watch(&class, &mut editor, body.pool)?;
        }
        body.brackets(&mut editor)?;
        let code = editor.finish(&mut edited.pool)?;
        edited.set_code(index, code)?;
    }
    Ok(edited.finish()?)
}

struct Body<'c, 'e> {
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &'e mut PoolEditor<'c>,
    places: &'e [&'e Place],
    is_thread: &'e dyn Fn(&str) -> bool,
}

impl<'c> Body<'c, '_> {
    fn points(
        &mut self,
        editor: &mut Editor<'c>,
        number: &mut Number<'_>,
    ) -> Result<(), TurnError> {
        let name = self.class.pool.utf8(self.method.name)?.to_str_lossy();
        let descriptor = self.class.pool.utf8(self.method.descriptor)?.to_str_lossy();
        let notes = Notes::of(self.class, self.method)?;
        let places = self.places.iter();
        let named: HashSet<u32> = places
            .filter(|place| place.method == name && place.descriptor == descriptor)
            .map(|place| place.offset)
            .collect();
        let instructions: Vec<Instruction<'_>> = editor.instructions().to_vec();
        for instruction in instructions {
            let offset = instruction.offset;
            let mut site = || {
                number(&Site {
                    method: &name,
                    descriptor: &descriptor,
                    offset,
                    note: notes.at(offset),
                    uses: notes.uses(offset),
                    names_blocking: notes.names_blocking(offset),
                })
            };
            match instruction.opcode {
                opcode::MONITORENTER => {
                    let mut code = Snippet::new();
                    code.op(opcode::DUP)?;
                    code.push_int(site().cast_signed(), self.pool)?;
                    self.call(&mut code, "enter", "(Ljava/lang/Object;I)V")?;
                    editor.before(offset, code)?;
                }
                opcode::MONITOREXIT => {
                    let mut code = Snippet::new();
                    code.op(opcode::DUP)?;
                    self.call(&mut code, "exit", "(Ljava/lang/Object;)V")?;
                    editor.before(offset, code)?;
                }
                opcode::IALOAD..=opcode::SALOAD | opcode::IASTORE..=opcode::SASTORE => {
                    self.point(editor, offset, "access", site())?;
                }
                opcode::GETSTATIC..=opcode::PUTFIELD
                    if self.is_shared_field(&instruction, &name)? =>
                {
                    self.point(editor, offset, "access", site())?;
                }
                opcode::INVOKEVIRTUAL..=opcode::INVOKEINTERFACE => match self.kind(&instruction)? {
                    Kind::None | Kind::Own if named.contains(&offset) => {
                        self.point(editor, offset, "access", site())?;
                    }
                    Kind::None => {}
                    Kind::Own => self.point(editor, offset, "call", site())?,
                    Kind::Locking => self.point(editor, offset, "access", site())?,
                    Kind::Shared => {
                        // Who blocks in another one is where the JDK blocks, in whatever call.
                        let told = match notes.names_blocking(offset) {
                            true => "sync",
                            false => "access",
                        };
                        self.point(editor, offset, told, site())?;
                        let mut code = Snippet::new();
                        self.call(&mut code, "synced", "()V")?;
                        editor.after(offset, code)?;
                    }
                },
                _ if named.contains(&offset) => self.point(editor, offset, "access", site())?,
                _ => {}
            }
        }
        Ok(())
    }

    fn call(&mut self, code: &mut Snippet, name: &str, descriptor: &str) -> Result<(), TurnError> {
        code.invoke(Invoke::Static, POINT, name, descriptor, self.pool)?;
        Ok(())
    }

    fn point(
        &mut self,
        editor: &mut Editor<'c>,
        offset: u32,
        name: &str,
        site: u32,
    ) -> Result<(), TurnError> {
        let mut code = Snippet::new();
        code.push_int(site.cast_signed(), self.pool)?;
        self.call(&mut code, name, "(I)V")?;
        editor.before(offset, code)?;
        Ok(())
    }

    /// Whether others may use the field: not one that never changes, nor one of an
    /// object that is being constructed.
    fn is_shared_field(
        &self,
        instruction: &Instruction<'_>,
        name: &str,
    ) -> Result<bool, TurnError> {
        let Some(index) = instruction.constant() else {
            return Ok(false);
        };
        let member = self.class.pool.member(index)?;
        let owner = member.class.to_str_lossy();
        if owner.starts_with("java/") || name == "<clinit>" {
            return Ok(false);
        }
        if member.class != self.class.name()? {
            return Ok(true);
        }
        if name == "<init>" && instruction.opcode == opcode::PUTFIELD {
            return Ok(false);
        }
        let pool = &self.class.pool;
        for field in &self.class.fields {
            if pool.utf8(field.name)? == member.name {
                return Ok(field.access & access::FINAL == 0);
            }
        }
        Ok(true)
    }

    fn kind(&self, instruction: &Instruction<'_>) -> Result<Kind, TurnError> {
        let Some(index) = instruction.constant() else {
            return Ok(Kind::None);
        };
        let member = self.class.pool.member(index)?;
        let owner = member.class.to_str_lossy();
        let name = member.name.to_str_lossy();
        if name == "<init>" {
            return Ok(Kind::None);
        }
        let monitors = matches!(&*name, "wait" | "notify" | "notifyAll");
        let starts = |list: &[&str]| list.iter().any(|prefix| owner.starts_with(prefix));
        let threads = (self.is_thread)(&owner)
            && matches!(
                &*name,
                "start" | "join" | "sleep" | "yield" | "interrupt" | "isInterrupted" | "isAlive"
            );
        Ok(match () {
            () if monitors || threads => Kind::Shared,
            () if starts(UNSHARED) => Kind::None,
            () if name == "currentThread" => Kind::None,
            () if starts(SHARED) => Kind::Shared,
            () if owner.starts_with("java/") || owner.starts_with('[') => Kind::None,
            () if self.may_lock(member.class, member.name, member.descriptor)? => Kind::Locking,
            () => Kind::Own,
        })
    }

    /// Whether a method of the program may be synchronized.
    fn may_lock(
        &self,
        owner: Utf8<'_>,
        name: Utf8<'_>,
        descriptor: Utf8<'_>,
    ) -> Result<bool, TurnError> {
        if owner != self.class.name()? {
            return Ok(true);
        }
        let pool = &self.class.pool;
        for method in &self.class.methods {
            if pool.utf8(method.name)? == name && pool.utf8(method.descriptor)? == descriptor {
                return Ok(method.access & access::SYNCHRONIZED != 0);
            }
        }
        Ok(true)
    }

    /// What begins and ends with a method: its monitor, or a class initialiser.
    fn brackets(&mut self, editor: &mut Editor<'c>) -> Result<(), TurnError> {
        let name = self.class.pool.utf8(self.method.name)?;
        if name == "<clinit>" {
            let mut begin = Snippet::new();
            self.call(&mut begin, "initialises", "()I")?;
            let slot = editor.hold(FieldType::Int, begin)?;
            let mut end = Snippet::new();
            end.load(FieldType::Int, slot)?;
            self.call(&mut end, "initialised", "(I)V")?;
            editor.before_returns(&end)?;
            end.op(opcode::ATHROW)?;
            return Ok(editor.catch_all(end)?);
        }
        if self.method.access & access::SYNCHRONIZED == 0 {
            return Ok(());
        }
        let mut begin = Snippet::new();
        if self.method.access & access::STATIC == 0 {
            begin.op(opcode::ALOAD_0)?;
        } else {
            let own = self.class.name()?.to_str_lossy().into_owned();
            begin.push_class(&own, self.pool)?;
        }
        let descriptor = "(Ljava/lang/Object;)Ljava/lang/Object;";
        self.call(&mut begin, "acquired", descriptor)?;
        let slot = editor.hold(OBJECT, begin)?;
        let mut end = Snippet::new();
        end.load(OBJECT, slot)?;
        self.call(&mut end, "exit", "(Ljava/lang/Object;)V")?;
        editor.before_returns(&end)?;
        end.op(opcode::ATHROW)?;
        Ok(editor.catch_all(end)?)
    }
}

/// What a call is to the scheduler.
enum Kind {
    None,
    /// Of a method of the program.
    Own,
    /// Of one that may be synchronized.
    Locking,
    /// Of the JDK: a shared access, or synchronisation.
    Shared,
}
