//! The methods of an inside class: where each is entered and left.
//!
//! Every method with code gets the entry probe, private and synthetic ones
//! included: lambda bodies are called by hidden classes that no hook sees, and
//! reflection and method handles reach the rest. The runtime tells a call from
//! outside by the side on which the thread is, so a call among inside methods
//! costs a look at that and leaves nothing.
//!
//! No call site has a handler of its own. An exception that came out of an
//! outcall is noticed where it is caught, because the thread is then still on
//! the outside: at the start of each handler, and in a catch-all that is
//! appended to the method and throws it on.

use std::collections::BTreeSet;

use reprise_classfile::descriptor::{FieldType, MethodDescriptor};
use reprise_classfile::opcode;
use reprise_classfile::read::{ClassFile, LineNumberTable, Member, access};
use reprise_classfile::relocate::Editor;
use reprise_classfile::write::{ClassEditor, PoolEditor, Snippet};

use crate::calls::HAS_CLASS_CONSTANTS;
use crate::catalog::{Catalog, Site};
use crate::holds::Holds;
use crate::pattern::Patterns;
use crate::probe::{
    OBJECT_TYPE, RECORDER, RECORDER_TYPE, call, duplicate, goes_along, parameter, push_id,
};
use crate::{
    ProbeError, Skipped, builders, calls, dynamic, elements, fields, finalizers, lent, order,
    resolution,
};

/// A method body that is being given probes.
pub(crate) struct Body<'c, 'e> {
    pub(crate) class: &'c ClassFile<'c>,
    pub(crate) method: &'c Member<'c>,
    pub(crate) editor: Editor<'c>,
    pub(crate) pool: &'e mut PoolEditor<'c>,
    pub(crate) patterns: &'e Patterns,
    pub(crate) catalog: &'e mut dyn Catalog,
    /// The number of the method.
    pub(crate) id: u32,
    /// The local that holds the thread's recorder.
    pub(crate) recorder: u16,
    /// The local that holds the token.
    pub(crate) token: u16,
    /// In a constructor, the local with the token of the one that called it for
    /// the same object.
    pub(crate) chain: Option<u16>,
    /// Locals for arguments on their way; used anew at every site.
    spill: Vec<u16>,
    lines: Vec<(u32, u32)>,
    /// Instructions that only concern what the body makes for itself.
    pub(crate) owned: BTreeSet<u32>,
}

/// Gives every method its probes; returns those that had to be left alone.
pub(crate) fn instrument<'c>(
    class: &'c ClassFile<'c>,
    edited: &mut ClassEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
) -> Result<Vec<Skipped>, ProbeError> {
    let mut skipped = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let name = class.pool.utf8(method.name)?.to_str_lossy();
        let descriptor = class.pool.utf8(method.descriptor)?.to_str_lossy();
        let id = catalog.method(method.access, &name, &descriptor);
        let entries = edited.pool.count();
        let pool = &mut edited.pool;
        match instrument_one(class, method, pool, patterns, catalog, id, true) {
            Ok(None) => {}
            Ok(Some((code, complete))) => {
                edited.set_code(index, code)?;
                if !complete {
                    skipped.push(Skipped {
                        method: format!("{name}{descriptor}"),
                        why: "it is large; where threads race for elements of arrays in it, \
                              their order is not kept"
                            .to_owned(),
                    });
                }
            }
            Err(error) => {
                pool.roll_back(entries);
                let fewer = instrument_one(class, method, pool, patterns, catalog, id, false);
                let (code, counts) = match fewer {
                    Ok(code) => (
                        code.map(|(code, _)| code),
                        "what the outside writes to arrays is not seen in it",
                    ),
                    Err(_) => {
                        pool.roll_back(entries);
                        lent::instrument(class, method, pool, patterns, catalog, id)
                    }
                };
                if let Some(code) = code {
                    edited.set_code(index, code)?;
                }
                skipped.push(Skipped {
                    method: format!("{name}{descriptor}"),
                    why: format!("{error}; {counts}"),
                });
            }
        }
    }
    Ok(skipped)
}

