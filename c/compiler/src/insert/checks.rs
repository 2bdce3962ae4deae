//! Whether memory is inside, asked where it is used: most of it is, and that is found out
//! without a call.

use reprise_c_events::area;

use super::Inserter;
use crate::ir::{LLVMIntPredicate, LLVMLinkage, Type, Value};

impl Inserter<'_> {
    /// A function that returns its first argument if that is in inside memory, and has a
    /// function of the runtime decide otherwise. It becomes a part of whoever calls it.
    pub(super) fn checked(&self, name: &str, parameters: &[Type]) -> (Type, Value) {
        let (module, builder) = (&self.module, &self.builder);
        let (pointer, word) = (module.pointer(), module.int(64));
        let (of, runtime) = self.runtime(name, pointer, parameters);
        let check = module.declare(&format!("{name}_unless_inside"), of);
        if !check.is_declaration() {
            return (of, check);
        }
        check.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        check.inline_always();
        let given = check.parameters();
        let [first, second, inside, outside] = [(); 4].map(|()| module.append_block(check));
        let within = |start: Value, len: Value| {
            let at = builder.sub(builder.to_number(given[0], word), start);
            builder.compare(LLVMIntPredicate::LLVMIntULT, at, len)
        };
        builder.at_end(first);
        let (start, len) = (
            module.constant(word, area::START),
            module.constant(word, area::LEN),
        );
        builder.branch(within(start, len), inside, second);
        builder.at_end(second);
        let symbol = |name: &str| builder.to_number(module.global(name, module.int(8)), word);
        let start = symbol("__start_reprise_inside");
        let len = builder.sub(symbol("__stop_reprise_inside"), start);
        builder.branch(within(start, len), inside, outside);
        builder.at_end(inside);
        builder.ret(Some(given[0]));
        builder.at_end(outside);
        builder.ret(Some(builder.call(of, runtime, &given)));
        (of, check)
    }
}
