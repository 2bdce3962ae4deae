//! What debuggers are told of variables.

use super::*;

impl Module {
    /// Has what debuggers are told as calls among the instructions, or beside them.
    pub(crate) fn debug_calls(&self, are_calls: bool) {
        llvm!(change: LLVMSetIsNewDbgInfoFormat(self.module, i32::from(!are_calls)));
    }

    /// The function that says in which memory a variable is.
    pub(crate) fn dbg_declare(&self) -> (Type, Value) {
        let metadata = Type(llvm!(make: LLVMMetadataTypeInContext(self.context)));
        let of = self.function_type(self.void(), &[metadata, metadata, metadata]);
        (of, self.declare("llvm.dbg.declare", of))
    }

    /// That a value is in memory at what debuggers are told of.
    pub(crate) fn dereferenced(&self) -> Value {
        const DEREF: u64 = 6;
        let builder = llvm!(make: LLVMCreateDIBuilder(self.module));
        let mut all = [DEREF];
        let expression = llvm!(make: LLVMDIBuilderCreateExpression(builder, all.as_mut_ptr(), 1));
        llvm!(whole: LLVMDisposeDIBuilder(builder));
        Value(llvm!(make: LLVMMetadataAsValue(self.context, expression)))
    }

    /// A value, as debuggers are told of it.
    pub(crate) fn told(&self, what: Value) -> Value {
        Value(llvm!(make: LLVMMetadataAsValue(
            self.context,
            LLVMValueAsMetadata(what.0)
        )))
    }
}

impl Value {
    /// The value that a debugger is told of, if it is one that is still there.
    pub(crate) fn is_told(self) -> Option<Value> {
        value(llvm!(ask: LLVMIsAValueAsMetadata(self.0)))?;
        let told = value(llvm!(ask: LLVMGetOperand(self.0, 0)))?;
        // What is poison is undefined, too.
        (llvm!(ask: LLVMIsUndef(told.0)) == 0).then_some(told)
    }

    /// The block that an instruction is in.
    pub(crate) fn block(self) -> Option<Block> {
        let block = match self.is_instruction() {
            true => llvm!(ask: LLVMGetInstructionParent(self.0)),
            false => std::ptr::null_mut(),
        };
        (!block.is_null()).then_some(Block(block))
    }

    /// What LLVM prints of it.
    pub(crate) fn printed(self) -> String {
        let start = llvm!(ask: LLVMPrintValueToString(self.0));
        let printed = llvm!(text: std::ffi::CStr::from_ptr(start));
        let printed = printed.to_string_lossy().into_owned();
        llvm!(whole: LLVMDisposeMessage(start));
        printed
    }

    /// It is done, whatever the optimiser thinks of it.
    pub(crate) fn set_volatile(self) {
        llvm!(change: LLVMSetVolatile(self.0, 1));
    }
}

impl Location {
    /// A number for where the function was called that this is a part of.
    pub(crate) fn called_at(self) -> usize {
        match self.0.is_null() {
            true => 0,
            false => llvm!(ask: LLVMDILocationGetInlinedAt(self.0)) as usize,
        }
    }
}
