//! Values: functions, globals, instructions and constants.

use super::*;

impl Value {
    pub(crate) fn name(self) -> String {
        let mut len = 0;
        let start = llvm!(ask: LLVMGetValueName2(self.0, &raw mut len));
        text(start, len)
    }

    pub(crate) fn set_name(self, text: &str) {
        llvm!(change: LLVMSetValueName2(self.0, text.as_ptr().cast(), text.len()));
    }

    pub(crate) fn kind(self) -> Type {
        Type(llvm!(ask: LLVMTypeOf(self.0)))
    }

    pub(crate) fn opcode(self) -> LLVMOpcode {
        llvm!(ask: LLVMGetInstructionOpcode(self.0))
    }

    /// What a constant expression does.
    pub(crate) fn constant_opcode(self) -> LLVMOpcode {
        llvm!(ask: LLVMGetConstOpcode(self.0))
    }

    /// What the numbers count in by which a pointer is moved: of an instruction or an expression
    /// that does.
    pub(crate) fn moved_in(self) -> Type {
        Type(llvm!(ask: LLVMGetGEPSourceElementType(self.0)))
    }

    pub(crate) fn is_instruction(self) -> bool {
        !llvm!(ask: LLVMIsAInstruction(self.0)).is_null()
    }

    pub(crate) fn is_constant_expression(self) -> bool {
        !llvm!(ask: LLVMIsAConstantExpr(self.0)).is_null()
    }

    pub(crate) fn is_constant(self) -> bool {
        llvm!(ask: LLVMIsConstant(self.0)) != 0
    }

    pub(crate) fn is_function(self) -> bool {
        !llvm!(ask: LLVMIsAFunction(self.0)).is_null()
    }

    /// A function, a variable or an alias of one.
    pub(crate) fn is_global(self) -> bool {
        !llvm!(ask: LLVMIsAGlobalValue(self.0)).is_null()
    }

    pub(crate) fn is_alias(self) -> bool {
        !llvm!(ask: LLVMIsAGlobalAlias(self.0)).is_null()
    }

    pub(crate) fn aliasee(self) -> Value {
        Value(llvm!(ask: LLVMAliasGetAliasee(self.0)))
    }

    /// The text of inline assembly.
    pub(crate) fn assembly(self) -> String {
        let mut len = 0;
        let start = llvm!(ask: LLVMGetInlineAsmAsmString(self.0, &raw mut len));
        text(start, len)
    }

    pub(crate) fn is_assembly(self) -> bool {
        !llvm!(ask: LLVMIsAInlineAsm(self.0)).is_null()
    }

    pub(crate) fn operands(self) -> Vec<Value> {
        let len = llvm!(ask: LLVMGetNumOperands(self.0));
        (0..len.max(0) as c_uint)
            .filter_map(|at| value(llvm!(ask: LLVMGetOperand(self.0, at))))
            .collect()
    }

    pub(crate) fn set_operand(self, at: u32, to: Value) {
        llvm!(change: LLVMSetOperand(self.0, at, to.0));
    }

    pub(crate) fn is_used(self) -> bool {
        !llvm!(ask: LLVMGetFirstUse(self.0)).is_null()
    }

    /// Who uses it.
    pub(crate) fn users(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut at = llvm!(ask: LLVMGetFirstUse(self.0));
        while !at.is_null() {
            all.push(Value(llvm!(ask: LLVMGetUser(at))));
            at = llvm!(ask: LLVMGetNextUse(at));
        }
        all
    }

    pub(crate) fn replace_with(self, other: Value) {
        llvm!(change: LLVMReplaceAllUsesWith(self.0, other.0));
    }

    /// The instruction behind it.
    /// Whoever has the address of a function has that of another one; who calls it by its name
    /// still does.
    pub(crate) fn replace_address(self, other: Value) {
        let mut calls = self.users();
        calls.retain(|user| {
            let is_call = user.is_instruction() && user.opcode() == LLVMOpcode::LLVMCall;
            is_call && user.callee() == self
        });
        self.replace_with(other);
        for call in calls {
            call.set_operand(call.operands().len() as u32 - 1, self);
        }
    }

    pub(crate) fn next(self) -> Option<Value> {
        value(llvm!(ask: LLVMGetNextInstruction(self.0)))
    }

    /// Whether a call is in front of it that has to be the last that a function does.
    pub(crate) fn is_behind_last_call(self) -> bool {
        let before = value(llvm!(ask: LLVMGetPreviousInstruction(self.0)));
        let call = before.filter(|before| before.opcode() == LLVMOpcode::LLVMCall);
        call.is_some_and(|call| {
            let kind = llvm!(ask: LLVMGetTailCallKind(call.0));
            kind == LLVMTailCallKind::LLVMTailCallKindMustTail
        })
    }

