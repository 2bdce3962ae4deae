//! Where things are in memory: which words of an object are told apart, how far pointers are moved,
//! and how much is loaded or stored.

use reprise_c_analysis::model::{Fact, Move, Var, WORD, Words, greatest_common_divisor};

use super::Reader;
use crate::ir::{LLVMOpcode, LLVMTypeKind, Module, Type, Value};

/// The most words of an object that are told apart. Longer ones, and those of which nobody knows
/// how long they are, are taken for rounds of so many; a number with many divisors tells the
/// parts of structures apart in arrays of them, too.
const MOST: u64 = 24;

/// How many words of a variable are told apart.
pub(super) fn words_of(module: &Module, of: Type, alignment: u64) -> u32 {
    let alignment = match alignment {
        0 => module.alignment(of),
        said => said,
    };
    if !alignment.is_multiple_of(WORD) {
        return 1;
    }
    let mut element = of;
    loop {
        element = match element.kind() {
            // An array is one element.
            LLVMTypeKind::LLVMArrayTypeKind => element.element(),
            LLVMTypeKind::LLVMStructTypeKind => match element.parts()[..] {
                [part] => part,
                _ => break,
            },
            _ => return 1,
        };
    }
    let bytes = module.padded_size(element);
    match bytes % WORD {
        0 => words(bytes),
        _ => 1,
    }
}

/// How many words of memory are told apart that somebody allocates.
pub(super) fn words_of_allocated(call: Value) -> u32 {
    let arguments = call.arguments().into_iter();
    let numbers: Vec<Value> = arguments.filter(|one| one.kind().width() > 0).collect();
    match numbers[..] {
        [bytes] => bytes.constant_number().map_or(MOST as u32, words),
        _ => MOST as u32,
    }
}

fn words(bytes: u64) -> u32 {
    bytes.div_ceil(WORD).clamp(1, MOST) as u32
}

/// Which words are loaded or stored where such a value is.
pub(super) fn span(module: &Module, of: Type, alignment: u64) -> Words {
    let bytes = module.size(of);
    // What may begin in the midst of a word may be in one more.
    let before = if alignment.is_multiple_of(WORD) {
        0
    } else {
        WORD - 1
    };
    match u32::try_from((bytes + before).div_ceil(WORD)) {
        Ok(words) => Words::First(words.max(1)),
        Err(_) => Words::All,
    }
}

/// Which words a call copies.
pub(super) fn copied(call: Value, (to, from): (usize, usize), len: Option<usize>) -> Words {
    let is_aligned = |argument: usize| {
        let alignment = call.call_attribute_number(argument as u32 + 1, "align");
        alignment.is_some_and(|bytes| bytes.is_multiple_of(WORD))
    };
    let arguments = call.arguments();
    let len = len.and_then(|at| arguments.get(at)?.constant_number());
    match len.map(|len| u32::try_from(len.div_ceil(WORD))) {
        Some(Ok(words)) if is_aligned(to) && is_aligned(from) => Words::First(words),
        _ => Words::All,
    }
}

/// How far a pointer is moved, by an instruction or an expression that does nothing else.
pub(super) fn moved(module: &Module, at: Value) -> Move {
    let operands = at.operands();
    if at.kind().kind() != LLVMTypeKind::LLVMPointerTypeKind {
        return Move::ANYWHERE;
    }
    let mut of = at.moved_in();
    let mut moved = Move {
        bytes: 0,
        stride: 0,
    };
    for (index, number) in operands.into_iter().skip(1).enumerate() {
        let each = match of.kind() {
            _ if index == 0 => module.padded_size(of),
            LLVMTypeKind::LLVMStructTypeKind => {
                let part = number.constant_number().unwrap_or_default() as u32;
                let Some(next) = of.parts().get(part as usize).copied() else {
                    return Move::ANYWHERE;
                };
                moved.bytes += module.offset(of, part).cast_signed();
                of = next;
                continue;
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                of = of.element();
                module.padded_size(of)
            }
            _ => return Move::ANYWHERE,
        };
        match number.constant_signed() {
            Some(times) => {
                let by = times.checked_mul(each.cast_signed());
                let Some(sum) = by.and_then(|by| moved.bytes.checked_add(by)) else {
                    return Move::ANYWHERE;
                };
                moved.bytes = sum;
            }
            None => moved.stride = greatest_common_divisor(moved.stride, each),
        }
    }
    moved
}

impl Reader<'_> {
    /// A value is made of others, by an instruction or an expression.
    pub(super) fn made_of(&mut self, to: Var, at: Value, opcode: LLVMOpcode) {
        use LLVMOpcode::*;
        let operands = at.operands();
        match opcode {
            LLVMGetElementPtr => {
                let from = self.value(operands[0]);
                let by = moved(&self.module, at);
                self.fact(match by {
                    Move {
                        bytes: 0,
                        stride: 0,
                    } => Fact::Copy { to, from },
                    by => Fact::Moved { to, from, by },
                });
            }
            // What they make is what they were given.
            LLVMFreeze | LLVMPHI | LLVMSelect | LLVMBitCast | LLVMAddrSpaceCast | LLVMIntToPtr
            | LLVMPtrToInt | LLVMZExt | LLVMSExt | LLVMTrunc | LLVMExtractValue
            | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector => {
                for from in operands {
                    let from = self.value(from);
                    self.fact(Fact::Copy { to, from });
                }
            }
            _ => {
                let number = |at: usize| operands.get(at)?.constant_signed();
                let bytes = match opcode {
                    LLVMAdd => number(1).or(number(0)),
                    LLVMSub => number(1).and_then(i64::checked_neg),
                    _ => None,
                };
                let by = match bytes.filter(|_| at.kind().width() == 64) {
                    Some(bytes) => Move { bytes, stride: 0 },
                    None => Move::ANYWHERE,
                };
                for from in operands {
                    let from = self.value(from);
                    self.fact(Fact::Moved { to, from, by });
                }
            }
        }
    }
}
