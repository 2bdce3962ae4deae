//! Calls.

use reprise_c_analysis::annotations::Annotation;
use reprise_c_analysis::model::{
    Call, Callee, Counted, Fact, FunctionId, Move, NOTHING, Place, Storage, Var, Words,
};
use reprise_c_analysis::scanned::Scanned;

use super::layout::{copied, words_of_allocated};
use super::shape::{may_hold_pointer, moved, scanned};
use super::{Reader, known_name, place};
use crate::ir::Value;

/// What a compiler has calls of a library for, of which the runtime has none.
const BY_LIBRARY: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "exp10",
    "log", "log2", "log10", "pow", "fma", "frexp", "ldexp", "lround", "llround", "lrint", "llrint",
];

/// Assembly that only keeps the compiler or the processor from doing things in another order,
/// or has them wait for a moment.
fn does_nothing(assembly: &str) -> bool {
    let words = assembly.split([';', '\n', '\t', ' ']);
    let mut words = words.filter(|word| !word.is_empty());
    words.all(|word| {
        matches!(
            word,
            "nop" | "rep" | "pause" | "mfence" | "lfence" | "sfence"
        )
    })
}

/// Whether a call says who handles a signal that instructions of the program cause: that one
/// cannot wait for a better moment.
fn is_for_fault(does: &Annotation, at: Value) -> bool {
    /// Illegal instructions, traps, bus errors, wrong computations, wrong addresses.
    const FAULTS: [u64; 5] = [4, 5, 7, 8, 11];
    let handles = does.handler.is_some() || does.handler_in.is_some();
    let signal = at.arguments().first().copied();
    let signal = signal.and_then(Value::constant_number);
    handles && signal.is_some_and(|signal| FAULTS.contains(&signal))
}