    pub(crate) fn erase(self) {
        llvm!(change: LLVMInstructionEraseFromParent(self.0));
    }

    // Functions and globals.

    pub(crate) fn value_type(self) -> Type {
        Type(llvm!(ask: LLVMGlobalGetValueType(self.0)))
    }

    pub(crate) fn is_declaration(self) -> bool {
        llvm!(ask: LLVMIsDeclaration(self.0)) != 0
    }

    pub(crate) fn initializer(self) -> Option<Value> {
        value(llvm!(ask: LLVMGetInitializer(self.0)))
    }

    pub(crate) fn set_initializer(self, to: Value) {
        llvm!(change: LLVMSetInitializer(self.0, to.0));
    }

    pub(crate) fn is_unchanging(self) -> bool {
        llvm!(ask: LLVMIsGlobalConstant(self.0)) != 0
    }

    /// Whether it is a global that has content which nobody changes.
    pub(crate) fn is_unchanging_global(self) -> bool {
        let is_global = !llvm!(ask: LLVMIsAGlobalVariable(self.0)).is_null();
        is_global && !self.is_declaration() && self.is_unchanging()
    }

    /// The bytes of a constant that is a text.
    pub(crate) fn text(self) -> Option<Vec<u8>> {
        if llvm!(ask: LLVMIsConstantString(self.0)) == 0 {
            return None;
        }
        let mut len = 0;
        let start = llvm!(ask: LLVMGetAsString(self.0, &raw mut len));
        let bytes = llvm!(text: slice::from_raw_parts(start.cast::<u8>(), len));
        Some(bytes.to_vec())
    }

    pub(crate) fn set_unchanging(self) {
        llvm!(change: LLVMSetGlobalConstant(self.0, 1));
    }

    pub(crate) fn is_thread_local(self) -> bool {
        llvm!(ask: LLVMIsThreadLocal(self.0)) != 0
    }

    pub(crate) fn set_section(self, section: &str) {
        let section = name(section);
        llvm!(change: LLVMSetSection(self.0, section.as_ptr()));
    }

    /// Whether somebody has said in which section it is.
    pub(crate) fn has_section(self) -> bool {
        let section = llvm!(ask: LLVMGetSection(self.0));
        !section.is_null() && llvm!(text: *section) != 0
    }

    /// Whether a constant is nothing but zeros.
    pub(crate) fn is_zero(self) -> bool {
        llvm!(ask: LLVMIsNull(self.0)) != 0
    }

    pub(crate) fn linkage(self) -> LLVMLinkage {
        llvm!(ask: LLVMGetLinkage(self.0))
    }

    pub(crate) fn set_linkage(self, to: LLVMLinkage) {
        llvm!(change: LLVMSetLinkage(self.0, to));
    }

    pub(crate) fn parameters(self) -> Vec<Value> {
        let len = llvm!(ask: LLVMCountParams(self.0));
        (0..len)
            .map(|at| Value(llvm!(ask: LLVMGetParam(self.0, at))))
            .collect()
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        let len = llvm!(ask: LLVMCountBasicBlocks(self.0)) as usize;
        let mut all = vec![std::ptr::null_mut(); len];
        llvm!(ask: LLVMGetBasicBlocks(self.0, all.as_mut_ptr()));
        all.into_iter().map(Block).collect()
    }

    /// Whether a parameter (from 1) or the function (`u32::MAX`) has an attribute.
    pub(crate) fn has_attribute(self, at: u32, called: &str) -> bool {
        let kind = attribute(called);
        !llvm!(ask: LLVMGetEnumAttributeAtIndex(self.0, at, kind)).is_null()
    }

    /// The type that an attribute of a parameter (from 1) names, if it has that.
    pub(crate) fn attribute_type(self, at: u32, called: &str) -> Option<Type> {
        let kind = attribute(called);
        let found = llvm!(ask: LLVMGetEnumAttributeAtIndex(self.0, at, kind));
        (!found.is_null()).then(|| Type(llvm!(ask: LLVMGetTypeAttributeValue(found))))
    }

    /// The number in an attribute of a parameter (from 1), if it has that.
    pub(crate) fn attribute_number(self, at: u32, called: &str) -> Option<u64> {
        let kind = attribute(called);
        let found = llvm!(ask: LLVMGetEnumAttributeAtIndex(self.0, at, kind));
        (!found.is_null()).then(|| llvm!(ask: LLVMGetEnumAttributeValue(found)))
    }

