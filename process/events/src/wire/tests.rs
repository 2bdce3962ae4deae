use super::*;
use crate::event::{Position, Region, Registers, State, Thread, Threads, Write};
use crate::view::View;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn registers() -> impl Strategy<Value = Registers> {
    vec(any::<u64>(), 27).prop_map(|words| Registers(words.try_into().unwrap()))
}

fn state() -> impl Strategy<Value = State> {
    (registers(), any::<Vec<u8>>()).prop_map(|(registers, extended)| State {
        registers,
        extended,
    })
}

fn written() -> impl Strategy<Value = Write> {
    (any::<u64>(), any::<Vec<u8>>()).prop_map(|(address, bytes)| Write { address, bytes })
}

fn position() -> impl Strategy<Value = Position> {
    prop_oneof![
        Just(Position::AfterEvent),
        Just(Position::AtCall),
        Just(Position::AtFault)
    ]
}

fn region() -> impl Strategy<Value = Region> {
    any::<(u64, u64, u32, String)>().prop_map(|(start, end, protection, name)| Region {
        start,
        end,
        protection,
        name,
    })
}

fn thread() -> impl Strategy<Value = Thread> {
    (any::<(u32, bool)>(), state()).prop_map(|((number, called), state)| Thread {
        number,
        state,
        called,
    })
}

fn view() -> impl Strategy<Value = View> {
    any::<(u64, u64, u32, u64)>().prop_map(|(start, end, object, offset)| View {
        start,
        end,
        object,
        offset,
    })
}

fn threads() -> impl Strategy<Value = Threads> {
    let others = vec(thread(), 0..3);
    (any::<u32>(), others).prop_map(|(running, others)| Threads { running, others })
}

fn call() -> impl Strategy<Value = Call> {
    let numbers = any::<(u64, u64, Vec<u64>, Option<u32>, u64)>();
    let more = (
        vec(written(), 0..4),
        option::of(registers()),
        any::<Option<u32>>(),
    );
    (numbers, more).prop_map(
        |((number, ip, arguments, read, result), (writes, registers, map))| Call {
            number,
            ip,
            arguments,
            read,
            result,
            writes,
            registers: registers.map(Box::new),
            content: map.map(|map| Content { map }),
        },
    )
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        any::<(u64, u64)>().prop_map(|(call, status)| Ending::Exit { call, status }),
        (any::<u32>(), position()).prop_map(|(number, at)| Ending::Signal { number, at }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (
            state(),
            any::<u64>(),
            vec(region(), 0..4),
            option::of(threads()),
            vec(view(), 0..3)
        )
            .prop_map(|(state, brk, regions, threads, views)| {
                Event::Start(Start {
                    state,
                    brk,
                    regions,
                    threads,
                    views,
                })
            }),
        thread().prop_map(Event::Thread),
        (position(), any::<u32>()).prop_map(|(at, thread)| Event::Switch(Switch { at, thread })),
        (any::<(u64, u64)>(), vec(written(), 0..4))
            .prop_map(|((ip, status), writes)| { Event::Exit(Exit { ip, status, writes }) }),
        call().prop_map(Event::Call),
        state().prop_map(|state| Event::Pause(Pause { state })),
        vec(written(), 0..4).prop_map(Event::Changed),
        vec(view(), 0..4).prop_map(Event::Views),
        (any::<u64>(), registers())
            .prop_map(|(ip, registers)| { Event::Answer(Box::new(Answer { ip, registers })) }),
        (position(), any::<(u32, u64)>(), written(), state()).prop_map(
            |(at, (number, ip), frame, state)| Event::Signal(Signal {
                at,
                number,
                ip,
                frame,
                state
            })
        ),
        (any::<u64>(), state()).prop_map(|(ip, state)| Event::Sigreturn(Sigreturn { ip, state })),
        any::<(u64, u64, Option<u32>)>().prop_map(|(ip, value, processor)| Event::Tsc(Tsc {
            ip,
            value,
            processor
        })),
        (
            ending(),
            state(),
            any::<(u64, u64)>(),
            any::<Vec<(u64, Vec<u32>)>>()
        )
            .prop_map(|(ending, state, unused, runs)| {
                Event::End(End {
                    ending,
                    state,
                    unused,
                    sums: PageSums { runs },
                })
            }),
    ]
}

proptest! {
    #[test]
    fn events_round_trip(event in event()) {
        let mut bytes = Vec::new();
        write(&event, &mut bytes);
        prop_assert_eq!(read(&bytes), Ok(event));
    }

    #[test]
    fn a_part_of_an_event_is_none(event in event(), cut in 0.0..1.0) {
        let mut bytes = Vec::new();
        write(&event, &mut bytes);
        let len = (bytes.len() as f64 * cut) as usize;
        prop_assert!(read(&bytes[..len]).is_err());
    }

    #[test]
    fn any_bytes_end(bytes: Vec<u8>) {
        let _ = read(&bytes);
    }
}

#[test]
fn a_call_is_short() {
    let call = Event::Call(Call {
        number: 0,
        ip: 0x7fff_0000_1234,
        arguments: vec![3, 64],
        result: (-11i64).cast_unsigned(),
        ..Call::default()
    });
    let mut bytes = Vec::new();
    write(&call, &mut bytes);
    let expected = [
        2, 0, 0x34, 0x12, 0, 0, 0xff, 0x7f, 0, 0, 2, 3, 64, 0, 21, 0, 0, 0,
    ];
    assert_eq!(bytes, expected);
}

proptest! {
    #[test]
    fn places_come_back(event: u64, count: u64) {
        let place = Place { event, count };
        let mut bytes = Vec::new();
        write_place(place, &mut bytes);
        prop_assert_eq!(read_place(&bytes), Ok(place));
        prop_assert!(read_place(&bytes[1..]) != Ok(place));
    }
}
