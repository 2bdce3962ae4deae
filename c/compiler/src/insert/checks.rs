//! What is asked where memory is used: whether anything is recorded, and whether that memory is
//! inside. Most of the time that is found out without a call.

use reprise_c_events::area;

use super::Inserter;
use crate::ir::{Block, LLVMIntPredicate, LLVMLinkage, LLVMTypeKind, Type, Value};

/// What the runtime does, as a byte of its own, in a replay.
const REPLAY: u64 = 2;

impl Inserter<'_> {
    /// A function that loads so many bytes, if they are in inside memory, and has one of the runtime do
    /// it otherwise. It becomes a part of whoever calls it. Where a pointer can only be one to outside
    /// memory it is the runtime's itself, which looks whether that holds: most of the code of such a
    /// function would be these checks, and it takes longer to fetch it than to execute it. It may be
    /// a load that is to happen `again` each time.
    pub(super) fn loading(&self, bytes: u64, may_be_inside: bool, again: bool) -> (Type, Value) {
        let (module, builder) = (&self.module, &self.builder);
        let loaded = module.int(8 * bytes as u32);
        let parameters = [module.pointer(), module.int(32)];
        let (of, runtime) = self.runtime(&format!("__reprise_load{bytes}"), loaded, &parameters);
        runtime.changes_nothing_of_the_program();
        if !may_be_inside {
            return (of, runtime);
        }
        let again_too = if again { "_again" } else { "" };
        let name = format!("__reprise_load{bytes}_unless_inside{again_too}");
        let check = module.declare(&name, of);
        if !check.is_declaration() {
            return (of, check);
        }
        check.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        check.inline_always();
        let given = check.parameters();
        let [first, second, here, there] = [(); 4].map(|()| module.append_block(check));
        self.within(given[0], [first, second], here, there);
        builder.at_end(here);
        let value = builder.load(loaded, given[0]);
        value.set_alignment(1);
        if again {
            value.set_volatile();
        }
        builder.ret(Some(value));
        builder.at_end(there);
        builder.ret(Some(builder.call(of, runtime, &given)));
        (of, check)
    }

    /// A function that tells the runtime of inside memory that is given to somebody, which is not to
    /// happen. It becomes a part of whoever calls it.
    pub(super) fn giving(&self) -> (Type, Value) {
        let (module, builder) = (&self.module, &self.builder);
        let parameters = [module.pointer(), module.int(32)];
        let (of, runtime) = self.runtime("__reprise_given", module.void(), &parameters);
        let check = module.declare("__reprise_given_if_inside", of);
        if !check.is_declaration() {
            return (of, check);
        }
        runtime.is_rare();
        check.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        check.inline_always();
        let given = check.parameters();
        let [first, second, here, there] = [(); 4].map(|()| module.append_block(check));
        self.within(given[0], [first, second], here, there);
        builder.at_end(here);
        builder.call(of, runtime, &given);
        builder.ret(None);
        builder.at_end(there);
        builder.ret(None);
        (of, check)
    }

    /// Two blocks from which it goes on here, if memory is inside, and there otherwise.
    fn within(&self, pointer: Value, blocks: [Block; 2], here: Block, there: Block) {
        let (module, builder) = (&self.module, &self.builder);
        let word = module.int(64);
        let within = |start: Value, len: Value| {
            let at = builder.sub(builder.to_number(pointer, word), start);
            builder.compare(LLVMIntPredicate::LLVMIntULT, at, len)
        };
        let [first, second] = blocks;
        builder.at_end(first);
        let (start, len) = (
            module.constant(word, area::START),
            module.constant(word, area::LEN),
        );
        builder.branch(within(start, len), here, second);
        builder.at_end(second);
        let symbol = |name: &str| builder.to_number(module.global(name, module.int(8)), word);
        let start = symbol("__start_reprise_inside");
        let len = builder.sub(symbol("__stop_reprise_inside"), start);
        builder.branch(within(start, len), here, there);
    }

    /// A function that returns whereto to store: only a replay has the runtime decide. It becomes a
    /// part of whoever calls it.
    pub(super) fn storing(&self) -> (Type, Value) {
        let (module, builder) = (&self.module, &self.builder);
        let pointer = module.pointer();
        let (of, runtime) = self.runtime("__reprise_write", pointer, &[pointer]);
        let check = module.declare("__reprise_write_in_replay", of);
        if !check.is_declaration() {
            return (of, check);
        }
        runtime.is_rare();
        check.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        check.inline_always();
        let given = check.parameters();
        let [first, here, there] = [(); 3].map(|()| module.append_block(check));
        builder.at_end(first);
        let byte = module.int(8);
        let mode = builder.load(byte, module.global("__reprise_mode", byte));
        let replay = module.constant(byte, REPLAY);
        let is_replay = builder.compare(LLVMIntPredicate::LLVMIntEQ, mode, replay);
        builder.branch(is_replay, there, here);
        builder.at_end(here);
        builder.ret(Some(given[0]));
        builder.at_end(there);
        builder.ret(Some(builder.call(of, runtime, &given)));
        (of, check)
    }

    /// How many bytes a type has whose values are numbers, or can be.
    pub(super) fn as_number(&self, of: Type) -> Option<u64> {
        let bytes = self.module.size(of);
        let is_plain = match of.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => u64::from(of.width()) == 8 * bytes,
            LLVMTypeKind::LLVMPointerTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind => true,
            _ => false,
        };
        (is_plain && matches!(bytes, 1 | 2 | 4 | 8)).then_some(bytes)
    }

    /// A value as a word, if it is one or less of one.
    pub(super) fn as_word(&self, value: Value) -> Option<Value> {
        let (of, word) = (value.kind(), self.module.int(64));
        let bytes = self.as_number(of)?;
        Some(match of.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => self.builder.zero_extend(value, word),
            LLVMTypeKind::LLVMPointerTypeKind => self.builder.to_number(value, word),
            _ => {
                let number = self
                    .builder
                    .as_it_is(value, self.module.int(8 * bytes as u32));
                self.builder.zero_extend(number, word)
            }
        })
    }

    /// What a load has, from a number of as many bytes.
    pub(super) fn value_of_number(&self, number: Value, of: Type) -> Value {
        match of.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => number,
            LLVMTypeKind::LLVMPointerTypeKind => self.builder.to_pointer(number, of),
            _ => self.builder.as_it_is(number, of),
        }
    }
}
