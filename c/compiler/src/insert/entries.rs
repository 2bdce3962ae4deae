//! The ways into inside functions.

use reprise_c_events::ENTRIES;

use super::Inserter;
use crate::ir::{LLVMLinkage, LLVMTypeKind, Value};

impl Inserter<'_> {
    /// Gives each inside function that can be entered a wrapper that takes its name
    /// and its address, and one that calls it with what a replay is told. Calls that
    /// stay inside go to the function itself.
    pub(super) fn entries(&mut self, inside: &[Value]) {
        self.no_entry();
        let mut table = Vec::new();
        for function in inside {
            let id = self.id(*function).unwrap_or_default();
            let known = &self.reading.program.functions[id as usize];
            if known.no_entry.is_some() {
                continue;
            }
            let name = known.name.clone();
            self.entry(*function, &name, table.len() as u64);
            table.push(self.thunk(*function));
            self.described.entries.push(name);
        }
        for (call, function) in &self.direct {
            let last = call.operands().len() as u32 - 1;
            call.set_operand(last, *function);
        }
        let (module, pointer) = (&self.module, self.module.pointer());
        if table.is_empty() {
            table.push(module.zero(pointer));
        }
        let all = module.constant_array(pointer, &table);
        let entries = module.global("__reprise_entries", all.kind());
        entries.set_initializer(all);
        entries.set_unchanging();
    }

    /// Entries can all become parts of who calls them. The runtime asks where they are.
    fn no_entry(&self) {
        let module = &self.module;
        let none = module.function(
            "__reprise_no_entry",
            module.function_type(module.void(), &[]),
        );
        none.set_section(ENTRIES);
        self.builder.at_end(module.append_block(none));
        self.builder.ret(None);
    }

    fn entry(&self, function: Value, name: &str, number: u64) {
        let (module, builder) = (&self.module, &self.builder);
        let of = function.value_type();
        let linkage = function.linkage();
        function.set_name(&format!("__reprise_in.{name}"));
        let wrapper = module.function(name, of);
        function.replace_with(wrapper);
        wrapper.set_linkage(linkage);
        wrapper.set_section(ENTRIES);
        function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        let (word, small, pointer) = (module.int(64), module.int(32), module.pointer());
        let parameters = wrapper.parameters();
        let count = parameters.len() as u64;
        builder.at_end(module.append_block(wrapper));
        let room = module.array(word, count.max(1));
        let arguments = builder.alloca(room);
        for (index, parameter) in (0..).zip(&parameters) {
            let slot = builder.element(word, arguments, module.constant(word, index));
            builder.store(module.constant(word, 0), slot);
            builder.store(*parameter, slot);
        }
        let (enter_type, enter) = self.runtime("__reprise_enter", small, &[small, pointer, small]);
        let given = [
            module.constant(small, number),
            arguments,
            module.constant(small, 8 * count),
        ];
        // It may have interrupted the inside, if it could not wait.
        let id = self.id(function).or_else(|| self.id(wrapper));
        let is_handler = super::id_in(&self.boundary.handlers, id);
        let (handles_type, handles) = self.runtime("__reprise_handles", module.void(), &[small]);
        let tell = |begins: u64| {
            if is_handler {
                builder.call(handles_type, handles, &[module.constant(small, begins)]);
            }
        };
        tell(1);
        let was = builder.call(enter_type, enter, &given);
        let result = builder.call(of, function, &parameters);
        wrapper.copy_convention(function);
        result.copy_convention(function);
        for index in 0..=parameters.len() as u32 {
            wrapper.copy_call_attributes(index, function);
            result.copy_call_attributes(index, function);
        }
        let (leave_type, leave) = self.runtime("__reprise_leave", module.void(), &[small]);
        builder.call(leave_type, leave, &[was]);
        tell(0);
        let is_void = of.result().kind() == LLVMTypeKind::LLVMVoidTypeKind;
        builder.ret((!is_void).then_some(result));
    }

    fn thunk(&self, function: Value) -> Value {
        let (module, builder) = (&self.module, &self.builder);
        let (word, pointer) = (module.int(64), module.pointer());
        let of = module.function_type(module.void(), &[pointer]);
        let thunk = module.function(&format!("{}.replay", function.name()), of);
        thunk.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        builder.at_end(module.append_block(thunk));
        let given = thunk.parameters()[0];
        let types = function.value_type().parameters();
        let arguments: Vec<Value> = (0..)
            .zip(types)
            .map(|(index, of)| {
                let slot = builder.element(word, given, module.constant(word, index));
                builder.load(of, slot)
            })
            .collect();
        let call = builder.call(function.value_type(), function, &arguments);
        call.copy_convention(function);
        for index in 0..=arguments.len() as u32 {
            call.copy_call_attributes(index, function);
        }
        // A call whose result nobody wants may not happen at all.
        if function.value_type().result().kind() != LLVMTypeKind::LLVMVoidTypeKind {
            builder.store(call, given);
        }
        builder.ret(None);
        thunk
    }
}