    pub(crate) fn remove_attribute(self, at: u32, called: &str) {
        llvm!(change: LLVMRemoveEnumAttributeAtIndex(
            self.0,
            at,
            attribute(called)
        ));
    }

    fn new_attribute(self, called: &str, number: u64) -> LLVMAttributeRef {
        let context = llvm!(ask: LLVMGetTypeContext(LLVMTypeOf(self.0)));
        llvm!(make: LLVMCreateEnumAttribute(context, attribute(called), number))
    }

    /// Of what the program has a function reads what it is given the address of, and changes
    /// nothing; but it does something, so that no call of it can be left out.
    pub(crate) fn changes_nothing_of_the_program(self) {
        /// Two bits each for what arguments point to, for what the program cannot see, and for
        /// all else: 1 is read, 3 is read and changed.
        const READS_AND_COUNTS: u64 = 1 | 3 << 2;
        for (called, number) in [("memory", READS_AND_COUNTS), ("nounwind", 0)] {
            let new = self.new_attribute(called, number);
            llvm!(change: LLVMAddAttributeAtIndex(self.0, c_uint::MAX, new));
        }
    }

    /// A function is seldom called: what calls it need not be where the rest is.
    pub(crate) fn is_rare(self) {
        let cold = self.new_attribute("cold", 0);
        llvm!(change: LLVMAddAttributeAtIndex(self.0, c_uint::MAX, cold));
    }

    /// The compiler is to put a function into its callers, whatever it thought.
    pub(crate) fn inline_always(self) {
        let function = c_uint::MAX;
        self.remove_attribute(function, "noinline");
        let always = self.new_attribute("alwaysinline", 0);
        llvm!(change: LLVMAddAttributeAtIndex(self.0, function, always));
    }

    /// A function may come back more than once.
    pub(crate) fn returns_again(self) {
        let again = self.new_attribute("returns_twice", 0);
        llvm!(change: LLVMAddAttributeAtIndex(self.0, c_uint::MAX, again));
    }

    /// A call may come back more than once.
    pub(crate) fn call_returns_again(self) {
        let again = self.new_attribute("returns_twice", 0);
        llvm!(change: LLVMAddCallSiteAttribute(self.0, c_uint::MAX, again));
    }

    pub(crate) fn remove_call_attribute(self, at: u32, called: &str) {
        llvm!(change: LLVMRemoveCallSiteEnumAttribute(
            self.0,
            at,
            attribute(called)
        ));
    }

    // Calls.

    pub(crate) fn callee(self) -> Value {
        Value(llvm!(ask: LLVMGetCalledValue(self.0)))
    }

    pub(crate) fn called_type(self) -> Type {
        Type(llvm!(ask: LLVMGetCalledFunctionType(self.0)))
    }

    pub(crate) fn arguments(self) -> Vec<Value> {
        let len = llvm!(ask: LLVMGetNumArgOperands(self.0));
        (0..len)
            .map(|at| Value(llvm!(ask: LLVMGetOperand(self.0, at))))
            .collect()
    }

    /// The number in an attribute of an argument (from 1) of a call, if it has that.
    pub(crate) fn call_attribute_number(self, at: u32, called: &str) -> Option<u64> {
        let kind = attribute(called);
        let found = llvm!(ask: LLVMGetCallSiteEnumAttribute(self.0, at, kind));
        (!found.is_null()).then(|| llvm!(ask: LLVMGetEnumAttributeValue(found)))
    }

    pub(crate) fn has_call_attribute(self, at: u32, called: &str) -> bool {
        !llvm!(ask: LLVMGetCallSiteEnumAttribute(self.0, at, attribute(called))).is_null()
    }

    /// Is called in the same way as another function, or calls in the same way as
    /// another call.
    pub(crate) fn copy_convention(self, from: Value) {
        let convention = match from.is_function() {
            true => llvm!(ask: LLVMGetFunctionCallConv(from.0)),
            false => llvm!(ask: LLVMGetInstructionCallConv(from.0)),
        };
        match self.is_function() {
            true => llvm!(change: LLVMSetFunctionCallConv(self.0, convention)),
            false => llvm!(change: LLVMSetInstructionCallConv(self.0, convention)),
        }
    }

