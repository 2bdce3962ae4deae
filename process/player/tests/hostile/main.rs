//! Recordings that mean harm: the player ends with an error, the machine is as
//! it was, and nothing hangs.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

mod faults;
mod moving;
mod pauses;
mod threads;
mod views;

use std::fs;
use std::os::unix::fs::symlink;

use reprise_player::{Fact, Limits, PlayError, Played, play};
use reprise_process_events::{
    Call, End, Ending, Event, KIND, PLACES, PLACES_VERSION, PageSums, Place, RECORDING, Region,
    Registers, Start, State, VERSION, Write, wire,
};
use reprise_recording::{Closing, Manifest, Recording, StreamInfo, Writer};
use tempfile::TempDir;

const CODE: u64 = 0x40_0000;
const DATA: u64 = 0x50_0000;
const LIMITS: Limits = Limits {
    memory: 1 << 30,
    seconds: 1,
};

/// Registers at the start of the code, with a stack in the data.
fn registers() -> Registers {
    let mut registers = Registers::default();
    registers.set_rip(CODE);
    registers.set_rsp(DATA + 0x800);
    registers.set_cs(0x33);
    registers.set_ss(0x2b);
    registers.set_eflags(0x202);
    registers
}

fn start() -> Start {
    let region = |start, protection| Region {
        start,
        end: start + 0x1000,
        protection,
        name: String::new(),
    };
    Start {
        state: State {
            registers: registers(),
            extended: vec![0; extended_len()],
        },
        brk: 0,
        regions: vec![region(CODE, 5), region(DATA, 3)],
        threads: None,
        views: Vec::new(),
    }
}

/// What the extended registers of this processor take; the player says so when
/// a recording has others.
fn extended_len() -> usize {
    let start = Start {
        state: State {
            registers: registers(),
            extended: vec![],
        },
        ..Start::default()
    };
    match played(&start, &[], &[]) {
        Err(PlayError::Processor { here, .. }) => here,
        other => panic!("{other:?}"),
    }
}

fn played(start: &Start, code: &[u8], events: &[Event]) -> Result<Played, PlayError> {
    play(&recorded(start, code, events), None, &LIMITS, &mut |_| {})
}

/// A recording with these events, whose file is gone already.
fn recorded(start: &Start, code: &[u8], events: &[Event]) -> Recording {
    recorded_with(start, code, events, &[])
}

/// The same with places of pauses.
fn recorded_with(start: &Start, code: &[u8], events: &[Event], places: &[Place]) -> Recording {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hostile.reprise");
    let manifest = Manifest {
        kind: RECORDING.to_owned(),
        ..Manifest::default()
    };
    let writer = Writer::create(&path, &manifest).unwrap();
    let mut map = writer.page_map(1, 0);
    if !code.is_empty() {
        let mut page = [0x90; 4096];
        page[..code.len()].copy_from_slice(code);
        map.insert(CODE, &page).unwrap();
    }
    map.finish().unwrap();
    let info = StreamInfo {
        process: 1,
        kind: KIND.to_owned(),
        version: VERSION,
        ..StreamInfo::default()
    };
    let mut stream = writer.stream(&info).unwrap();
    let first = Event::Start(start.clone());
    for event in std::iter::once(&first).chain(events) {
        let mut bytes = Vec::new();
        wire::write(event, &mut bytes);
        stream.append(&bytes).unwrap();
    }
    drop(stream);
    let info = StreamInfo {
        process: 1,
        kind: PLACES.to_owned(),
        version: PLACES_VERSION,
        ..StreamInfo::default()
    };
    let mut stream = writer.stream(&info).unwrap();
    for place in places {
        let mut bytes = Vec::new();
        wire::write_place(*place, &mut bytes);
        stream.append(&bytes).unwrap();
    }
    drop(stream);
    writer.finish(Closing::default()).unwrap();
    Recording::open(&path).unwrap()
}

/// A call that the code is expected to make, at the end of `code`.
fn call(number: u64, code: &[u8]) -> Event {
    Event::Call(Call {
        number,
        ip: CODE + code.len() as u64,
        ..Call::default()
    })
}

