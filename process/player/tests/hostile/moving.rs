//! The same under a debugger, where the code is translated and there are copies
//! of the process.

use reprise_player::{Halt, Opened, PlayError, Session, Traps};
use reprise_process_events::{Call, Event};

use super::*;

/// Where a debugger keeps its own things, in a recording that uses nothing near.
const DESK: u64 = 1 << 30;

/// Goes to the end, counting each instruction, and back to the start. Returns
/// why it stopped at first, and how many instructions had run.
fn moved(start: &Start, code: &[u8], events: &[Event]) -> Result<(Halt, u64), PlayError> {
    let recording = recorded(start, code, events);
    let opened = Opened::new(&recording, None)?;
    let mut output = |_: reprise_player::Wrote<'_>| {};
    let mut session = Session::new(&opened, &LIMITS, &mut output)?;
    let mut traps = Traps::default();
    // Never come to, and more than the processor can look for.
    traps.breakpoints.extend(1..6);
    session.set_traps(&traps);
    let halt = session.go_on(&mut || false)?;
    let position = session.position();
    session.state()?;
    assert_eq!(session.go_back(&mut || false)?, Halt::Start);
    assert_eq!(session.state()?.registers.rip(), CODE);
    Ok((halt, position.count))
}

fn trouble(result: Result<(Halt, u64), PlayError>) -> String {
    match result {
        Ok((Halt::Trouble(trouble), _)) => trouble,
        other => panic!("{other:?}"),
    }
}

/// The events of code that ends with one call of `getpid`.
fn getpid(code: &[u8]) -> [Event; 1] {
    [call(39, code)]
}

#[test]
fn a_loop_ends_with_its_time() {
    let result = moved(&start(), &[0xeb, 0xfe], &[call(39, &[])]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

#[test]
fn a_loop_that_hides_its_length_ends_with_its_time() {
    // mov qword [DESK], 0x7fffffff; jmp back
    let mut code = vec![0x48, 0xc7, 0x04, 0x25];
    code.extend((DESK as u32).to_le_bytes());
    code.extend([0xff, 0xff, 0xff, 0x7f, 0xeb, 0xf2]);
    let result = moved(&start(), &code, &[call(39, &[])]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

#[test]
fn other_ways_into_the_kernel_lead_nowhere() {
    // mov eax, 20; int 0x80
    let code = [0xb8, 20, 0, 0, 0, 0xcd, 0x80];
    trouble(moved(&start(), &code, &[call(20, &code)]));
    // mov eax, 0x40000027; syscall
    let code = [0xb8, 0x27, 0, 0, 0x40, 0x0f, 0x05];
    trouble(moved(&start(), &code, &[call(39, &code)]));
    // mov rax, 0xffffffffff600400; call rax; jmp $
    let mut code = vec![0x48, 0xc7, 0xc0, 0x00, 0x04, 0x60, 0xff];
    code.extend([0xff, 0xd0, 0xeb, 0xfe]);
    trouble(moved(&start(), &code, &[call(39, &[])]));
}

#[test]
fn the_debuggers_own_way_into_the_kernel_leads_nowhere() {
    let folder = TempDir::with_prefix_in("r", "/tmp").unwrap();
    let victim = folder.path().join("v");
    fs::write(&victim, b"here").unwrap();
    for number in [87, 56, 57] {
        // lea rdi, [rip + 10]; mov eax, number; mov ecx, DESK + 64; jmp rcx
        let mut code = vec![0x48, 0x8d, 0x3d, 12, 0, 0, 0, 0xb8, number, 0, 0, 0, 0xb9];
        code.extend((DESK as u32 + 64).to_le_bytes());
        code.extend([0xff, 0xe1]);
        code.extend(victim.to_str().unwrap().bytes());
        code.push(0);
        let unlink = Event::Call(Call {
            number: u64::from(number),
            ip: DESK + 66,
            ..Call::default()
        });
        // It is a call like any other: answered from the recording.
        let result = moved(&start(), &code, &[unlink]);
        assert!(matches!(result, Ok((Halt::End, _))), "{number}: {result:?}");
        assert!(victim.exists());
    }
}

#[test]
fn a_translation_that_was_written_to_harms_nobody() {
    // The arena is somewhere near the code, at a multiple of a page: all of the
    // 64 megabytes below and above are filled with jumps to themselves.
    // mov rdi, FROM; mov ecx, COUNT; mov eax, 0xfeebfeeb; rep stosd; mov eax, 39;
    // syscall
    let mut code = vec![0x48, 0xc7, 0xc7];
    code.extend(0x51_2000_u32.to_le_bytes());
    code.push(0xb9);
    code.extend((16u32 << 20).to_le_bytes());
    code.extend([0xb8, 0xeb, 0xfe, 0xeb, 0xfe, 0xf3, 0xab]);
    code.extend([0xb8, 39, 0, 0, 0, 0x0f, 0x05]);
    let events = getpid(&code);
    let result = moved(&start(), &code, &events);
    let harmless = match &result {
        Ok((halt, _)) => matches!(halt, Halt::End | Halt::Trouble(_)),
        Err(error) => matches!(error, PlayError::Limit(_)),
    };
    assert!(harmless, "{result:?}");
}

#[test]
fn code_that_changes_itself_is_followed() {
    let mut start = start();
    start.regions[0].protection = 7;
    // inc byte [rip + 1]; mov eax, 38 (then 39); syscall
    let code = [0xfe, 0x05, 1, 0, 0, 0, 0xb8, 38, 0, 0, 0, 0x0f, 0x05];
    assert_eq!(
        moved(&start, &code, &getpid(&code)).unwrap(),
        (Halt::End, 0)
    );
    // The same where nobody can write is a fault.
    start.regions[0].protection = 5;
    trouble(moved(&start, &code, &getpid(&code)));
}

#[test]
fn a_program_that_steps_itself_is_stopped() {
    // pushf; or dword [rsp], 0x100; popf; nop; nop; mov eax, 39; syscall
    let mut code = vec![0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d, 0x90, 0x90];
    code.extend([0xb8, 39, 0, 0, 0, 0x0f, 0x05]);
    trouble(moved(&start(), &code, &getpid(&code)));
}

#[test]
fn each_kind_of_jump_goes_where_it_should() {
    // A call, an indirect call, a return that drops arguments, jumps by
    // register, by memory, by counter, and one to a far piece of code.
    let code = [
        0xe8, 0x02, 0, 0, 0, // call over the next
        0xeb, 0x09, // jmp A
        0x31, 0xc0, // xor eax, eax
        0x6a, 0x05, // push 5
        0x58, // pop rax
        0xc3, // ret
        0x90, 0x90, 0x90, // (never)
        0x48, 0x8d, 0x15, 0x13, 0, 0, 0, // A: lea rdx, [F]
        0x6a, 0x01, // push 1
        0xff, 0xd2, // call rdx
        0xb9, 0x03, 0, 0, 0, // mov ecx, 3
        0xff, 0xc0, // L: inc eax
        0xe2, 0xfc, // loop L
        0xe3, 0x02, // jrcxz B
        0x0f, 0x0b, // (never) ud2
        0xeb, 0x06, // B: jmp C
        0x83, 0xc0, 0x1f, // F: add eax, 31
        0xc2, 0x08, 0x00, // ret 8
        0x0f, 0x05, // C: syscall
    ];
    let behind = code.len();
    let event = Event::Call(Call {
        number: 39,
        ip: CODE + behind as u64,
        ..Call::default()
    });
    let (halt, _) = moved(&start(), &code, &[event]).unwrap();
    assert_eq!(halt, Halt::End);
}