/// One method with its probes, or with all but those for elements of arrays that the outside
/// writes to; and whether it has all that threads need which race.
fn instrument_one<'c>(
    class: &'c ClassFile<'c>,
    method: &'c Member<'c>,
    pool: &mut PoolEditor<'c>,
    patterns: &Patterns,
    catalog: &mut dyn Catalog,
    id: u32,
    arrays: bool,
) -> Result<Option<(Vec<u8>, bool)>, ProbeError> {
    let Some(editor) = Editor::new(class, method)? else {
        return Ok(None);
    };
    if is_empty_finalizer(class, method, &editor)? {
        return Ok(None);
    }
    let complete = class.pool.utf8(method.name)? == "<clinit>"
        || !elements::is_too_large(&editor, patterns.sharing);
    let mut body = Body::new(class, method, editor, pool, patterns, catalog, id);
    body.entry(arrays)?;
    body.handlers()?;
    let holds = Holds::of(&body);
    calls::instrument(&mut body, &holds)?;
    holds.instrument(&mut body)?;
    dynamic::instrument(&mut body)?;
    fields::instrument(&mut body)?;
    resolution::instrument(&mut body)?;
    order::instrument(&mut body)?;
    elements::instrument(&mut body, &holds, arrays)?;
    finalizers::instrument(&mut body)?;
    body.exits()?;
    let code = body.editor.finish(body.pool)?;
    Ok(Some((code, complete)))
}

/// A finalizer that got code would make its class finalizable.
fn is_empty_finalizer(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    editor: &Editor<'_>,
) -> Result<bool, ProbeError> {
    let empty = matches!(editor.instructions(), [only] if only.opcode == opcode::RETURN);
    Ok(empty
        && class.pool.utf8(method.name)? == "finalize"
        && class.pool.utf8(method.descriptor)? == "()V")
}

/// Offset and line of each row, by offset.
fn lines(class: &ClassFile<'_>, editor: &Editor<'_>) -> Vec<(u32, u32)> {
    let mut lines: Vec<(u32, u32)> = editor
        .code()
        .attributes
        .iter()
        .filter(|attribute| attribute.is(&class.pool, "LineNumberTable"))
        .filter_map(|attribute| LineNumberTable::read(attribute).ok())
        .flat_map(|table| table.0)
        .map(|row| (row.start.into(), row.line.into()))
        .collect();
    lines.sort_unstable();
    lines
}

impl<'c, 'e> Body<'c, 'e> {
    pub(crate) fn new(
        class: &'c ClassFile<'c>,
        method: &'c Member<'c>,
        editor: Editor<'c>,
        pool: &'e mut PoolEditor<'c>,
        patterns: &'e Patterns,
        catalog: &'e mut dyn Catalog,
        id: u32,
    ) -> Self {
        let owned = builders::owned(class, method, editor.code(), patterns.builders);
        Self {
            class,
            method,
            lines: lines(class, &editor),
            editor,
            pool,
            patterns,
            catalog,
            id,
            recorder: 0,
            token: 0,
            chain: None,
            spill: Vec::new(),
            owned,
        }
    }

    /// Loads the recorder.
    pub(crate) fn load_recorder(&self, code: &mut Snippet) -> Result<(), ProbeError> {
        code.load(RECORDER_TYPE, self.recorder)?;
        Ok(())
    }

