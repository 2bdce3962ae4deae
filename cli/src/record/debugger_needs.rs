//! Memory that no replay uses, but a debugger: the frames on the stacks, and of
//! the programs and libraries that have run their names and how to unwind them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use reprise_player::Used;
use reprise_process_events::PAGE;
use reprise_recorder::Memory;

/// How much of a stack is kept.
const STACK: u64 = 1 << 20;

/// How much of a thread's stack, which may be one of thousands.
const THREAD_STACK: u64 = 64 << 10;

/// Adds these pages to those that are used.
pub(super) fn add(memory: Memory<'_>, used: &mut Used) {
    let view = View::of(memory);
    for (start, end) in stacks(memory) {
        view.want(start, end);
    }
    let has_run = |start: u64, end: u64| {
        let mut maps = used.values();
        maps.any(|pages| pages.range(start..end).next().is_some())
    };
    let read = |address: u64, len: usize| view.read(address, len);
    for base in view.files(memory) {
        reprise_gdb::consult(&read, base, &has_run);
    }
    for (map, pages) in view.wanted.into_inner() {
        used.entry(map).or_default().extend(pages);
    }
}

/// From each stack pointer on, as far as the stack reaches.
fn stacks(memory: Memory<'_>) -> Vec<(u64, u64)> {
    let start = memory.start();
    let first = (start.state.registers.rsp(), STACK);
    let others = start.threads.iter().flat_map(|threads| &threads.others);
    let others = others.map(|thread| (thread.state.registers.rsp(), THREAD_STACK));
    let pointers = std::iter::once(first).chain(others);
    let around = |(pointer, most): (u64, u64)| {
        let mut regions = memory.regions().iter();
        let stack = regions.find(|region| (region.start..region.end).contains(&pointer))?;
        let from = pointer & !(PAGE - 1);
        Some((from, stack.end.min(from.saturating_add(most))))
    };
    let mut stacks: Vec<_> = pointers.filter_map(around).collect();
    // Arguments, environment, and what the kernel told the program.
    let first = memory.regions().iter().find(|r| r.name == "[stack]");
    stacks.extend(first.map(|stack| (stack.end.saturating_sub(16 * PAGE), stack.end)));
    stacks
}

/// The memory at the start with what files brought in later.
struct View<'a> {
    memory: Memory<'a>,
    /// Ranges of page maps; what comes later covers what was before.
    parts: Vec<(u64, u64, u32)>,
    wanted: RefCell<BTreeMap<u32, BTreeSet<u64>>>,
}

impl<'a> View<'a> {
    fn of(memory: Memory<'a>) -> Self {
        let maps = std::iter::once(memory.first()).chain(memory.later());
        let parts = maps.flat_map(|map| {
            let ranges = memory.ranges(map).into_iter();
            ranges.map(move |(start, end)| (start, end, map))
        });
        Self {
            memory,
            parts: parts.collect(),
            wanted: RefCell::default(),
        }
    }

    /// Where the page at an address is from.
    fn map_of(&self, page: u64) -> Option<u32> {
        let mut parts = self.parts.iter().rev();
        let part = parts.find(|(start, end, _)| (*start..*end).contains(&page));
        part.map(|(_, _, map)| *map)
    }

    fn want(&self, start: u64, end: u64) {
        for page in (start & !(PAGE - 1)..end).step_by(PAGE as usize) {
            self.want_page(page);
        }
    }

    /// Where it is from, if it is anywhere.
    fn want_page(&self, page: u64) -> Option<u32> {
        let map = self.map_of(page)?;
        let mut wanted = self.wanted.borrow_mut();
        wanted.entry(map).or_default().insert(page);
        Some(map)
    }

    /// Reads memory as far as there is any, and remembers that it was wanted.
    fn read(&self, address: u64, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let at = address.wrapping_add(bytes.len() as u64);
            let page = at & !(PAGE - 1);
            let Some(map) = self.want_page(page) else {
                break;
            };
            let content = self.memory.page(map, page);
            let rest = &content[(at - page) as usize..];
            bytes.extend(&rest[..rest.len().min(len - bytes.len())]);
        }
        bytes
    }

    /// Where files begin that are mapped.
    fn files(&self, memory: Memory<'_>) -> BTreeSet<u64> {
        let regions = memory.regions().iter();
        let named = regions.filter(|region| region.name.starts_with('/'));
        let named = named.map(|region| region.start);
        let later: BTreeSet<u32> = memory.later().collect();
        let brought = self.parts.iter().filter(|(_, _, map)| later.contains(map));
        named.chain(brought.map(|(start, _, _)| *start)).collect()
    }
}
