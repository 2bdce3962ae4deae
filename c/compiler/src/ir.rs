//! LLVM's C interface, as far as it is needed, with values that are plain data.
//!
//! A module is read once, changed by one thread, written and left to the end of the
//! program; nothing is freed before, so a value can be kept for as long as it is not
//! erased. Each function is one call.
#![allow(unsafe_code, reason = "LLVM's interface is that of C")]

use std::ffi::{CString, c_char, c_uint};
use std::path::Path;
use std::slice;

use inkwell::llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use inkwell::llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use inkwell::llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMStoreSizeOfType};
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
pub(crate) use inkwell::llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMTypeKind};

/// One call of LLVM.
macro_rules! llvm {
    ($call:expr) => {
        // SAFETY: every value, type and block that this module hands out belongs to a
        // module that is never freed, callers ask only what fits the kind of value
        // (see the module's documentation), and texts end with a zero.
        unsafe { $call }
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Value(LLVMValueRef);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Type(LLVMTypeRef);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block(LLVMBasicBlockRef);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

fn text(start: *const c_char, len: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    let bytes = llvm!(slice::from_raw_parts(start.cast::<u8>(), len));
    String::from_utf8_lossy(bytes).into_owned()
}

fn name(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

fn value(raw: LLVMValueRef) -> Option<Value> {
    (!raw.is_null()).then_some(Value(raw))
}

impl Module {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let path = name(&path.to_string_lossy());
        let mut buffer = std::ptr::null_mut();
        let mut module = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        let context = llvm!(LLVMContextCreate());
        let failed = llvm!(LLVMCreateMemoryBufferWithContentsOfFile(
            path.as_ptr(),
            &raw mut buffer,
            &raw mut message
        )) != 0
            || llvm!(LLVMParseBitcodeInContext2(context, buffer, &raw mut module)) != 0;
        match failed {
            true => Err(format!(
                "{} is no bitcode of LLVM 19",
                path.to_string_lossy()
            )),
            false => Ok(Self { context, module }),
        }
    }

    pub(crate) fn run(&self, passes: &str) -> bool {
        let passes = name(passes);
        let options = llvm!(LLVMCreatePassBuilderOptions());
        let none = std::ptr::null_mut();
        let error = llvm!(LLVMRunPasses(self.module, passes.as_ptr(), none, options));
        llvm!(LLVMDisposePassBuilderOptions(options));
        error.is_null()
    }

    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        if llvm!(LLVMVerifyModule(self.module, action, &raw mut message)) == 0 {
            return Ok(());
        }
        let message = llvm!(std::ffi::CStr::from_ptr(message));
        Err(message.to_string_lossy().into_owned())
    }

    pub(crate) fn write(&self, path: &Path) -> bool {
        let path = name(&path.to_string_lossy());
        llvm!(LLVMWriteBitcodeToFile(self.module, path.as_ptr())) == 0
    }

    pub(crate) fn functions(&self) -> Vec<Value> {
        let next = |one: &Value| value(llvm!(LLVMGetNextFunction(one.0)));
        std::iter::successors(value(llvm!(LLVMGetFirstFunction(self.module))), next).collect()
    }

    pub(crate) fn globals(&self) -> Vec<Value> {
        let next = |one: &Value| value(llvm!(LLVMGetNextGlobal(one.0)));
        std::iter::successors(value(llvm!(LLVMGetFirstGlobal(self.module))), next).collect()
    }

    pub(crate) fn has_module_assembly(&self) -> bool {
        let mut len = 0;
        llvm!(LLVMGetModuleInlineAsm(self.module, &raw mut len));
        len > 0
    }

    pub(crate) fn int(&self, bits: u32) -> Type {
        Type(llvm!(LLVMIntTypeInContext(self.context, bits)))
    }

    pub(crate) fn pointer(&self) -> Type {
        Type(llvm!(LLVMPointerTypeInContext(self.context, 0)))
    }

    pub(crate) fn void(&self) -> Type {
        Type(llvm!(LLVMVoidTypeInContext(self.context)))
    }

    pub(crate) fn array(&self, of: Type, len: u64) -> Type {
        Type(llvm!(LLVMArrayType2(of.0, len)))
    }

    pub(crate) fn function_type(&self, result: Type, parameters: &[Type]) -> Type {
        let mut parameters: Vec<_> = parameters.iter().map(|one| one.0).collect();
        let (start, len) = (parameters.as_mut_ptr(), parameters.len() as c_uint);
        Type(llvm!(LLVMFunctionType(result.0, start, len, 0)))
    }

    pub(crate) fn constant(&self, of: Type, number: u64) -> Value {
        Value(llvm!(LLVMConstInt(of.0, number, 0)))
    }

    pub(crate) fn constant_array(&self, of: Type, all: &[Value]) -> Value {
        let mut all: Vec<_> = all.iter().map(|one| one.0).collect();
        Value(llvm!(LLVMConstArray2(
            of.0,
            all.as_mut_ptr(),
            all.len() as u64
        )))
    }

    pub(crate) fn constant_bytes(&self, bytes: &[u8]) -> Value {
        let start = bytes.as_ptr().cast();
        Value(llvm!(LLVMConstStringInContext2(
            self.context,
            start,
            bytes.len(),
            1
        )))
    }

    pub(crate) fn zero(&self, of: Type) -> Value {
        Value(llvm!(LLVMConstNull(of.0)))
    }

    /// A function of the runtime.
    pub(crate) fn declare(&self, called: &str, of: Type) -> Value {
        let text = name(called);
        let known = value(llvm!(LLVMGetNamedFunction(self.module, text.as_ptr())));
        known.unwrap_or_else(|| self.function(called, of))
    }

    pub(crate) fn function(&self, called: &str, of: Type) -> Value {
        let called = name(called);
        Value(llvm!(LLVMAddFunction(self.module, called.as_ptr(), of.0)))
    }

    pub(crate) fn global(&self, called: &str, of: Type) -> Value {
        let text = name(called);
        let known = value(llvm!(LLVMGetNamedGlobal(self.module, text.as_ptr())));
        known.unwrap_or_else(|| Value(llvm!(LLVMAddGlobal(self.module, of.0, text.as_ptr()))))
    }

    pub(crate) fn append_block(&self, function: Value) -> Block {
        Block(llvm!(LLVMAppendBasicBlockInContext(
            self.context,
            function.0,
            c"".as_ptr()
        )))
    }

    /// How many bytes a value of a type has in memory.
    pub(crate) fn size(&self, of: Type) -> u64 {
        let kind = of.kind();
        if matches!(
            kind,
            LLVMTypeKind::LLVMVoidTypeKind | LLVMTypeKind::LLVMFunctionTypeKind
        ) {
            return 0;
        }
        llvm!(LLVMStoreSizeOfType(
            LLVMGetModuleDataLayout(self.module),
            of.0
        ))
    }

    /// How many bytes an element of an array of a type takes.
    pub(crate) fn padded_size(&self, of: Type) -> u64 {
        llvm!(LLVMABISizeOfType(
            LLVMGetModuleDataLayout(self.module),
            of.0
        ))
    }
}

impl Type {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    pub(crate) fn width(self) -> u32 {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => llvm!(LLVMGetIntTypeWidth(self.0)),
            _ => 0,
        }
    }

    pub(crate) fn result(self) -> Type {
        Type(llvm!(LLVMGetReturnType(self.0)))
    }

    pub(crate) fn parameters(self) -> Vec<Type> {
        let len = llvm!(LLVMCountParamTypes(self.0)) as usize;
        let mut all = vec![std::ptr::null_mut(); len];
        llvm!(LLVMGetParamTypes(self.0, all.as_mut_ptr()));
        all.into_iter().map(Type).collect()
    }

    pub(crate) fn is_variadic(self) -> bool {
        llvm!(LLVMIsFunctionVarArg(self.0)) != 0
    }
}