    /// Numbers a site of this method.
    pub(crate) fn site(
        &mut self,
        offset: u32,
        opcode: u8,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> u32 {
        let line = self.lines.partition_point(|(start, _)| *start <= offset);
        let line = line.checked_sub(1).and_then(|row| self.lines.get(row));
        self.catalog.site(&Site {
            method: self.id,
            offset,
            line: line.map_or(0, |(_, line)| *line),
            opcode,
            owner,
            name,
            descriptor,
        })
    }

    /// The slots in which values of these types can wait, in order.
    pub(crate) fn spill(&mut self, types: &[FieldType<'_>]) -> Result<Vec<u16>, ProbeError> {
        let mut slots = Vec::with_capacity(types.len());
        let mut used = 0;
        for ty in types {
            let needed = usize::from(ty.slots());
            while self.spill.len() < used + needed {
                // Allocated one after another, so two neighbours hold a long.
                self.spill.push(self.editor.new_local(FieldType::Int)?);
            }
            slots.extend(self.spill.get(used));
            used += needed;
        }
        Ok(slots)
    }

    /// Whether `this` stays in local 0 for the whole method.
    pub(crate) fn keeps_this(&self) -> bool {
        let stores = |instruction: &reprise_classfile::read::Instruction<'_>| {
            let store = matches!(
                instruction.opcode,
                opcode::ASTORE
                    | opcode::ASTORE_0
                    | opcode::ISTORE
                    | opcode::ISTORE_0
                    | opcode::FSTORE
                    | opcode::FSTORE_0
                    | opcode::LSTORE
                    | opcode::LSTORE_0
                    | opcode::DSTORE
                    | opcode::DSTORE_0
            );
            store && instruction.local() == Some(0)
        };
        !self.editor.instructions().iter().any(stores)
    }

    pub(crate) fn is_constructor(&self) -> Result<bool, ProbeError> {
        Ok(self.class.pool.utf8(self.method.name)? == "<init>")
    }

    pub(crate) fn is_initialiser(&self) -> Result<bool, ProbeError> {
        Ok(self.class.pool.utf8(self.method.name)? == "<clinit>")
    }

    pub(crate) fn is_static(&self) -> bool {
        self.method.access & access::STATIC != 0
    }

    fn entry(&mut self, arrays: bool) -> Result<(), ProbeError> {
        let descriptor = MethodDescriptor::parse(self.class.pool.utf8(self.method.descriptor)?)?;
        let mut arguments = Vec::new();
        let mut slot = 0;
        if !self.is_static() {
            // A constructor's `this` cannot be passed on yet.
            if !self.is_constructor()? {
                arguments.push((OBJECT_TYPE, 0));
            }
            slot = 1;
        }
        for ty in descriptor.parameters {
            arguments.push((ty, slot));
            slot += ty.slots();
        }

        let mut code = Snippet::new();
        let recorder = if arrays { "recorder" } else { "recorderUntold" };
        call(&mut code, recorder, &format!("(){RECORDER}"), self.pool)?;
        self.recorder = self.editor.hold(RECORDER_TYPE, code)?;
        let mut code = Snippet::new();
        let this = if arguments.first() == Some(&(OBJECT_TYPE, 0)) && !self.is_static() {
            arguments.remove(0);
            code.load(OBJECT_TYPE, 0)?;
            "Ljava/lang/Object;"
        } else {
            ""
        };
        let mut enter = if arguments.is_empty() {
            "enterBare"
        } else {
            "enter"
        };
        let mut only = "";
        if let [(ty, slot)] = *arguments
            && !this.is_empty()
            && goes_along(ty)
        {
            arguments.clear();
            code.load(ty, slot)?;
            only = parameter(ty);
            enter = "enterBare";
        }
        self.load_recorder(&mut code)?;
        push_id(&mut code, self.id, self.pool)?;
        let descriptor = format!("({this}{only}{RECORDER}I)I");
        call(&mut code, enter, &descriptor, self.pool)?;
        self.token = self.editor.hold(FieldType::Int, code)?;
        if self.is_constructor()? {
            let mut code = Snippet::new();
            self.load_recorder(&mut code)?;
            call(&mut code, "chained", &format!("({RECORDER})I"), self.pool)?;
            self.chain = Some(self.editor.hold(FieldType::Int, code)?);
        }
        let mut code = Snippet::new();
        self.log_arguments(&mut code, &arguments)?;
        if self.is_initialiser()? {
            self.load_recorder(&mut code)?;
            push_id(&mut code, self.id, self.pool)?;
            let descriptor = format!("({RECORDER}I)V");
            call(&mut code, "initialises", &descriptor, self.pool)?;
        }
        self.editor.at_entry(code)?;
        Ok(())
    }

    /// Adds values in locals to the event that was begun; the last one makes
    /// it complete.
    pub(crate) fn log_arguments(
        &mut self,
        code: &mut Snippet,
        arguments: &[(FieldType<'_>, u16)],
    ) -> Result<(), ProbeError> {
        for (at, (ty, slot)) in arguments.iter().enumerate() {
            code.load(*ty, *slot)?;
            self.load_recorder(code)?;
            let last = at + 1 == arguments.len();
            let name = if last { "last" } else { "argument" };
            let descriptor = format!("({}{RECORDER})V", parameter(*ty));
            call(code, name, &descriptor, self.pool)?;
        }
        Ok(())
    }

    /// Tells the inside constructor that is about to be called for the same
    /// object who called this one.
    pub(crate) fn chain(&mut self, offset: u32) -> Result<(), ProbeError> {
        let Some(chain) = self.chain else {
            return Ok(());
        };
        let mut code = Snippet::new();
        self.load_token(&mut code)?;
        code.load(FieldType::Int, chain)?;
        call(&mut code, "chains", &format!("({RECORDER}II)V"), self.pool)?;
        self.editor.before(offset, code)?;
        Ok(())
    }

    /// In a constructor: odd if what `super()` or `this()` throws leaves the inside.
    pub(crate) fn load_caller(&self, code: &mut Snippet) -> Result<(), ProbeError> {
        code.load(FieldType::Int, self.token)?;
        if let Some(chain) = self.chain {
            code.load(FieldType::Int, chain)?;
            code.op(opcode::IOR)?;
        }
        Ok(())
    }

    pub(crate) fn load_token(&self, code: &mut Snippet) -> Result<(), ProbeError> {
        self.load_recorder(code)?;
        code.load(FieldType::Int, self.token)?;
        Ok(())
    }

    fn handlers(&mut self) -> Result<(), ProbeError> {
        let mut starts: Vec<u32> = self
            .editor
            .code()
            .exceptions
            .iter()
            .map(|row| row.handler.into())
            .collect();
        starts.sort_unstable();
        starts.dedup();
        for start in starts {
            let mut code = Snippet::new();
            code.op(opcode::DUP)?;
            self.load_token(&mut code)?;
            let descriptor = format!("(Ljava/lang/Throwable;{RECORDER}I)V");
            call(&mut code, "caught", &descriptor, self.pool)?;
            self.editor.before(start, code)?;
        }
        Ok(())
    }

    fn exits(&mut self) -> Result<(), ProbeError> {
        let descriptor = MethodDescriptor::parse(self.class.pool.utf8(self.method.descriptor)?)?;
        let mut code = Snippet::new();
        let (name, value) = match descriptor.result {
            Some(ty) => {
                duplicate(&mut code, ty)?;
                ("returns", parameter(ty))
            }
            None if self.is_constructor()? && self.keeps_this() => {
                self.editor.keep_this();
                code.load(OBJECT_TYPE, 0)?;
                if self.class.major >= HAS_CLASS_CONSTANTS {
                    let own = self.class.name()?.to_str_lossy();
                    code.push_class(&own, self.pool)?;
                } else {
                    code.op(opcode::ACONST_NULL)?;
                }
                ("constructed", "Ljava/lang/Object;Ljava/lang/Class;")
            }
            None => ("returns", ""),
        };
        self.load_token(&mut code)?;
        call(
            &mut code,
            name,
            &format!("({value}{RECORDER}I)V"),
            self.pool,
        )?;
        self.editor.before_returns(&code)?;

        let mut code = Snippet::new();
        code.op(opcode::DUP)?;
        self.load_token(&mut code)?;
        let (thrown, chain) = match self.chain {
            Some(chain) => {
                code.load(FieldType::Int, chain)?;
                ("thrownNew", "I")
            }
            None => ("thrown", ""),
        };
        let descriptor = format!("(Ljava/lang/Throwable;{RECORDER}I{chain})V");
        call(&mut code, thrown, &descriptor, self.pool)?;
        code.op(opcode::ATHROW)?;
        self.editor.catch_unborn(code.clone())?;
        self.editor.catch_all(code)?;
        Ok(())
    }
}
