//! A condition that is checked in front of an instruction, in the translation: a
//! loop may come by millions of times before the one time that is looked for.

use reprise_process_events::{Registers, State};
use reprise_tracee::Tracee;

use super::emit::{Code, Desk};
use crate::PlayError;

/// What has to be so.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// The instruction.
    pub(crate) at: u64,
    /// The general registers, in the processor's order.
    registers: [u64; 16],
    /// In which order they are compared: those first that are known to change. Empty
    /// until the process has come by once, and stopped there whatever they were.
    order: Vec<usize>,
    /// The lower halves of vector registers.
    vectors: Vec<(u8, u64)>,
    /// Words of memory, which must be there; the last that was learnt is the first that is
    /// compared.
    words: Vec<(u64, u64)>,
}

/// The most words that are checked.
pub(super) const WORDS: usize = 32;

/// How many vector registers there are that all processors have.
const VECTORS: usize = 16;

/// Where the XSAVE layout has them.
const VECTORS_AT: usize = 160;

/// Where the processor's general registers are in the kernel's order.
const ORDER: [usize; 16] = [10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0];

const RAX: usize = 0;
const RCX: usize = 1;

impl Condition {
    /// These general registers.
    pub(crate) fn new(registers: &Registers) -> Self {
        Self {
            at: registers.rip(),
            registers: ORDER.map(|index| registers.0[index]),
            order: Vec::new(),
            vectors: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Whether it is known what is worth comparing first.
    pub(super) fn is_ready(&self) -> bool {
        !self.order.is_empty()
    }

    /// The process has come by with these registers. Returns whether something was
    /// learnt from that.
    pub(crate) fn come_by(&mut self, here: &Registers) -> bool {
        if self.is_ready() {
            return false;
        }
        let differs = |index: &usize| here.0[ORDER[*index]] != self.registers[*index];
        let (first, rest): (Vec<usize>, Vec<usize>) = (0..16).partition(differs);
        self.order = first.into_iter().chain(rest).collect();
        true
    }

    /// A word of memory as well. Where there is no room for it, the one that was learnt first
    /// makes room: it did not tell much.
    pub(crate) fn add_word(&mut self, address: u64, word: u64) {
        self.words.retain(|(known, _)| *known != address);
        self.words.truncate(WORDS - 1);
        self.words.insert(0, (address, word));
    }

    /// The vector registers that differ from these as well. Returns whether there
    /// are any that were not looked at.
    pub(crate) fn add_vectors(&mut self, wanted: &State, here: &State) -> bool {
        let half = |state: &State, index: usize| {
            let at = VECTORS_AT + index * 16;
            let bytes = state.extended.get(at..at + 8)?;
            bytes.try_into().ok().map(u64::from_le_bytes)
        };
        let before = self.vectors.len();
        for index in 0..VECTORS {
            let (Some(wanted), Some(here)) = (half(wanted, index), half(here, index)) else {
                continue;
            };
            let known = self.vectors.iter().any(|(i, _)| usize::from(*i) == index);
            if wanted != here && !known {
                self.vectors.push((index as u8, wanted));
            }
        }
        self.vectors.len() > before
    }

    /// Puts what it compares with on the desk.
    pub(super) fn lay_out(&self, process: Tracee, desk: Desk) -> Result<(), PlayError> {
        let pairs = self.words.iter();
        let mut words = pairs.flat_map(|&(address, word)| [address, word]);
        let put = |at: u64, words: &mut dyn Iterator<Item = u64>| {
            let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
            process.write(at, &bytes)
        };
        put(desk.wanted(0), &mut self.registers.iter().copied())?;
        put(
            desk.wanted(VECTORS_SLOT),
            &mut self.vectors.iter().map(|(_, word)| *word),
        )?;
        put(desk.wanted(WORDS_SLOT), &mut words)?;
        Ok(())
    }

    /// Writes the check. Where all is as wanted it leaves, at the place that is
    /// returned; else it goes on behind.
    pub(super) fn write(&self, code: &mut Code, desk: Desk) -> usize {
        let mut differing = Vec::new();
        code.save_flags();
        code.save_rcx();
        for &register in &self.order {
            if register == RAX {
                // It is on the desk; that of the program is in rcx again afterwards.
                code.load_rcx(desk.rax());
                differing.push(code.compare(RCX as u8, desk.wanted(RAX)));
                code.give_rcx_back();
            } else {
                differing.push(code.compare(register as u8, desk.wanted(register)));
            }
        }
        for (slot, (vector, _)) in self.vectors.iter().enumerate() {
            code.vector_to_rcx(*vector);
            differing.push(code.compare(RCX as u8, desk.wanted(VECTORS_SLOT + slot)));
        }
        for slot in 0..self.words.len() {
            let slot = WORDS_SLOT + 2 * slot;
            code.load_rcx(desk.wanted(slot));
            code.load_rcx_from_rcx();
            differing.push(code.compare(RCX as u8, desk.wanted(slot + 1)));
        }
        code.give_rcx_back();
        code.undo_care();
        let leave = code.len();
        code.raw(&[0xcc]);
        let on = code.len();
        for gap in differing {
            code.fill(gap, on);
        }
        code.give_rcx_back();
        code.undo_care();
        leave
    }
}

/// Where on the desk the parts are.
const VECTORS_SLOT: usize = 16;
const WORDS_SLOT: usize = VECTORS_SLOT + VECTORS;