    /// Hands the attributes of an argument or the result (0) on to another call or
    /// function, as far as they say how it is handed over.
    pub(crate) fn copy_call_attributes(self, at: u32, from: Value) {
        for called in ["zeroext", "signext", "sret", "byval", "align"] {
            let kind = attribute(called);
            let found = match from.is_function() {
                true => llvm!(ask: LLVMGetEnumAttributeAtIndex(from.0, at, kind)),
                false => llvm!(ask: LLVMGetCallSiteEnumAttribute(from.0, at, kind)),
            };
            if found.is_null() {
                continue;
            }
            match self.is_function() {
                true => llvm!(change: LLVMAddAttributeAtIndex(self.0, at, found)),
                false => llvm!(change: LLVMAddCallSiteAttribute(self.0, at, found)),
            }
        }
    }

    /// The function that an instruction is in.
    pub(crate) fn function(self) -> Value {
        let block = llvm!(ask: LLVMGetInstructionParent(self.0));
        Value(llvm!(ask: LLVMGetBasicBlockParent(block)))
    }

    /// A call that may need variables of its caller.
    pub(crate) fn set_no_tail(self) {
        llvm!(change: LLVMSetTailCall(self.0, 0));
    }

    /// Where a block may go on.
    pub(crate) fn successors(self) -> Vec<Block> {
        let len = llvm!(ask: LLVMGetNumSuccessors(self.0));
        (0..len)
            .map(|at| Block(llvm!(ask: LLVMGetSuccessor(self.0, at))))
            .collect()
    }

    /// Whether a load is one that other threads wait for, or for which it waits for them.
    pub(crate) fn is_atomic(self) -> bool {
        let ordering = llvm!(ask: LLVMGetOrdering(self.0));
        ordering != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }

    /// Whether a load may find something else each time.
    pub(crate) fn is_volatile_or_atomic(self) -> bool {
        self.is_atomic() || llvm!(ask: LLVMGetVolatile(self.0)) != 0
    }

    // What allocas say.

    pub(crate) fn set_alignment(self, bytes: u64) {
        llvm!(change: LLVMSetAlignment(self.0, bytes as c_uint));
    }

    /// How what it is about is aligned, as it says; of a variable 0, if it says nothing.
    pub(crate) fn alignment(self) -> u64 {
        u64::from(llvm!(ask: LLVMGetAlignment(self.0)))
    }

    pub(crate) fn allocated_type(self) -> Type {
        Type(llvm!(ask: LLVMGetAllocatedType(self.0)))
    }

    pub(crate) fn constant_number(self) -> Option<u64> {
        let is_number = !llvm!(ask: LLVMIsAConstantInt(self.0)).is_null();
        is_number.then(|| llvm!(ask: LLVMConstIntGetZExtValue(self.0)))
    }

    /// The same of one with a sign.
    pub(crate) fn constant_signed(self) -> Option<i64> {
        let is_number = !llvm!(ask: LLVMIsAConstantInt(self.0)).is_null();
        is_number.then(|| llvm!(ask: LLVMConstIntGetSExtValue(self.0)))
    }

    // Debug information.

    pub(crate) fn file_and_line(self) -> Option<(String, u32)> {
        let line;
        let mut len = 0;
        let start;
        if self.is_function() {
            let program = llvm!(ask: LLVMGetSubprogram(self.0));
            if program.is_null() {
                return None;
            }
            line = llvm!(ask: LLVMDISubprogramGetLine(program));
            let file = llvm!(ask: LLVMDIScopeGetFile(program));
            start = llvm!(ask: LLVMDIFileGetFilename(file, &raw mut len));
        } else {
            line = llvm!(ask: LLVMGetDebugLocLine(self.0));
            start = llvm!(ask: LLVMGetDebugLocFilename(self.0, &raw mut len));
        }
        (!start.is_null()).then(|| (text(start, len as usize), line))
    }

    /// The file that a function stands in.
    pub(crate) fn file(self) -> Option<std::path::PathBuf> {
        let program = llvm!(ask: LLVMGetSubprogram(self.0));
        if program.is_null() {
            return None;
        }
        let file = llvm!(ask: LLVMDIScopeGetFile(program));
        let (mut len, mut folder_len) = (0, 0);
        let start = llvm!(ask: LLVMDIFileGetFilename(file, &raw mut len));
        let folder = llvm!(ask: LLVMDIFileGetDirectory(file, &raw mut folder_len));
        let folder = text(folder, folder_len as usize);
        Some(Path::new(&folder).join(text(start, len as usize)))
    }

    /// Where an instruction stands, for one that is put beside it.
    pub(crate) fn debug_location(self) -> Location {
        Location(llvm!(ask: LLVMInstructionGetDebugLoc(self.0)))
    }
}
