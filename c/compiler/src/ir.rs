//! LLVM's C interface, as far as it is needed, with values that are plain data.
//!
//! A module is read once, changed by one thread, written and left to the end of the
//! program; nothing is freed before, so a value can be kept for as long as it is not
//! erased. Each function is one call. Values are in `value.rs`, and what inserts
//! instructions in `builder.rs`.
#![allow(unsafe_code, reason = "LLVM's interface is that of C")]

use std::ffi::{CString, c_char, c_uint};
use std::path::Path;
use std::slice;

use inkwell::llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use inkwell::llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use inkwell::llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement,
    LLVMStoreSizeOfType,
};
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMTailCallKind};
pub(crate) use inkwell::llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode, LLVMTypeKind};

/// One call of LLVM, by its kind.
macro_rules! llvm {
    (ask: $call:expr) => {
        // SAFETY: it only looks. What it looks at is of a module that is never freed, or
        // null where the answer to null is null; callers have found out that it is of
        // the kind that is asked (an instruction's opcode, a global's initial value).
        unsafe { $call }
    };
    (make: $call:expr) => {
        // SAFETY: it makes a type, a constant, a function or an instruction, which live as
        // long as the context, which is never freed. Arrays and texts that are handed
        // over live through the call, as long as is said, and LLVM copies them.
        unsafe { $call }
    };
    (change: $call:expr) => {
        // SAFETY: it changes a module of which nobody else has a part: there is one
        // thread, and a value that is erased is not used again. The operand or attribute
        // exists; that types fit is proved by the verifier before anything is built.
        unsafe { $call }
    };
    (whole: $call:expr) => {
        // SAFETY: it is given a path or the names of passes, which end with a zero, places
        // for its results that live through the call, and a module that was read. What
        // goes wrong is returned, and a buffer of bytes is LLVM's from then on.
        unsafe { $call }
    };
    (text: $call:expr) => {
        // SAFETY: LLVM has just said where the text is and how long, or it ends with a zero;
        // it is copied before anything else is asked.
        unsafe { $call }
    };
}

mod builder;
mod debug;
mod value;

