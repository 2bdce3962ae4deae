//! What kind an instruction is, and how it is said at another place.

use iced_x86::{
    Code as Op, Encoder, FlowControl, Instruction, InstructionInfoFactory, MemoryOperand, Mnemonic,
    OpAccess, OpKind, Register, UsedMemory,
};

/// What becomes of an instruction in a translation.
pub(super) enum Kind {
    /// It stands there, too.
    Plain,
    /// A jump of a kind that can be translated.
    Last,
    /// It is run at its own place.
    Odd,
}

/// What becomes of this one.
pub(super) fn kind(instruction: &Instruction) -> Kind {
    if instruction.is_invalid() {
        return Kind::Odd;
    }
    match instruction.flow_control() {
        FlowControl::Next => match instruction.mnemonic() {
            // A single step set by the program itself would stop here.
            Mnemonic::Popf | Mnemonic::Popfd | Mnemonic::Popfq => Kind::Odd,
            _ => Kind::Plain,
        },
        FlowControl::ConditionalBranch => match instruction.op0_kind() {
            OpKind::NearBranch64 => Kind::Last,
            _ => Kind::Odd,
        },
        FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::Return
        | FlowControl::Call
        | FlowControl::IndirectCall => match instruction.code() {
            Op::Jmp_rel8_64
            | Op::Jmp_rel32_64
            | Op::Call_rel32_64
            | Op::Jmp_rm64
            | Op::Call_rm64
            | Op::Retnq
            | Op::Retnq_imm16 => Kind::Last,
            _ => Kind::Odd,
        },
        _ => Kind::Odd,
    }
}

/// Whether an instruction may write to code: anywhere but on the stack.
pub(super) fn may_change_code(instruction: &Instruction) -> bool {
    let writes = |memory: &UsedMemory| {
        let access = memory.access();
        let writes = [
            OpAccess::Write,
            OpAccess::CondWrite,
            OpAccess::ReadWrite,
            OpAccess::ReadCondWrite,
        ];
        writes.contains(&access) && memory.base() != Register::RSP
    };
    let mut factory = InstructionInfoFactory::new();
    factory.info(instruction).used_memory().iter().any(writes)
}

/// `mov rax, target` for a jump or call whose target is in a register or in
/// memory.
pub(super) fn load_target(instruction: &Instruction) -> Option<Instruction> {
    if !matches!(instruction.code(), Op::Jmp_rm64 | Op::Call_rm64) {
        return None;
    }
    let op = Op::Mov_r64_rm64;
    let rax = Register::RAX;
    let load = if instruction.op0_kind() == OpKind::Register {
        Instruction::with2(op, rax, instruction.op0_register())
    } else {
        let memory = MemoryOperand::new(
            instruction.memory_base(),
            instruction.memory_index(),
            instruction.memory_index_scale(),
            instruction.memory_displacement64().cast_signed(),
            instruction.memory_displ_size(),
            false,
            instruction.segment_prefix(),
        );
        Instruction::with2(op, rax, memory)
    };
    load.ok()
}

/// The bytes of an instruction at an address, if it can be there.
pub(super) fn encode(instruction: &Instruction, at: u64) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(instruction, at).ok()?;
    Some(encoder.take_buffer())
}

/// Whether the instruction overwrites the flags, all of them, whatever they
/// were, and cannot fail: in front of it flags are free for use.
pub(super) fn sets_all_flags(instruction: &Instruction) -> bool {
    let does = matches!(
        instruction.mnemonic(),
        Mnemonic::Add
            | Mnemonic::Sub
            | Mnemonic::Cmp
            | Mnemonic::Test
            | Mnemonic::And
            | Mnemonic::Or
            | Mnemonic::Xor
    );
    let operands = 0..instruction.op_count();
    does && operands
        .map(|operand| instruction.op_kind(operand))
        .all(|kind| kind != OpKind::Memory)
}