impl Block {
    pub(crate) fn instructions(self) -> Vec<Value> {
        let next = |one: &Value| value(llvm!(LLVMGetNextInstruction(one.0)));
        std::iter::successors(value(llvm!(LLVMGetFirstInstruction(self.0))), next).collect()
    }
}

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

#[derive(Clone, Copy, Debug)]
pub(crate) struct Location(LLVMMetadataRef);

fn attribute(called: &str) -> c_uint {
    llvm!(LLVMGetEnumAttributeKindForName(
        called.as_ptr().cast(),
        called.len()
    ))
}

/// Inserts instructions.
#[derive(Debug)]
pub(crate) struct Builder(LLVMBuilderRef);

impl Builder {
    pub(crate) fn new(module: &Module) -> Self {
        Self(llvm!(LLVMCreateBuilderInContext(module.context)))
    }

    pub(crate) fn at_end(&self, block: Block) {
        llvm!(LLVMPositionBuilderAtEnd(self.0, block.0));
        llvm!(LLVMSetCurrentDebugLocation2(self.0, std::ptr::null_mut()));
    }

    /// In front of an instruction, and of what debuggers are told there.
    pub(crate) fn before(&self, instruction: Value) {
        llvm!(LLVMPositionBuilderBeforeInstrAndDbgRecords(
            self.0,
            instruction.0
        ));
    }

