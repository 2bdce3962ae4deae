//! Values: functions, globals, instructions and constants.

use super::*;

impl Value {
    pub(crate) fn name(self) -> String {
        let mut len = 0;
        let start = llvm!(LLVMGetValueName2(self.0, &raw mut len));
        text(start, len)
    }

    pub(crate) fn set_name(self, text: &str) {
        llvm!(LLVMSetValueName2(self.0, text.as_ptr().cast(), text.len()));
    }

    pub(crate) fn kind(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    pub(crate) fn opcode(self) -> LLVMOpcode {
        llvm!(LLVMGetInstructionOpcode(self.0))
    }

    pub(crate) fn is_instruction(self) -> bool {
        !llvm!(LLVMIsAInstruction(self.0)).is_null()
    }

    pub(crate) fn is_constant_expression(self) -> bool {
        !llvm!(LLVMIsAConstantExpr(self.0)).is_null()
    }

    pub(crate) fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    pub(crate) fn is_function(self) -> bool {
        !llvm!(LLVMIsAFunction(self.0)).is_null()
    }

    pub(crate) fn is_alias(self) -> bool {
        !llvm!(LLVMIsAGlobalAlias(self.0)).is_null()
    }

    pub(crate) fn aliasee(self) -> Value {
        Value(llvm!(LLVMAliasGetAliasee(self.0)))
    }

    pub(crate) fn is_assembly(self) -> bool {
        !llvm!(LLVMIsAInlineAsm(self.0)).is_null()
    }

    pub(crate) fn operands(self) -> Vec<Value> {
        let len = llvm!(LLVMGetNumOperands(self.0));
        (0..len.max(0) as c_uint)
            .filter_map(|at| value(llvm!(LLVMGetOperand(self.0, at))))
            .collect()
    }

    pub(crate) fn set_operand(self, at: u32, to: Value) {
        llvm!(LLVMSetOperand(self.0, at, to.0));
    }

    pub(crate) fn is_used(self) -> bool {
        !llvm!(LLVMGetFirstUse(self.0)).is_null()
    }

    /// Who uses it.
    pub(crate) fn users(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut at = llvm!(LLVMGetFirstUse(self.0));
        while !at.is_null() {
            all.push(Value(llvm!(LLVMGetUser(at))));
            at = llvm!(LLVMGetNextUse(at));
        }
        all
    }

    pub(crate) fn replace_with(self, other: Value) {
        llvm!(LLVMReplaceAllUsesWith(self.0, other.0));
    }

    /// The instruction behind it.
    pub(crate) fn next(self) -> Option<Value> {
        value(llvm!(LLVMGetNextInstruction(self.0)))
    }

    pub(crate) fn erase(self) {
        llvm!(LLVMInstructionEraseFromParent(self.0));
    }

    // Functions and globals.

    pub(crate) fn value_type(self) -> Type {
        Type(llvm!(LLVMGlobalGetValueType(self.0)))
    }

    pub(crate) fn is_declaration(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0)) != 0
    }

    pub(crate) fn initializer(self) -> Option<Value> {
        value(llvm!(LLVMGetInitializer(self.0)))
    }

    pub(crate) fn set_initializer(self, to: Value) {
        llvm!(LLVMSetInitializer(self.0, to.0));
    }

    pub(crate) fn is_unchanging(self) -> bool {
        llvm!(LLVMIsGlobalConstant(self.0)) != 0
    }

    pub(crate) fn set_unchanging(self) {
        llvm!(LLVMSetGlobalConstant(self.0, 1));
    }

    pub(crate) fn is_thread_local(self) -> bool {
        llvm!(LLVMIsThreadLocal(self.0)) != 0
    }

    pub(crate) fn set_section(self, section: &str) {
        let section = name(section);
        llvm!(LLVMSetSection(self.0, section.as_ptr()));
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        llvm!(LLVMGetLinkage(self.0))
    }

    pub(crate) fn set_linkage(self, to: LLVMLinkage) {
        llvm!(LLVMSetLinkage(self.0, to));
    }

    pub(crate) fn parameters(self) -> Vec<Value> {
        let len = llvm!(LLVMCountParams(self.0));
        (0..len)
            .map(|at| Value(llvm!(LLVMGetParam(self.0, at))))
            .collect()
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        let len = llvm!(LLVMCountBasicBlocks(self.0)) as usize;
        let mut all = vec![std::ptr::null_mut(); len];
        llvm!(LLVMGetBasicBlocks(self.0, all.as_mut_ptr()));
        all.into_iter().map(Block).collect()
    }

    /// Whether a parameter (from 1) or the function (`u32::MAX`) has an attribute.
    pub(crate) fn has_attribute(self, at: u32, called: &str) -> bool {
        let kind = attribute(called);
        !llvm!(LLVMGetEnumAttributeAtIndex(self.0, at, kind)).is_null()
    }

    pub(crate) fn remove_attribute(self, at: u32, called: &str) {
        llvm!(LLVMRemoveEnumAttributeAtIndex(
            self.0,
            at,
            attribute(called)
        ));
    }

    /// The compiler is to put a function into its callers, whatever it thought.
    pub(crate) fn inline_always(self) {
        let function = c_uint::MAX;
        self.remove_attribute(function, "noinline");
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.0)));
        let always = llvm!(LLVMCreateEnumAttribute(
            context,
            attribute("alwaysinline"),
            0
        ));
        llvm!(LLVMAddAttributeAtIndex(self.0, function, always));
    }

    pub(crate) fn remove_call_attribute(self, at: u32, called: &str) {
        llvm!(LLVMRemoveCallSiteEnumAttribute(
            self.0,
            at,
            attribute(called)
        ));
    }

    // Calls.

    pub(crate) fn callee(self) -> Value {
        Value(llvm!(LLVMGetCalledValue(self.0)))
    }

    pub(crate) fn called_type(self) -> Type {
        Type(llvm!(LLVMGetCalledFunctionType(self.0)))
    }

    pub(crate) fn arguments(self) -> Vec<Value> {
        let len = llvm!(LLVMGetNumArgOperands(self.0));
        (0..len)
            .map(|at| Value(llvm!(LLVMGetOperand(self.0, at))))
            .collect()
    }

    pub(crate) fn has_call_attribute(self, at: u32, called: &str) -> bool {
        !llvm!(LLVMGetCallSiteEnumAttribute(self.0, at, attribute(called))).is_null()
    }

    /// Is called in the same way as another function, or calls in the same way as
    /// another call.
    pub(crate) fn copy_convention(self, from: Value) {
        let convention = match from.is_function() {
            true => llvm!(LLVMGetFunctionCallConv(from.0)),
            false => llvm!(LLVMGetInstructionCallConv(from.0)),
        };
        match self.is_function() {
            true => llvm!(LLVMSetFunctionCallConv(self.0, convention)),
            false => llvm!(LLVMSetInstructionCallConv(self.0, convention)),
        }
    }

    /// Hands the attributes of an argument or the result (0) on to another call or
    /// function, as far as they say how it is handed over.
    pub(crate) fn copy_call_attributes(self, at: u32, from: Value) {
        for called in ["zeroext", "signext"] {
            let kind = attribute(called);
            let found = match from.is_function() {
                true => llvm!(LLVMGetEnumAttributeAtIndex(from.0, at, kind)),
                false => llvm!(LLVMGetCallSiteEnumAttribute(from.0, at, kind)),
            };
            if found.is_null() {
                continue;
            }
            match self.is_function() {
                true => llvm!(LLVMAddAttributeAtIndex(self.0, at, found)),
                false => llvm!(LLVMAddCallSiteAttribute(self.0, at, found)),
            }
        }
    }

    // What allocas say.

    pub(crate) fn allocated_type(self) -> Type {
        Type(llvm!(LLVMGetAllocatedType(self.0)))
    }

    pub(crate) fn constant_number(self) -> Option<u64> {
        let is_number = !llvm!(LLVMIsAConstantInt(self.0)).is_null();
        is_number.then(|| llvm!(LLVMConstIntGetZExtValue(self.0)))
    }

    // Debug information.

    pub(crate) fn file_and_line(self) -> Option<(String, u32)> {
        let line;
        let mut len = 0;
        let start;
        if self.is_function() {
            let program = llvm!(LLVMGetSubprogram(self.0));
            if program.is_null() {
                return None;
            }
            line = llvm!(LLVMDISubprogramGetLine(program));
            let file = llvm!(LLVMDIScopeGetFile(program));
            start = llvm!(LLVMDIFileGetFilename(file, &raw mut len));
        } else {
            line = llvm!(LLVMGetDebugLocLine(self.0));
            start = llvm!(LLVMGetDebugLocFilename(self.0, &raw mut len));
        }
        (!start.is_null()).then(|| (text(start, len as usize), line))
    }

    /// Where an instruction stands, for one that is put beside it.
    pub(crate) fn debug_location(self) -> Location {
        Location(llvm!(LLVMInstructionGetDebugLoc(self.0)))
    }
}