fn actual(result: Result<Played, PlayError>) -> Fact {
    match result {
        Err(PlayError::Diverged(divergence)) => divergence.actual,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_loop_ends_with_its_time() {
    let result = played(&start(), &[0xeb, 0xfe], &[call(39, &[])]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

#[test]
fn the_32_bit_way_into_the_kernel_leads_nowhere() {
    // mov eax, 20; int 0x80
    let code = [0xb8, 20, 0, 0, 0, 0xcd, 0x80];
    let result = played(&start(), &code, &[call(20, &code)]);
    let ip = CODE + 7;
    assert_eq!(actual(result), Fact::OtherCall { ip });
}

#[test]
fn the_x32_way_is_another_call() {
    // mov eax, 0x40000027; syscall
    let code = [0xb8, 0x27, 0, 0, 0x40, 0x0f, 0x05];
    let result = played(&start(), &code, &[call(39, &code)]);
    let (number, ip) = (0x4000_0027, CODE + 7);
    assert_eq!(actual(result), Fact::Call { number, ip });
}

#[test]
fn the_vsyscall_page_tells_no_time() {
    // mov rax, 0xffffffffff600400; call rax; jmp $
    let mut code = vec![0x48, 0xc7, 0xc0, 0x00, 0x04, 0x60, 0xff];
    code.extend([0xff, 0xd0, 0xeb, 0xfe]);
    let fact = actual(played(&start(), &code, &[call(39, &[])]));
    assert!(matches!(fact, Fact::Gone | Fact::Signal { .. }), "{fact:?}");
}

#[test]
fn a_call_that_is_not_in_the_recording_is_not_made() {
    let folder = TempDir::new().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, b"here").unwrap();
    let short = TempDir::with_prefix_in("r", "/tmp").unwrap();
    let name = short.path().join("v");
    symlink(&victim, &name).unwrap();
    // lea rdi, [rip + 9]; mov eax, 87 (unlink); syscall; jmp $; the name
    let mut code = vec![0x48, 0x8d, 0x3d, 9, 0, 0, 0, 0xb8, 87, 0, 0, 0, 0x0f, 0x05];
    let behind = CODE + code.len() as u64;
    code.extend([0xeb, 0xfe]);
    code.extend(name.to_str().unwrap().bytes());
    code.push(0);
    // Played as recorded, even: the player makes no call but maps.
    let unlink = Event::Call(Call {
        number: 87,
        ip: behind,
        ..Call::default()
    });
    let result = played(&start(), &code, &[unlink]);
    assert!(result.is_ok(), "{result:?}");
    assert!(name.symlink_metadata().is_ok() && victim.exists());
}

#[test]
fn memory_is_limited() {
    let mut start = start();
    start.regions.push(Region {
        start: 0x1000_0000,
        end: 0x1000_0000 + (2 << 30),
        protection: 3,
        name: String::new(),
    });
    let result = played(&start, &[0xeb, 0xfe], &[]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

/// Programs reserve more than any machine has.
#[test]
fn what_is_only_reserved_is_no_memory() {
    let mut start = start();
    start.regions.push(Region {
        start: 0x1000_0000_0000,
        end: 0x1000_0000_0000 + (8 << 40),
        protection: 0,
        name: String::new(),
    });
    let result = played(&start, &[0x0f, 0x05], &[]);
    assert!(result.is_ok(), "{result:?}");
    // Nor is it when the program wants to read all of it.
    // mov rdi, START; mov rsi, LEN; mov edx, 1; mov eax, 10; syscall
    let (from, len) = (0x1000_0000_0000u64, 8u64 << 40);
    let mut code = vec![0x48, 0xbf];
    code.extend(from.to_le_bytes());
    code.extend([0x48, 0xbe]);
    code.extend(len.to_le_bytes());
    code.extend([0xba, 1, 0, 0, 0, 0xb8, 10, 0, 0, 0, 0x0f, 0x05]);
    let protect = Event::Call(Call {
        number: 10,
        ip: CODE + code.len() as u64,
        arguments: vec![from, len, 1],
        ..Call::default()
    });
    let result = played(&start, &code, &[protect]);
    assert!(matches!(result, Err(PlayError::Limit(_))), "{result:?}");
}

#[test]
fn regions_are_checked() {
    let wrong = [
        (0xffff_ffff_ff60_0000, 0xffff_ffff_ff60_1000),
        (0x6000_0001, 0x6000_1000),
        (0x6000_2000, 0x6000_1000),
        (CODE, CODE + 0x1000),
        (0, 0x1000),
        (u64::MAX - 4095, 0),
    ];
    for (from, to) in wrong {
        let mut start = start();
        start.regions.push(Region {
            start: from,
            end: to,
            protection: 3,
            name: String::new(),
        });
        let result = played(&start, &[0xeb, 0xfe], &[]);
        assert!(
            matches!(result, Err(PlayError::Unplayable { .. })),
            "{from:#x}: {result:?}"
        );
    }
}

#[test]
fn writes_outside_of_memory_are_refused() {
    // mov eax, 39; syscall
    let code = [0xb8, 39, 0, 0, 0, 0x0f, 0x05];
    for address in [0, CODE, 0x7000_0000, u64::MAX - 3, 0xffff_8000_0000_0000] {
        let event = Event::Call(Call {
            number: 39,
            ip: CODE + 7,
            writes: vec![Write {
                address,
                bytes: vec![1; 8],
            }],
            ..Call::default()
        });
        let result = played(&start(), &code, &[event]);
        assert!(
            matches!(result, Err(PlayError::Unplayable { .. })),
            "{address:#x}: {result:?}"
        );
    }
}

#[test]
fn mapping_calls_keep_to_the_addresses_of_programs() {
    // mov eax, 9; syscall
    let code = [0xb8, 9, 0, 0, 0, 0x0f, 0x05];
    for result in [0xffff_8000_0000_0000, 0x7fff_ffff_f001, 0x1234] {
        let event = Event::Call(Call {
            number: 9,
            ip: CODE + 7,
            arguments: vec![0, 0],
            result,
            ..Call::default()
        });
        let played = played(&start(), &code, &[event]);
        assert!(
            matches!(played, Err(PlayError::Unplayable { .. })),
            "{result:#x}: {played:?}"
        );
    }
}

#[test]
fn registers_that_no_program_can_have_are_refused() {
    let mut start = start();
    start.state.registers.set_cs(0x10);
    let result = played(&start, &[0xeb, 0xfe], &[]);
    assert!(matches!(result, Err(PlayError::Trace(_))), "{result:?}");
}

#[test]
fn an_end_is_compared() {
    // mov eax, 231; syscall
    let code = [0xb8, 231, 0, 0, 0, 0x0f, 0x05];
    let end = Event::End(End {
        ending: Ending::Exit {
            call: 231,
            status: 0,
        },
        state: State {
            registers: {
                let mut registers = registers();
                registers.set_rip(CODE + 7);
                registers
            },
            extended: vec![],
        },
        unused: (0, 0),
        sums: PageSums::default(),
    });
    let fact = actual(played(&start(), &code, &[end]));
    assert!(matches!(fact, Fact::Register { .. }), "{fact:?}");
}