    pub(crate) fn located(&self, at: Location) {
        llvm!(LLVMSetCurrentDebugLocation2(self.0, at.0));
    }

    pub(crate) fn call(&self, of: Type, function: Value, arguments: &[Value]) -> Value {
        let mut all: Vec<_> = arguments.iter().map(|one| one.0).collect();
        let (start, len) = (all.as_mut_ptr(), all.len() as c_uint);
        Value(llvm!(LLVMBuildCall2(
            self.0,
            of.0,
            function.0,
            start,
            len,
            c"".as_ptr()
        )))
    }

    pub(crate) fn load(&self, of: Type, pointer: Value) -> Value {
        Value(llvm!(LLVMBuildLoad2(self.0, of.0, pointer.0, c"".as_ptr())))
    }

    pub(crate) fn store(&self, what: Value, pointer: Value) -> Value {
        Value(llvm!(LLVMBuildStore(self.0, what.0, pointer.0)))
    }

    pub(crate) fn alloca(&self, of: Type) -> Value {
        Value(llvm!(LLVMBuildAlloca(self.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn add(&self, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildAdd(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn sub(&self, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildSub(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn mul(&self, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildMul(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn and(&self, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildAnd(self.0, one.0, other.0, c"".as_ptr())))
    }

    pub(crate) fn to_pointer(&self, what: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildIntToPtr(self.0, what.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn to_number(&self, what: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildPtrToInt(self.0, what.0, of.0, c"".as_ptr())))
    }

    pub(crate) fn sign_extend_or_cut(&self, what: Value, of: Type) -> Value {
        Value(llvm!(LLVMBuildIntCast2(
            self.0,
            what.0,
            of.0,
            1,
            c"".as_ptr()
        )))
    }

    pub(crate) fn element(&self, of: Type, pointer: Value, index: Value) -> Value {
        let mut index = index.0;
        Value(llvm!(LLVMBuildGEP2(
            self.0,
            of.0,
            pointer.0,
            &raw mut index,
            1,
            c"".as_ptr()
        )))
    }

    pub(crate) fn compare(&self, how: LLVMIntPredicate, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildICmp(
            self.0,
            how,
            one.0,
            other.0,
            c"".as_ptr()
        )))
    }

    pub(crate) fn select(&self, condition: Value, one: Value, other: Value) -> Value {
        Value(llvm!(LLVMBuildSelect(
            self.0,
            condition.0,
            one.0,
            other.0,
            c"".as_ptr()
        )))
    }

    pub(crate) fn branch(&self, condition: Value, then: Block, or: Block) {
        llvm!(LLVMBuildCondBr(self.0, condition.0, then.0, or.0));
    }

    pub(crate) fn ret(&self, what: Option<Value>) {
        match what {
            Some(what) => llvm!(LLVMBuildRet(self.0, what.0)),
            None => llvm!(LLVMBuildRetVoid(self.0)),
        };
    }
}
