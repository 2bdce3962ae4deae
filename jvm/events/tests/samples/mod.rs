//! One of each kind of table entry and event.

use std::collections::HashMap;
use std::fmt::Write as _;

use reprise_jvm_events::event::{Access, After, Event};
use reprise_jvm_events::table::{Class, Constant, Entry, Exported, Method, Site, Skipped};
use reprise_jvm_events::value::{
    Count, First, Object, ObjectId, Reference, Scalar, Space, Type, Value,
};

fn class(id: u32, inside: bool, name: &str) -> Entry {
    let class = Class {
        loader: 1,
        inside,
        name: name.to_owned(),
    };
    Entry::Class { id, class }
}

fn method(id: u32, access: u16, name: &str, descriptor: &str) -> Entry {
    let method = Method {
        class: 1,
        access,
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    };
    Entry::Method { id, method }
}

fn site(id: u32, opcode: u8, name: &str, descriptor: &str) -> Entry {
    let site = Site {
        method: 1,
        offset: id * 7,
        line: 10 + id,
        opcode,
        owner: "b/Out".to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    };
    Entry::Site { id, site }
}

fn value(id: u32, constant: Constant) -> Entry {
    Entry::Value { id, constant }
}

fn tables() -> Vec<Entry> {
    vec![
        Entry::Loader {
            id: 1,
            name: "a/Loader".to_owned(),
        },
        class(1, true, "a/In"),
        class(2, false, "b/Out"),
        class(3, false, "[I"),
        method(1, 0, "all", "(ZBCSIJFDLjava/lang/Object;)V"),
        method(2, 8, "make", "()Ljava/lang/Object;"),
        site(1, 182, "take", "(I)J"),
        site(2, 180, "field", "I"),
        site(3, 179, "shared", "Ljava/lang/String;"),
        site(4, 187, "", "V"),
        site(5, 192, "", "V"),
        site(6, 18, "computed", "()J"),
        Entry::Bytes {
            class: 1,
            bytes: vec![0xca, 0xfe, 0xba, 0xbe],
        },
        value(1, Constant::String("tea".encode_utf16().collect())),
        value(2, Constant::String(vec![0x3b1, 0xd800])),
        value(3, Constant::Class(2)),
        value(
            4,
            Constant::Enum {
                class: 2,
                name: "RED".to_owned(),
            },
        ),
        value(
            5,
            Constant::Text {
                class: 2,
                text: "12.5".to_owned(),
            },
        ),
        Entry::Skipped(Skipped {
            class: "a/In".to_owned(),
            method: "huge()V".to_owned(),
            why: "it is too long".to_owned(),
        }),
        Entry::Exported(Exported {
            module: "java.base".to_owned(),
            package: "sun.nio.ch".to_owned(),
        }),
    ]
}

fn object(space: Space, thread: u64, number: u64, first: Option<(u32, u32)>) -> Reference {
    let first = first.map(|(class, length)| First { class, length });
    let id = ObjectId { thread, number };
    Reference::Object(Object { space, id, first })
}

fn events() -> Vec<(u64, Event)> {
    let new_in = object(Space::Inside, 1, 1, Some((1, 0)));
    let old_in = object(Space::Inside, 1, 1, None);
    let new_out = object(Space::Outside, 1, 2, Some((2, 0)));
    let old_out = object(Space::Outside, 1, 2, None);
    let array = object(Space::Array, 1, 3, Some((3, 2)));
    let arguments = vec![
        Value::Boolean(true),
        Value::Byte(-1),
        Value::Char(0x41),
        Value::Short(-300),
        Value::Int(-70_000),
        Value::Long(1 << 40),
        Value::Float(1.5_f32.to_bits()),
        Value::Double((-0.25_f64).to_bits()),
        Value::Reference(new_out),
    ];
    let boxed = Scalar {
        ty: Type::Int,
        bits: 7,
    };
    let in_call = Event::InCall {
        method: 1,
        receiver: Some(new_in),
        arguments,
    };
    let out_call = |site, receiver, arguments| Event::OutCall {
        site,
        receiver,
        arguments,
    };
    let access = |site, receiver, value| Access {
        site,
        receiver,
        value,
    };
    let here = [
        in_call,
        out_call(1, Some(old_out), vec![Value::Int(3)]),
        Event::InCall {
            method: 2,
            receiver: None,
            arguments: Vec::new(),
        },
        Event::ExcOut { throwable: old_out },
        Event::OutCallRet {
            value: Some(Value::Long(-1)),
        },
        out_call(6, None, Vec::new()),
        Event::ExcIn {
            throwable: Reference::Null,
        },
        Event::OutRead(access(2, Some(old_out), Value::Int(5))),
        Event::OutWrite(access(3, None, Value::Reference(Reference::Value(1)))),
        Event::Touch { site: 4 },
        Event::InWrite(access(2, Some(old_in), Value::Int(6))),
        Event::Touched,
        Event::Touch { site: 5 },
        Event::ExcIn { throwable: old_out },
        Event::Array {
            array,
            ty: Type::Int,
            from: 0,
            elements: vec![Value::Int(1), Value::Int(-1)],
        },
        Event::Count { objects: 3 },
        Event::Order { after: None },
        Event::Same { same: false },
        Event::Same { same: true },
        Event::Order {
            after: Some(After {
                since: 2,
                thread: 2,
                count: 300,
            }),
        },
        Event::Begin { method: 2 },
        Event::InCallRet { value: None },
    ];
    let there = [
        Reference::Value(2),
        Reference::Value(3),
        Reference::Value(4),
        Reference::Value(5),
        Reference::Box(boxed),
        old_in,
    ];
    let there = there.map(|reference| Event::InCallRet {
        value: Some(Value::Reference(reference)),
    });
    let here = here.into_iter().map(|event| (1, event));
    here.chain(there.into_iter().map(|event| (2, event)))
        .collect()
}

/// All of them, as the golden file has them.
pub(crate) fn hex() -> String {
    let mut text = String::new();
    let mut line = |head: &str, bytes: &[u8]| {
        text += head;
        for byte in bytes {
            write!(text, "{byte:02x}").unwrap();
        }
        text += "\n";
    };
    for entry in tables() {
        line("T ", &entry.write());
    }
    let mut counts = HashMap::new();
    for (thread, event) in events() {
        let count = counts.entry(thread).or_insert(Count { thread, last: 0 });
        let mut bytes = Vec::new();
        event.write(&mut bytes, count);
        line(&format!("E {thread} "), &bytes);
    }
    text
}
