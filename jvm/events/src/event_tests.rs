//! Every event reads back as it was written, and no bytes do harm.

use super::*;
use crate::table::{Entry, Method, Site};
use crate::value::{First, Object, ObjectId, Space};
use proptest::prelude::*;

const DESCRIPTOR: &str = "(ZBCSIJFDLjava/lang/Object;)V";
const TYPES: [Type; 9] = [
    Type::Boolean,
    Type::Byte,
    Type::Char,
    Type::Short,
    Type::Int,
    Type::Long,
    Type::Float,
    Type::Double,
    Type::Reference,
];

/// Method 1 and site 1 have a receiver, 2 have none; sites from 10 on are
/// fields, one for each type.
fn tables() -> Tables {
    let mut tables = Tables::default();
    for (id, access, opcode) in [(1, 0, 182), (2, 8, 184)] {
        let (name, descriptor) = ("m".to_owned(), DESCRIPTOR.to_owned());
        let method = Method {
            class: 1,
            access,
            name: name.clone(),
            descriptor: descriptor.clone(),
        };
        tables.add(Entry::Method { id, method }).unwrap();
        let site = Site {
            opcode,
            name,
            descriptor,
            ..Site::default()
        };
        tables.add(Entry::Site { id, site }).unwrap();
    }
    for (id, descriptor) in (10..).zip(["Z", "B", "C", "S", "I", "J", "F", "D", "[I"]) {
        let site = Site {
            opcode: 180,
            descriptor: descriptor.to_owned(),
            ..Site::default()
        };
        tables.add(Entry::Site { id, site }).unwrap();
    }
    tables
}

fn value(ty: Type) -> BoxedStrategy<Value> {
    match ty {
        Type::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        Type::Byte => any::<i8>().prop_map(Value::Byte).boxed(),
        Type::Char => any::<u16>().prop_map(Value::Char).boxed(),
        Type::Short => any::<i16>().prop_map(Value::Short).boxed(),
        Type::Int => any::<i32>().prop_map(Value::Int).boxed(),
        Type::Float => any::<u32>().prop_map(Value::Float).boxed(),
        Type::Double => any::<u64>().prop_map(Value::Double).boxed(),
        Type::Reference => reference().prop_map(Value::Reference).boxed(),
        _ => any::<i64>().prop_map(Value::Long).boxed(),
    }
}

/// References that do not depend on how far the thread has counted.
fn reference() -> impl Strategy<Value = Reference> {
    let space = prop_oneof![
        Just(Space::Outside),
        Just(Space::Inside),
        Just(Space::Array)
    ];
    let object = (space, 0_u64..3, 1..u64::MAX >> 4).prop_map(|(space, thread, number)| {
        Reference::Object(Object {
            space,
            id: ObjectId { thread, number },
            first: None,
        })
    });
    let scalar = (0..8_usize).prop_flat_map(|i| value(TYPES[i]));
    prop_oneof![
        Just(Reference::Null),
        object,
        (1..u32::MAX).prop_map(Reference::Value),
        scalar.prop_map(|value| Reference::Box(value.scalar().unwrap())),
    ]
}

fn arguments() -> impl Strategy<Value = Vec<Value>> {
    TYPES.map(value).to_vec()
}

fn access() -> impl Strategy<Value = Access> {
    (0..9_usize, reference()).prop_flat_map(|(i, receiver)| {
        value(TYPES[i]).prop_map(move |value| Access {
            site: 10 + i as u32,
            receiver: Some(receiver),
            value,
        })
    })
}

fn result() -> impl Strategy<Value = Option<Value>> {
    prop::option::of((0..9_usize).prop_flat_map(|i| value(TYPES[i])))
}

