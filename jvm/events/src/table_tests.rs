//! Every entry reads back as it was written, and no bytes do harm.

use super::*;
use proptest::prelude::*;

fn entries() -> impl Strategy<Value = Entry> {
    let class =
        (any::<u32>(), any::<bool>(), any::<String>()).prop_map(|(loader, inside, name)| Class {
            loader,
            inside,
            name,
        });
    let constant = prop_oneof![
        any::<Vec<u16>>().prop_map(Constant::String),
        any::<Vec<u8>>()
            .prop_map(|chars| Constant::String(chars.into_iter().map(u16::from).collect())),
        any::<u32>().prop_map(Constant::Class),
        (any::<u32>(), any::<String>()).prop_map(|(class, name)| Constant::Enum { class, name }),
        (any::<u32>(), any::<String>()).prop_map(|(class, text)| Constant::Text { class, text }),
    ];
    prop_oneof![
        (any::<u32>(), any::<String>()).prop_map(|(id, name)| Entry::Loader { id, name }),
        (any::<u32>(), class).prop_map(|(id, class)| Entry::Class { id, class }),
        (
            any::<u32>(),
            any::<u32>(),
            any::<u16>(),
            any::<String>(),
            any::<String>()
        )
            .prop_map(|(id, class, access, name, descriptor)| Entry::Method {
                id,
                method: Method {
                    class,
                    access,
                    name,
                    descriptor
                }
            }),
        (any::<[u32; 4]>(), any::<u8>(), any::<[String; 3]>()).prop_map(
            |([id, method, offset, line], opcode, [owner, name, descriptor])| Entry::Site {
                id,
                site: Site {
                    method,
                    offset,
                    line,
                    opcode,
                    owner,
                    name,
                    descriptor
                }
            }
        ),
        (any::<u32>(), any::<Vec<u8>>()).prop_map(|(class, bytes)| Entry::Bytes { class, bytes }),
        (any::<u32>(), constant).prop_map(|(id, constant)| Entry::Value { id, constant }),
        any::<[String; 2]>()
            .prop_map(|[module, package]| Entry::Exported(Exported { module, package })),
        any::<[String; 3]>().prop_map(|[class, method, why]| Entry::Skipped(Skipped {
            class,
            method,
            why
        })),
        (
            any::<(u32, u16, String, Vec<String>)>(),
            declared(),
            declared()
        )
            .prop_map(
                |((class, access, superclass, interfaces), fields, methods)| Entry::Shape {
                    class,
                    shape: Shape {
                        access,
                        superclass,
                        interfaces,
                        fields,
                        methods
                    }
                }
            ),
    ]
}

fn declared() -> impl Strategy<Value = Vec<Declared>> {
    let one = any::<(u16, String, String)>().prop_map(|(access, name, descriptor)| Declared {
        access,
        name,
        descriptor,
    });
    proptest::collection::vec(one, 0..4)
}

proptest! {
    #[test]
    fn entries_round_trip(entry in entries()) {
        prop_assert_eq!(Entry::read(&entry.write()), Ok(entry));
    }

    #[test]
    fn any_bytes_are_an_entry_or_an_error(bytes: Vec<u8>) {
        let _ = Entry::read(&bytes);
    }

    #[test]
    fn any_text_is_a_descriptor_or_an_error(text: String) {
        let _ = Signature::parse(&text, false);
    }
}

#[test]
fn descriptors_have_types() {
    let signature = Signature::parse("(I[[JLjava/lang/String;D)[Z", true).unwrap();
    assert_eq!(
        signature.parameters,
        [Type::Int, Type::Reference, Type::Reference, Type::Double]
    );
    assert_eq!(signature.result, Type::Reference);
    assert_eq!(Signature::parse("J", true).unwrap().result, Type::Long);
    for bad in ["", "(", "()", "(L)V", "()Lx", "II", "[", "()VV"] {
        assert!(Signature::parse(bad, true).is_err(), "{bad}");
    }
}
