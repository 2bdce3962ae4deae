//! Where functions of libraries are: elsewhere in each run, and nowhere in a replay.
//!
//! Whoever has the address of one gets that of a jump to it, which is a part of the program.
//! It is one instruction, so that it does for functions with any arguments.

use super::Inserter;
use crate::ir::{LLVMLinkage, Value};
use crate::read::is_address_taken;

/// In front of the names of such jumps.
const FAR: &str = "__reprise_far.";

impl Inserter<'_> {
    pub(super) fn addresses(&self) {
        for function in self.module.functions() {
            let name = function.name();
            // What the compiler or the runtime has is no library's.
            let is_far = !name.starts_with("llvm.") && !name.starts_with("__reprise_");
            // Whether there is such a function at all is what its address says.
            let is_far = is_far && function.linkage() != LLVMLinkage::LLVMExternalWeakLinkage;
            if function.is_declaration() && is_far && is_address_taken(function) {
                self.jump_to(function, &name);
            }
        }
    }

    fn jump_to(&self, function: Value, name: &str) {
        let jump = format!("{FAR}{name}");
        function.replace_address(self.module.function(&jump, function.value_type()));
        self.module.append_assembly(&format!(
            ".text\n.globl \"{jump}\"\n.hidden \"{jump}\"\n.type \"{jump}\",@function\n\
             \"{jump}\":\njmp \"{name}\"@PLT\n"
        ));
    }
}