fn events() -> impl Strategy<Value = Event> {
    let array = (0..9_usize, reference(), any::<u32>()).prop_flat_map(|(i, array, from)| {
        prop::collection::vec(value(TYPES[i]), 0..9).prop_map(move |elements| Event::Array {
            array,
            ty: TYPES[i],
            from,
            elements,
        })
    });
    let field = (
        any::<u32>(),
        any::<u32>(),
        (0..9_usize).prop_flat_map(|i| value(TYPES[i])),
    )
        .prop_map(|(class, name, value)| Field { class, name, value });
    let adopt = (reference(), prop::collection::vec(field, 0..5))
        .prop_map(|(object, fields)| Event::Adopt { object, fields });
    prop_oneof![
        (reference(), arguments()).prop_map(|(receiver, arguments)| Event::InCall {
            method: 1,
            receiver: Some(receiver),
            arguments
        }),
        arguments().prop_map(|arguments| Event::InCall {
            method: 2,
            receiver: None,
            arguments
        }),
        result().prop_map(|value| Event::InCallRet { value }),
        (reference(), arguments()).prop_map(|(receiver, arguments)| Event::OutCall {
            site: 1,
            receiver: Some(receiver),
            arguments
        }),
        arguments().prop_map(|arguments| Event::OutCall {
            site: 2,
            receiver: None,
            arguments
        }),
        result().prop_map(|value| Event::OutCallRet { value }),
        access().prop_map(Event::OutRead),
        access().prop_map(Event::OutWrite),
        access().prop_map(Event::InWrite),
        reference().prop_map(|throwable| Event::ExcIn { throwable }),
        reference().prop_map(|throwable| Event::ExcOut { throwable }),
        any::<u32>().prop_map(|site| Event::Touch { site }),
        Just(Event::Touched),
        any::<u64>().prop_map(|objects| Event::Count { objects }),
        Just(Event::Order { after: None }),
        (any::<u64>(), any::<u32>(), any::<u64>()).prop_map(|(since, thread, count)| {
            let after = Some(After {
                since,
                thread,
                count,
            });
            Event::Order { after }
        }),
        any::<u32>().prop_map(|method| Event::Begin { method }),
        any::<bool>().prop_map(|same| Event::Same { same }),
        array,
        adopt,
    ]
}

fn count() -> Count {
    Count { thread: 1, last: 0 }
}

proptest! {
    #[test]
    fn events_round_trip(event in events()) {
        let mut bytes = Vec::new();
        event.write(&mut bytes, &mut count());
        prop_assert_eq!(Event::read(&bytes, &tables(), &mut count()), Ok(event));
    }

    #[test]
    fn any_bytes_are_an_event_or_an_error(kind in 0..16_u8, bytes: Vec<u8>) {
        let tables = tables();
        let _ = Event::read(&bytes, &tables, &mut count());
        let with_kind = [&[kind << 4, 1][..], &bytes].concat();
        let _ = Event::read(&with_kind, &tables, &mut count());
    }
}

#[test]
fn an_object_has_its_class_with_the_first_mention_only() {
    let mention = |number, first| Event::ExcIn {
        throwable: Reference::Object(Object {
            space: Space::Outside,
            id: ObjectId { thread: 1, number },
            first,
        }),
    };
    let first = Some(First {
        class: 7,
        length: 0,
    });
    let said = [mention(1, first), mention(2, first), mention(1, None)];
    let (mut writer, mut reader) = (count(), count());
    let expected: [&[u8]; 3] = [&[0x80, 1, 7], &[0x80, 1, 7], &[0x80, 9]];
    for (event, expected) in said.iter().zip(expected) {
        let mut bytes = Vec::new();
        event.write(&mut bytes, &mut writer);
        assert_eq!(bytes, expected);
        let read = Event::read(&bytes, &tables(), &mut reader);
        assert_eq!(read.as_ref(), Ok(event));
    }
}

#[test]
fn a_small_event_is_small() {
    let mut bytes = Vec::new();
    let value = Some(Value::Int(63));
    Event::OutCallRet { value }.write(&mut bytes, &mut count());
    assert_eq!(bytes, [0x45, 126]);
}
