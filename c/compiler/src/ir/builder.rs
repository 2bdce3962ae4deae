//! Inserting instructions.

use super::*;

/// Inserts instructions.
#[derive(Debug)]
pub(crate) struct Builder(LLVMBuilderRef);

impl Builder {
    pub(crate) fn new(module: &Module) -> Self {
        Self(llvm!(make: LLVMCreateBuilderInContext(module.context)))
    }

    pub(crate) fn at_end(&self, block: Block) {
        llvm!(change: LLVMPositionBuilderAtEnd(self.0, block.0));
        llvm!(change: LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut()));
    }

    /// In front of an instruction, and of what debuggers are told there.
    pub(crate) fn before(&self, instruction: Value) {
        llvm!(change: LLVMPositionBuilderBeforeInstrAndDbgRecords(
            self.0,
            instruction.0
        ));
    }

    /// In front of an instruction that is about to go: what debuggers are told in front of
    /// it stays in front of what is inserted.
    pub(crate) fn instead_of(&self, instruction: Value) {
        llvm!(change: LLVMPositionBuilderBefore(self.0, instruction.0));
    }

    pub(crate) fn located(&self, at: Location) {
        llvm!(change: LLVMSetCurrentDebugLocation2(self.0, at.0));
    }

    pub(crate) fn call(&self, of: Type, function: Value, arguments: &[Value]) -> Value {
        let mut all: Vec<_> = arguments.iter().map(|one| one.0).collect();
        let (start, len) = (all.as_mut_ptr(), all.len() as c_uint);
        Value(llvm!(make: LLVMBuildCall2(
            self.0,
            of.0,
            function.0,
            start,
            len,
            c"".as_ptr()
        )))
    }

    pub(crate) fn load(&self, of: Type, pointer: Value) -> Value {
        Value(llvm!(make: LLVMBuildLoad2(self.0, of.0, pointer.0, c"".as_ptr())))
    }

    pub(crate) fn store(&self, what: Value, pointer: Value) -> Value {
        Value(llvm!(make: LLVMBuildStore(self.0, what.0, pointer.0)))
    }

    pub(crate) fn alloca(&self, of: Type) -> Value {
        Value(llvm!(make: LLVMBuildAlloca(self.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn add(&self, one: Value, other: Value) -> Value {
        Value(llvm!(make: LLVMBuildAdd(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn sub(&self, one: Value, other: Value) -> Value {
        Value(llvm!(make: LLVMBuildSub(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn mul(&self, one: Value, other: Value) -> Value {
        Value(llvm!(make: LLVMBuildMul(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn and(&self, one: Value, other: Value) -> Value {
        Value(llvm!(make: LLVMBuildAnd(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn to_pointer(&self, what: Value, of: Type) -> Value {
        Value(llvm!(make: LLVMBuildIntToPtr(self.0, what.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn to_number(&self, what: Value, of: Type) -> Value {
        Value(llvm!(make: LLVMBuildPtrToInt(self.0, what.0, of.0, c"".as_ptr())))
    }

    /// The same bits as another type.
    pub(crate) fn as_it_is(&self, what: Value, of: Type) -> Value {
        Value(llvm!(make: LLVMBuildBitCast(self.0, what.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn sign_extend_or_cut(&self, what: Value, of: Type) -> Value {
        Value(llvm!(make: LLVMBuildIntCast2(
            self.0,
            what.0,
            of.0,
            1,
            c"".as_ptr()
        )))
    }

    pub(crate) fn zero_extend(&self, what: Value, of: Type) -> Value {
        Value(llvm!(make: LLVMBuildIntCast2(
            self.0,
            what.0,
            of.0,
            0,
            c"".as_ptr()
        )))
    }

    /// A part of a value that has several.
    pub(crate) fn part(&self, of: Value, index: u32) -> Value {
        Value(llvm!(make: LLVMBuildExtractValue(self.0, of.0, index, c"".as_ptr())))
    }

    pub(crate) fn element(&self, of: Type, pointer: Value, index: Value) -> Value {
        let mut index = index.0;
        Value(llvm!(make: LLVMBuildGEP2(
            self.0,
            of.0,
            pointer.0,
            &raw mut index,
            1,
            c"".as_ptr()
        )))
    }

    pub(crate) fn compare(&self, how: LLVMIntPredicate, one: Value, other: Value) -> Value {
        Value(llvm!(make: LLVMBuildICmp(
            self.0,
            how,
            one.0,
            other.0,
            c"".as_ptr()
        )))
    }

    pub(crate) fn select(&self, condition: Value, one: Value, other: Value) -> Value {
        Value(llvm!(make: LLVMBuildSelect(
            self.0,
            condition.0,
            one.0,
            other.0,
            c"".as_ptr()
        )))
    }

    pub(crate) fn branch(&self, condition: Value, then: Block, or: Block) {
        llvm!(make: LLVMBuildCondBr(self.0, condition.0, then.0, or.0));
    }

    pub(crate) fn switch(&self, on: Value, otherwise: Block, cases: &[(Value, Block)]) {
        let len = cases.len() as c_uint;
        let switch = llvm!(make: LLVMBuildSwitch(self.0, on.0, otherwise.0, len));
        for (number, block) in cases {
            llvm!(change: LLVMAddCase(switch, number.0, block.0));
        }
    }

    pub(crate) fn unreachable(&self) {
        llvm!(make: LLVMBuildUnreachable(self.0));
    }

    /// Copies memory of the alignment that every word has.
    pub(crate) fn copy(&self, to: Value, from: Value, size: Value) {
        llvm!(make: LLVMBuildMemCpy(self.0, to.0, 8, from.0, 1, size.0));
    }

    pub(crate) fn ret(&self, what: Option<Value>) {
        match what {
            Some(what) => llvm!(make: LLVMBuildRet(self.0, what.0)),
            None => llvm!(make: LLVMBuildRetVoid(self.0)),
        };
    }
}
