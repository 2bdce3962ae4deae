//! Calls of inside functions: which of them leave the inside, and what becomes of the others.

use reprise_c_analysis::model::{LENT, Storage, UNKNOWN};

use super::Inserter;
use crate::ir::{LLVMOpcode, LLVMTypeKind, Type, Value};
use crate::read::known_name;

/// What is known of a call. It is found out before anything is inserted in its function: calls
/// that are put in the place of others are nobody's that the analysis knows, and may be where one
/// of those was in the compiler's memory.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// All pointers that it is given are to inside memory.
    given_inside: bool,
    /// All that it may call is inside.
    calls_inside: bool,
}

impl Inserter<'_> {
    pub(super) fn known(&self, at: Value) -> Known {
        let pointer = LLVMTypeKind::LLVMPointerTypeKind;
        let mut given = at.arguments().into_iter();
        Known {
            given_inside: given.all(|one| one.kind().kind() != pointer || self.points_inside(one)),
            calls_inside: self.all_inside(at.callee()),
        }
    }

    pub(super) fn call(&mut self, function: Value, at: Value, of: Known) {
        let callee = at.callee();
        if callee.is_assembly() {
            // It does nothing, or the function would be outside.
            return;
        }
        let name = callee.name();
        let known = callee.is_function().then(|| known_name(&name)).flatten();
        if callee.is_function() && known.is_none() {
            self.intrinsic(function, at, &name);
            return;
        }
        let Some(id) = self.id(callee).filter(|_| callee.is_function()) else {
            if !of.calls_inside {
                self.out(function, at, None, None, "a function");
            }
            return;
        };
        let known = known.unwrap_or_default().to_owned();
        if self.is_inside(callee) {
            self.direct.push((at, callee));
            return;
        }
        let annotation = &self.reading.program.functions[id as usize].annotation;
        let does = annotation.clone().unwrap_or_default();
        let (owns, is_intrinsic) = (self.owns(at), name.starts_with("llvm."));
        if does.marks.is_some() {
            self.mark(at);
        } else if does.jumps_to.is_some() {
            self.by_runtime(function, at, "jump", false);
        } else if does.own {
            // What the compiler makes of it needs no library, if it is inside anyway.
            if !(is_intrinsic && of.given_inside) {
                self.by_runtime(function, at, &known, is_intrinsic);
            }
        } else if does.frees.is_some() || (does.allocates && owns) {
            let known = if does.frees.is_some() { "free" } else { &known };
            self.by_runtime(function, at, known, false);
        } else if does.reallocates.is_some() {
            let where_to = if owns { "" } else { "_outside" };
            self.by_runtime(function, at, &format!("{known}{where_to}"), false);
        } else {
            // What it does is known by its annotation or by its body.
            let is_known = annotation.is_some() || !callee.is_declaration();
            self.out(
                function,
                at,
                Some(callee),
                is_known.then_some(&does),
                &known,
            );
        }
    }

    /// A place to jump to, in an inside function.
    fn mark(&mut self, at: Value) {
        let number = self.module.int(32);
        let (of, setjmp) =
            self.runtime("__reprise_setjmp", number, &[self.module.pointer(), number]);
        setjmp.returns_again();
        let mut given = at.arguments();
        if given.len() < 2 {
            given.push(self.module.constant(number, 0));
        }
        self.before(at);
        let new = self.builder.call(of, setjmp, &given);
        new.call_returns_again();
        if at.is_used() {
            at.replace_with(new);
        }
        at.erase();
    }

    /// Jumps of an outside function: the runtime is told where one has come back, and
    /// jumps itself if it is to an inside function.
    pub(super) fn jumps(&mut self, function: Value) {
        let (number, void) = (self.module.int(32), self.module.void());
        let all = function.blocks().into_iter();
        for at in all.flat_map(crate::ir::Block::instructions) {
            if at.opcode() != LLVMOpcode::LLVMCall || !at.callee().is_function() {
                continue;
            }
            let Some(id) = self.id(at.callee()) else {
                continue;
            };
            let annotation = &self.reading.program.functions[id as usize].annotation;
            let does = annotation.clone().unwrap_or_default();
            let buffer = does
                .marks
                .and_then(|buffer| at.arguments().get(buffer).copied());
            if let (Some(next), Some(buffer)) = (at.next(), buffer) {
                let parameters = [self.module.pointer(), number];
                let (of, jumped) = self.runtime("__reprise_jumped", void, &parameters);
                self.before(next);
                self.builder.located(at.debug_location());
                self.builder.call(of, jumped, &[buffer, at]);
            }
            if does.jumps_to.is_some() && self.boundary.follows_jumps {
                let parameters = [self.module.pointer(), number];
                let (_, jump) = self.runtime("__reprise_longjmp", void, &parameters);
                at.set_operand(at.operands().len() as u32 - 1, jump);
            }
        }
    }

    /// What the compiler has for variable arguments reads and writes memory, which is
    /// always outside.
    fn intrinsic(&mut self, function: Value, at: Value, name: &str) {
        /// How long a list of variable arguments is.
        const LEN: u64 = 24;
        let (pointer, number) = (self.module.pointer(), self.module.int(32));
        if !name.starts_with("llvm.va_start") && !name.starts_with("llvm.va_copy") {
            return;
        }
        let arguments = at.arguments();
        let (of, write) = self.runtime("__reprise_write", pointer, &[pointer]);
        self.before(at);
        at.set_operand(0, self.builder.call(of, write, &arguments[..1]));
        if let Some(from) = arguments.get(1) {
            let site = self.site(function, at, "");
            let (of, read) = self.runtime("__reprise_read", pointer, &[pointer, number, number]);
            let len = self.module.constant(number, LEN);
            self.before(at);
            at.set_operand(1, self.builder.call(of, read, &[*from, len, site]));
        }
    }

    /// Whether everything that a pointer can call is inside.
    fn all_inside(&self, pointer: Value) -> bool {
        let objects = self
            .points_to
            .objects(self.reading.var(self.before_it_moved(pointer)));
        let is_inside = |object: &u32| match self.reading.program.objects[*object as usize].storage
        {
            Storage::Function(function) => self.boundary.functions[function as usize],
            _ => ![UNKNOWN, LENT].contains(object),
        };
        !objects.is_empty() && objects.iter().all(is_inside)
    }

    /// The runtime's function instead, which is also told the site.
    fn by_runtime(&mut self, function: Value, at: Value, name: &str, is_intrinsic: bool) {
        let site = self.site(function, at, name);
        let mut arguments = at.arguments();
        if is_intrinsic {
            // The last says whether it is volatile; a byte is an int in C.
            arguments.truncate(3);
            self.before(at);
            let (word, number) = (self.module.int(64), self.module.int(32));
            arguments[2] = self.builder.sign_extend_or_cut(arguments[2], word);
            if name == "memset" {
                arguments[1] = self.builder.sign_extend_or_cut(arguments[1], number);
            }
        }
        arguments.push(site);
        let parameters: Vec<Type> = arguments.iter().map(|one| one.kind()).collect();
        let result = if is_intrinsic {
            self.module.pointer()
        } else {
            at.kind()
        };
        let (of, own) = self.runtime(&format!("__reprise_{name}"), result, &parameters);
        self.before(at);
        let new = self.builder.call(of, own, &arguments);
        if !is_intrinsic && at.is_used() {
            at.replace_with(new);
        }
        at.erase();
    }
}
