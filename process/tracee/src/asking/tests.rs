use super::*;

/// An ELF file of one executable part with this code, whose functions begin here.
fn file(code: &[u8], functions: &[u32]) -> Vec<u8> {
    const CODE: u64 = 0x1000;
    const TABLE: u64 = 0x100;
    let mut file = vec![0; 0x1000];
    file[..6].copy_from_slice(b"\x7fELF\x02\x01");
    file[32..40].copy_from_slice(&64u64.to_le_bytes());
    file[54..56].copy_from_slice(&56u16.to_le_bytes());
    file[56..58].copy_from_slice(&2u16.to_le_bytes());
    let table = 12 + 8 * functions.len() as u64;
    let parts = [
        (LOAD, 5, CODE, code.len() as u64),
        (UNWINDING, 4, TABLE, table),
    ];
    for (index, (kind, flags, offset, len)) in parts.into_iter().enumerate() {
        let entry = &mut file[64 + index * 56..];
        entry[..4].copy_from_slice(&u32::to_le_bytes(kind));
        entry[4..8].copy_from_slice(&u32::to_le_bytes(flags));
        entry[8..16].copy_from_slice(&offset.to_le_bytes());
        entry[16..24].copy_from_slice(&offset.to_le_bytes());
        entry[32..40].copy_from_slice(&len.to_le_bytes());
    }
    let at = TABLE as usize;
    file[at..at + 4].copy_from_slice(&[1, 0x1b, 0x03, 0x3b]);
    file[at + 8..at + 12].copy_from_slice(&(functions.len() as u32).to_le_bytes());
    for (index, function) in functions.iter().enumerate() {
        let from = CODE as u32 + function - TABLE as u32;
        let at = at + 12 + index * 8;
        file[at..at + 4].copy_from_slice(&from.to_le_bytes());
    }
    file.extend_from_slice(code);
    file
}

fn check(code: &[u8], functions: &[u32], expected: &[(u64, u8)]) {
    let found: Vec<(u64, u8)> = sites(&file(code, functions))
        .iter()
        .map(|site| (site.offset - 0x1000, site.byte))
        .collect();
    assert_eq!(found, expected, "{code:x?}");
}

#[test]
fn instructions_are_found_where_functions_begin() {
    // nop; cpuid; ret
    check(&[0x90, 0x0f, 0xa2, 0xc3, 0], &[0], &[(2, 0xa2)]);
    // rdrand eax; rdseed r9; xgetbv
    let code = [
        0x0f, 0xc7, 0xf0, 0x49, 0x0f, 0xc7, 0xf9, 0x0f, 0x01, 0xd0, 0xc3,
    ];
    check(&code, &[0], &[(1, 0xc7), (5, 0xc7), (8, 0x01)]);
}

#[test]
fn what_only_looks_like_one_is_left_alone() {
    // mov eax, 0xa20f90: bytes of a number.
    check(&[0xb8, 0x90, 0x0f, 0xa2, 0x00, 0xc3, 0, 0], &[0], &[]);
    // No function is known there.
    check(&[0x0f, 0xa2, 0xc3, 0], &[], &[]);
    check(&[0x0f, 0xa2, 0xc3, 0], &[2], &[]);
    // Behind something that is no instruction.
    check(&[0x06, 0x0f, 0xa2, 0xc3, 0], &[0], &[]);
    // rdpid, which looks like rdseed.
    check(&[0xf3, 0x0f, 0xc7, 0xf8, 0xc3, 0], &[0], &[]);
}

#[test]
fn any_bytes_are_no_trouble() {
    let whole = file(&[0x0f, 0xa2, 0xc3, 0], &[0]);
    for end in 0..whole.len() {
        let _ = sites(&whole[..end]);
    }
    for at in 0..512 {
        let mut changed = whole.clone();
        changed[at] = 0xff;
        let _ = sites(&changed);
    }
}

#[test]
fn answers_are_those_of_the_processor() {
    let says = std::arch::x86_64::__cpuid_count;
    let mut before = Registers::default();
    before.set_rip(0x1000);
    before.set_eflags(0x8d4);
    let after = answer(
        &before,
        &[0x49, 0x0f, 0xc7, 0xf1],
        || Some(0x1234_5678_9abc_def0),
        || None,
        says,
    )
    .unwrap();
    assert_eq!((after.rip(), after.eflags()), (0x1004, 1));
    // r9
    assert_eq!(after.0[8], 0x1234_5678_9abc_def0);
    let after = answer(
        &before,
        &[0x0f, 0xc7, 0xf8],
        || Some(u64::MAX),
        || None,
        says,
    )
    .unwrap();
    assert_eq!(after.rax(), 0xffff_ffff);
    let after = answer(&before, &[0x0f, 0xa2, 0x90], || None, || None, says).unwrap();
    assert_eq!(
        after.rax(),
        std::arch::x86_64::__cpuid_count(0, 0).eax.into()
    );
    let after = answer(
        &before,
        &[0x0f, 0x01, 0xd0],
        || None,
        || Some(7 << 32 | 5),
        says,
    )
    .unwrap();
    assert_eq!((after.rax(), after.rdx()), (5, 7));
    assert_eq!(answer(&before, &[0x90], || None, || None, says), None);
}