pub(crate) use builder::Builder;

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
    let bytes = llvm!(text: slice::from_raw_parts(start.cast::<u8>(), len));
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
        let context = llvm!(whole: LLVMContextCreate());
        let failed = llvm!(whole: LLVMCreateMemoryBufferWithContentsOfFile(
            path.as_ptr(),
            &raw mut buffer,
            &raw mut message
        )) != 0
            || llvm!(whole: LLVMParseBitcodeInContext2(context, buffer, &raw mut module)) != 0;
        match failed {
            true => Err(format!(
                "{} is no bitcode of LLVM 19",
                path.to_string_lossy()
            )),
            false => Ok(Self { context, module }),
        }
    }

    /// Takes in what other bitcode has.
    pub(crate) fn take(&self, bitcode: &[u8]) -> Result<(), String> {
        let mut other = std::ptr::null_mut();
        let unnamed = name("");
        let (start, len) = (bitcode.as_ptr().cast(), bitcode.len());
        let buffer = llvm!(whole: LLVMCreateMemoryBufferWithMemoryRangeCopy(
            start,
            len,
            unnamed.as_ptr()
        ));
        let failed = llvm!(whole: LLVMParseBitcodeInContext2(self.context, buffer, &raw mut other))
            != 0
            || llvm!(whole: LLVMLinkModules2(self.module, other)) != 0;
        match failed {
            true => Err("LLVM cannot put functions of the C library into the program".to_owned()),
            false => Ok(()),
        }
    }

    pub(crate) fn run(&self, passes: &str) -> bool {
        let passes = name(passes);
        let options = llvm!(whole: LLVMCreatePassBuilderOptions());
        let none = std::ptr::null_mut();
        let error = llvm!(whole: LLVMRunPasses(self.module, passes.as_ptr(), none, options));
        llvm!(whole: LLVMDisposePassBuilderOptions(options));
        error.is_null()
    }

    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = std::ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        if llvm!(whole: LLVMVerifyModule(self.module, action, &raw mut message)) == 0 {
            return Ok(());
        }
        let message = llvm!(text: std::ffi::CStr::from_ptr(message));
        Err(message.to_string_lossy().into_owned())
    }

    pub(crate) fn write(&self, path: &Path) -> bool {
        let path = name(&path.to_string_lossy());
        llvm!(whole: LLVMWriteBitcodeToFile(self.module, path.as_ptr())) == 0
    }

    pub(crate) fn functions(&self) -> Vec<Value> {
        let next = |one: &Value| value(llvm!(ask: LLVMGetNextFunction(one.0)));
        std::iter::successors(value(llvm!(ask: LLVMGetFirstFunction(self.module))), next).collect()
    }

    pub(crate) fn globals(&self) -> Vec<Value> {
        let next = |one: &Value| value(llvm!(ask: LLVMGetNextGlobal(one.0)));
        std::iter::successors(value(llvm!(ask: LLVMGetFirstGlobal(self.module))), next).collect()
    }

    pub(crate) fn has_module_assembly(&self) -> bool {
        let mut len = 0;
        llvm!(ask: LLVMGetModuleInlineAsm(self.module, &raw mut len));
        len > 0
    }

    pub(crate) fn append_assembly(&self, code: &str) {
        let (start, len) = (code.as_ptr().cast(), code.len());
        llvm!(change: LLVMAppendModuleInlineAsm(self.module, start, len));
    }

    pub(crate) fn int(&self, bits: u32) -> Type {
        Type(llvm!(make: LLVMIntTypeInContext(self.context, bits)))
    }

    pub(crate) fn pointer(&self) -> Type {
        Type(llvm!(make: LLVMPointerTypeInContext(self.context, 0)))
    }

    pub(crate) fn void(&self) -> Type {
        Type(llvm!(make: LLVMVoidTypeInContext(self.context)))
    }

    pub(crate) fn array(&self, of: Type, len: u64) -> Type {
        Type(llvm!(make: LLVMArrayType2(of.0, len)))
    }

    pub(crate) fn function_type(&self, result: Type, parameters: &[Type]) -> Type {
        let mut parameters: Vec<_> = parameters.iter().map(|one| one.0).collect();
        let (start, len) = (parameters.as_mut_ptr(), parameters.len() as c_uint);
        Type(llvm!(make: LLVMFunctionType(result.0, start, len, 0)))
    }

    pub(crate) fn constant(&self, of: Type, number: u64) -> Value {
        Value(llvm!(make: LLVMConstInt(of.0, number, 0)))
    }

    pub(crate) fn constant_array(&self, of: Type, all: &[Value]) -> Value {
        let mut all: Vec<_> = all.iter().map(|one| one.0).collect();
        Value(llvm!(make: LLVMConstArray2(
            of.0,
            all.as_mut_ptr(),
            all.len() as u64
        )))
    }

    pub(crate) fn constant_bytes(&self, bytes: &[u8]) -> Value {
        let start = bytes.as_ptr().cast();
        Value(llvm!(make: LLVMConstStringInContext2(
            self.context,
            start,
            bytes.len(),
            1
        )))
    }

    pub(crate) fn zero(&self, of: Type) -> Value {
        Value(llvm!(make: LLVMConstNull(of.0)))
    }

    /// A function of the runtime.
    pub(crate) fn declare(&self, called: &str, of: Type) -> Value {
        let text = name(called);
        let known = value(llvm!(ask: LLVMGetNamedFunction(self.module, text.as_ptr())));
        known.unwrap_or_else(|| self.function(called, of))
    }

    pub(crate) fn function(&self, called: &str, of: Type) -> Value {
        let called = name(called);
        Value(llvm!(make: LLVMAddFunction(self.module, called.as_ptr(), of.0)))
    }

    pub(crate) fn global(&self, called: &str, of: Type) -> Value {
        let text = name(called);
        let known = value(llvm!(ask: LLVMGetNamedGlobal(self.module, text.as_ptr())));
        known.unwrap_or_else(|| Value(llvm!(make: LLVMAddGlobal(self.module, of.0, text.as_ptr()))))
    }

    /// A global of its own; LLVM finds another name if there is one of this.
    pub(crate) fn new_global(&self, called: &str, of: Type) -> Value {
        let text = name(called);
        Value(llvm!(make: LLVMAddGlobal(self.module, of.0, text.as_ptr())))
    }

    /// Where a block of a function is, as a value.
    pub(crate) fn block_address(&self, function: Value, block: Block) -> Value {
        Value(llvm!(make: LLVMBlockAddress(function.0, block.0)))
    }

    /// A number as a pointer.
    pub(crate) fn as_pointer(&self, number: Value) -> Value {
        Value(llvm!(make: LLVMConstIntToPtr(number.0, self.pointer().0)))
    }

    pub(crate) fn append_block(&self, function: Value) -> Block {
        Block(llvm!(make: LLVMAppendBasicBlockInContext(
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
        llvm!(ask: LLVMStoreSizeOfType(
            LLVMGetModuleDataLayout(self.module),
            of.0
        ))
    }

    /// How a value of a type is aligned, in bytes.
    pub(crate) fn alignment(&self, of: Type) -> u64 {
        let alignment = llvm!(ask: LLVMABIAlignmentOfType(
            LLVMGetModuleDataLayout(self.module),
            of.0
        ));
        u64::from(alignment)
    }

    /// Where a part of a structure begins, in bytes.
    pub(crate) fn offset(&self, of: Type, part: u32) -> u64 {
        llvm!(ask: LLVMOffsetOfElement(
            LLVMGetModuleDataLayout(self.module),
            of.0,
            part
        ))
    }

    /// How many bytes an element of an array of a type takes.
    pub(crate) fn padded_size(&self, of: Type) -> u64 {
        llvm!(ask: LLVMABISizeOfType(
            LLVMGetModuleDataLayout(self.module),
            of.0
        ))
    }
}

impl Type {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        llvm!(ask: LLVMGetTypeKind(self.0))
    }

    pub(crate) fn width(self) -> u32 {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => llvm!(ask: LLVMGetIntTypeWidth(self.0)),
            _ => 0,
        }
    }

    pub(crate) fn result(self) -> Type {
        Type(llvm!(ask: LLVMGetReturnType(self.0)))
    }

    pub(crate) fn parameters(self) -> Vec<Type> {
        let len = llvm!(ask: LLVMCountParamTypes(self.0)) as usize;
        let mut all = vec![std::ptr::null_mut(); len];
        llvm!(ask: LLVMGetParamTypes(self.0, all.as_mut_ptr()));
        all.into_iter().map(Type).collect()
    }

    /// What an array or a vector is of.
    pub(crate) fn element(self) -> Type {
        Type(llvm!(ask: LLVMGetElementType(self.0)))
    }

    /// What a structure is of.
    pub(crate) fn parts(self) -> Vec<Type> {
        let len = llvm!(ask: LLVMCountStructElementTypes(self.0));
        (0..len)
            .map(|part| Type(llvm!(ask: LLVMStructGetTypeAtIndex(self.0, part))))
            .collect()
    }

    pub(crate) fn is_variadic(self) -> bool {
        llvm!(ask: LLVMIsFunctionVarArg(self.0)) != 0
    }
}

impl Block {
    pub(crate) fn first(self) -> Option<Value> {
        value(llvm!(ask: LLVMGetFirstInstruction(self.0)))
    }

    pub(crate) fn instructions(self) -> Vec<Value> {
        let next = |one: &Value| value(llvm!(ask: LLVMGetNextInstruction(one.0)));
        std::iter::successors(value(llvm!(ask: LLVMGetFirstInstruction(self.0))), next).collect()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Location(LLVMMetadataRef);

fn attribute(called: &str) -> c_uint {
    llvm!(ask: LLVMGetEnumAttributeKindForName(
        called.as_ptr().cast(),
        called.len()
    ))
}