impl Reader<'_> {
    pub(super) fn call(&mut self, function: FunctionId, at: Value, times: u64) {
        let mut callee = at.callee();
        if callee.is_alias() {
            callee = callee.aliasee();
        }
        if callee.is_assembly() && does_nothing(&callee.assembly()) {
            self.handed_on(at);
            return;
        }
        if callee.is_assembly() {
            self.refuse(function, "it has inline assembly", at);
            for argument in at.arguments() {
                let argument = self.value(argument);
                self.reading.program.given_away.push(argument);
            }
            return;
        }
        let by_value = (1..).zip(at.arguments());
        let mut by_value = by_value.filter(|(index, _)| at.has_call_attribute(*index, "byval"));
        if callee.is_function() && !callee.is_declaration() && by_value.next().is_some() {
            let why = "it passes a structure by value as a variable argument";
            self.refuse(function, why, at);
        }
        let name = callee.name();
        if let Some(own) = name.strip_prefix("llvm.")
            && known_name(&name).is_none()
        {
            self.intrinsic(function, own, at);
            return;
        }
        let arguments: Vec<Var> = at
            .arguments()
            .into_iter()
            .map(|one| self.value(one))
            .collect();
        let (callee, does) = match self.reading.functions.get(&callee) {
            Some(id) if callee.is_function() => {
                let does = self.reading.program.functions[*id as usize]
                    .annotation
                    .clone();
                (Callee::Direct(*id), does)
            }
            _ => (Callee::Indirect(self.value(callee)), None),
        };
        let called = match callee {
            Callee::Direct(_) | Callee::Callback(_) => None,
            Callee::Indirect(_) => {
                let called = self.called();
                self.reading.indirect.push(at);
                called
            }
        };
        // Of a function that is known, a number is a number.
        let is_number = does.is_some() && at.kind().width() > 0;
        let result = match may_hold_pointer(at.kind()) && !is_number {
            true => self.value(at),
            false => NOTHING,
        };
        let does = does.unwrap_or_default();
        if does.jumps {
            self.refuse(function, "it comes back twice", at);
        }
        if does.marks.is_some() || does.jumps_to.is_some() {
            let memory = does.marks.map(|at_which| {
                let memory = at.arguments().get(at_which).copied();
                memory.map_or(NOTHING, |memory| self.value(memory))
            });
            let jump = (memory, place(at));
            let known = &mut self.reading.program.functions[function as usize];
            known.jumps.push(jump);
        }
        let allocates = (does.allocates || does.reallocates.is_some()).then(|| {
            let program = &mut self.reading.program;
            let owner = program.functions[function as usize].name.clone();
            let Place { file, line } = place(at);
            let file = file.rsplit('/').next().unwrap_or("").to_owned();
            program.object_of(
                format!("memory of {owner} ({file}:{line})"),
                Storage::Heap(function),
                words_of_allocated(at),
            )
        });
        if let Some(object) = allocates {
            self.reading.objects.insert(at, object);
        }
        let moved = match moved(&does) {
            Some(moved) => {
                self.reading.moving.push((at, moved));
                let counter = self.reading.blocks + self.reading.moving.len() - 1;
                self.weight(counter)
            }
            None => 0,
        };
        for (at, bytes) in &does.varies {
            let memory = arguments.get(*at).copied().unwrap_or(NOTHING);
            if bytes.is_none() {
                self.reading.program.varying.push(memory);
            }
        }
        let result_bytes = if at.is_used() {
            self.module.size(at.kind())
        } else {
            0
        };
        let scanned = self.scanned(&does, at);
        let copied = does
            .copies
            .map_or(Words::All, |both| copied(at, both, does.copied));
        self.reading.program.calls.push(Call {
            function,
            callee,
            arguments,
            result,
            result_bytes,
            times,
            called,
            scanned,
            moved,
            copied,
            allocates,
            is_for_fault: is_for_fault(&does, at),
            place: place(at),
        });
        for (pointer, with) in &does.calls {
            if let Some(with) = with {
                self.callback(function, at, *pointer, *with, times);
            }
        }
    }

    /// What a call fills by its format. Where that is not known, it may be anything.
    fn scanned(&mut self, does: &Annotation, at: Value) -> Vec<(usize, Scanned)> {
        let all = scanned(does, at);
        if all.is_none() {
            for argument in at.arguments() {
                let argument = self.value(argument);
                self.reading.program.given_away.push(argument);
            }
        }
        all.unwrap_or_default()
    }

    /// A function of a library calls what it was given, with two pointers into memory that
    /// it was given, and wants a number.
    fn callback(&mut self, function: FunctionId, at: Value, whom: usize, with: usize, times: u64) {
        let arguments = at.arguments();
        let (Some(pointer), Some(memory)) = (arguments.get(whom), arguments.get(with)) else {
            return;
        };
        let (pointer, from) = (self.value(*pointer), self.value(*memory));
        let memory = self.reading.program.var();
        self.fact(Fact::Moved {
            to: memory,
            from,
            by: Move::ANYWHERE,
        });
        self.reading.program.calls.push(Call {
            function,
            callee: Callee::Callback(pointer),
            arguments: vec![memory, memory],
            result: NOTHING,
            result_bytes: 4,
            times,
            called: None,
            scanned: Vec::new(),
            moved: 0,
            copied: Words::All,
            allocates: None,
            is_for_fault: false,
            place: place(at),
        });
    }

    fn intrinsic(&mut self, function: FunctionId, own: &str, at: Value) {
        let arguments = at.arguments();
        let what = own.split('.').next().unwrap_or_default();
        if BY_LIBRARY.contains(&what) {
            let why = "it computes by a function that is only in a library";
            self.refuse(function, why, at);
        }
        if own.starts_with("va_") {
            // Where variable arguments are differs from run to run.
            let lists: Vec<Var> = arguments.iter().map(|one| self.value(*one)).collect();
            let words = Words::All;
            let value = match lists[..] {
                [_, pointer] => {
                    let to = self.reading.program.var();
                    self.fact(Fact::Load { to, pointer, words });
                    to
                }
                _ => self.variable.get(&function).copied().unwrap_or(NOTHING),
            };
            if let Some(pointer) = lists.first().copied() {
                self.fact(Fact::Store {
                    pointer,
                    value,
                    words,
                });
            }
            self.reading.program.varying.extend(lists);
        } else {
            self.handed_on(at);
        }
    }

    /// What comes out is of what went in: maybe another part of the same memory.
    fn handed_on(&mut self, at: Value) {
        if may_hold_pointer(at.kind()) {
            let to = self.value(at);
            for from in at.arguments() {
                let from = self.value(from);
                let by = Move::ANYWHERE;
                self.fact(Fact::Moved { to, from, by });
            }
        }
    }

    /// Whom the next call through a pointer has called.
    fn called(&self) -> Option<Counted> {
        let number = self.reading.indirect.len() as u32;
        let counted = self.weights?.called(number)?;
        let function = |whom: u32| {
            let function = self.reading.pointed.get(whom as usize)?;
            self.reading.functions.get(function).copied()
        };
        let counted = counted.iter();
        let counted = counted.map(|(whom, times)| (whom.and_then(function), *times));
        Some(counted.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::does_nothing;

    #[test]
    fn assembly_that_does_nothing() {
        for nothing in ["", "\n", "nop", "rep; nop", "pause\n\t", "mfence"] {
            assert!(does_nothing(nothing), "{nothing:?}");
        }
        for something in ["rdtsc", "rep movsb", "lock; addl $0,0(%rsp)"] {
            assert!(!does_nothing(something), "{something:?}");
        }
    }
}
