use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use super::*;

/// Memory as the loader makes it of a file.
fn memory(base: u64, file: &[u8]) -> impl Fn(u64, usize) -> Vec<u8> {
    let mut loaded = vec![0; 8 << 20];
    let count = half(file, 56).unwrap();
    for header in file[64..64 + count * 56].chunks_exact(56) {
        let segment = segment(header).unwrap();
        if segment.kind == PT_LOAD {
            let (from, to) = (segment.offset as usize, segment.address as usize);
            let len = segment.in_file as usize;
            loaded[to..to + len].copy_from_slice(&file[from..from + len]);
        }
    }
    move |address, len| {
        let start = address.wrapping_sub(base) as usize;
        let end = start.saturating_add(len).min(loaded.len());
        loaded.get(start..end).unwrap_or_default().to_vec()
    }
}

#[test]
fn a_library_in_memory_becomes_a_file_with_its_symbols() {
    let path = "/lib/x86_64-linux-gnu/libc.so.6";
    let Ok(bytes) = std::fs::read(path) else {
        eprintln!("no {path} here");
        return;
    };
    let base = 0x7f00_0000_0000;
    let read = memory(base, &bytes);
    let module = Module::at(&read, base).unwrap();
    let original = object::File::parse(&bytes[..]).unwrap();
    assert_eq!(module.build_id().as_deref(), original.build_id().unwrap());
    let made = module.file(&[]).unwrap();
    let made = object::File::parse(&made[..]).unwrap();
    let address = |name: &str| {
        let mut symbols = made.symbols();
        symbols.find(|s| s.name() == Ok(name)).unwrap().address()
    };
    for symbol in original.dynamic_symbols() {
        if matches!(symbol.name(), Ok("malloc" | "printf" | "environ")) {
            assert_eq!(address(symbol.name().unwrap()), symbol.address());
        }
    }
    let frames = made.section_by_name(".eh_frame").unwrap();
    let expected = original.section_by_name(".eh_frame").unwrap();
    assert_eq!(frames.address(), expected.address());
    assert!(frames.size() + 8 >= expected.size());
}

#[test]
fn no_bytes_make_it_panic() {
    let path = "/lib/x86_64-linux-gnu/libc.so.6";
    let Ok(bytes) = std::fs::read(path) else {
        return;
    };
    let mut bytes = bytes;
    // Everything in the headers in turn becomes the largest and the smallest.
    for at in (16..1024).step_by(2) {
        let was = [bytes[at], bytes[at + 1]];
        for value in [[0xff, 0xff], [0, 0], [0xff, 0x7f]] {
            bytes[at..at + 2].copy_from_slice(&value);
            let read = |address: u64, len: usize| {
                let start = usize::try_from(address).unwrap_or(usize::MAX);
                let end = start.saturating_add(len.min(1 << 20)).min(bytes.len());
                bytes.get(start..end).unwrap_or_default().to_vec()
            };
            if let Some(module) = Module::at(&read, 0) {
                let _ = (module.build_id(), module.libraries(), module.interpreter());
                let _ = module.frames();
                let _ = module.symbol_count();
            }
        }
        bytes[at..at + 2].copy_from_slice(&was);
    }
}
