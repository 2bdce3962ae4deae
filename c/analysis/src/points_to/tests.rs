use super::*;
use crate::annotations::{Annotation, Annotations};
use crate::model::{Call, Function};
use proptest::prelude::*;

fn call(function: FunctionId, callee: Callee, arguments: Vec<Var>, result: Var) -> Call {
    Call {
        result,
        result_bytes: 8,
        ..Call::of(function, callee, arguments)
    }
}

#[test]
fn what_is_stored_comes_out_again() {
    let mut p = Program::default();
    let a = p.object("a", Storage::Global);
    let b = p.object("b", Storage::Global);
    let [pa, pb, got] = [p.var(), p.var(), p.var()];
    p.facts = vec![
        Fact::Load {
            to: got,
            pointer: pa,
        },
        Fact::Store {
            pointer: pa,
            value: pb,
        },
        Fact::Address { to: pa, object: a },
        Fact::Address { to: pb, object: b },
    ];
    let found = solve(&p);
    assert_eq!(found.objects(got), [b]);
    assert_eq!(found.content(a), [b]);
    assert!(!found.is_escaped(a));
}

#[test]
fn calls_through_pointers_are_found() {
    let mut p = Program::default();
    let [parameter, result, pointer, given, got] = [p.var(), p.var(), p.var(), p.var(), p.var()];
    p.functions.push(Function {
        name: "identity".into(),
        defined: true,
        parameters: vec![parameter],
        result,
        ..Function::default()
    });
    let f = p.object("identity", Storage::Function(0));
    let a = p.object("a", Storage::Global);
    p.facts = vec![
        Fact::Address {
            to: pointer,
            object: f,
        },
        Fact::Address {
            to: given,
            object: a,
        },
        Fact::Copy {
            to: result,
            from: parameter,
        },
    ];
    p.calls = vec![call(0, Callee::Indirect(pointer), vec![given], got)];
    let found = solve(&p);
    assert_eq!(found.objects(got), [a]);
    assert_eq!(found.callees(0), [0]);
}

#[test]
fn what_is_given_to_unknown_code_can_come_from_anywhere_there() {
    let mut p = Program::default();
    let libc = Annotations::shipped().unwrap();
    for name in ["keep", "fputs"] {
        p.functions.push(Function {
            name: name.into(),
            annotation: libc.find(name).cloned(),
            ..Function::default()
        });
    }
    let [a, b, c] = ["a", "b", "c"].map(|name| p.object(name, Storage::Global));
    let [pa, pb, pc, got] = [p.var(), p.var(), p.var(), p.var()];
    for (to, object) in [(pa, a), (pb, b), (pc, c)] {
        p.facts.push(Fact::Address { to, object });
    }
    // a holds &b, and a is given away; c is only printed.
    p.facts.push(Fact::Store {
        pointer: pa,
        value: pb,
    });
    p.calls = vec![
        call(0, Callee::Direct(0), vec![pa], got),
        call(0, Callee::Direct(1), vec![pc], NOTHING),
    ];
    let found = solve(&p);
    // Which stands for everything that was given away.
    assert_eq!(found.objects(got), [UNKNOWN]);
    assert!(found.is_escaped(a) && found.is_escaped(b) && !found.is_escaped(c));
    assert_eq!(found.content(b), [UNKNOWN, a, b]);
}

/// A structure with a handle and pointers of the program's, of which the fields are not
/// told apart: what is stored through what is loaded from it does not get into the library.
#[test]
fn what_is_beside_a_handle_does_not_escape() {
    let mut p = Program::default();
    let open = p.var();
    p.functions.push(Function {
        name: "fopen".into(),
        result: open,
        annotation: Some(Annotation {
            handle: true,
            ..Annotation::default()
        }),
        ..Function::default()
    });
    let (file, state) = (
        p.object("file", Storage::Global),
        p.object("state", Storage::Global),
    );
    let inner = p.object("inner", Storage::Global);
    let [to_file, to_state, to_inner, handle, loaded] = [(); 5].map(|()| p.var());
    p.calls = vec![call(0, Callee::Direct(0), vec![], handle)];
    for (to, object) in [(to_file, file), (to_state, state), (to_inner, inner)] {
        p.facts.push(Fact::Address { to, object });
    }
    for value in [handle, to_state] {
        p.facts.push(Fact::Store {
            pointer: to_file,
            value,
        });
    }
    p.facts.push(Fact::Load {
        to: loaded,
        pointer: to_file,
    });
    p.facts.push(Fact::Store {
        pointer: loaded,
        value: to_inner,
    });
    let found = solve(&p);
    assert_eq!(found.objects(loaded), [HANDLE, state]);
    assert_eq!(found.content(state), [inner]);
    assert!(!found.is_escaped(inner) && !found.is_escaped(state));
}

/// A table that nobody can write to holds what it began with: what is stored through a
/// pointer that may point to it is not in it.
#[test]
fn what_nobody_can_change_is_what_it_was() {
    let mut p = Program::default();
    let table = p.object("table", Storage::Constant);
    let text = p.object("text", Storage::Constant);
    let [inner, other] = ["inner", "other"].map(|name| p.object(name, Storage::Global));
    let [pointer, to_inner, to_other, loaded] = [(); 4].map(|()| p.var());
    for (to, object) in [
        (pointer, table),
        (pointer, text),
        (to_inner, inner),
        (to_other, other),
    ] {
        p.facts.push(Fact::Address { to, object });
    }
    p.facts.extend([
        Fact::Begins {
            object: table,
            value: to_inner,
        },
        Fact::Store {
            pointer,
            value: to_other,
        },
        Fact::Load {
            to: loaded,
            pointer,
        },
    ]);
    let found = solve(&p);
    assert_eq!(found.objects(loaded), [inner]);
    assert_eq!(found.content(table), [inner]);
    assert_eq!(found.content(text), []);
}

/// What a function returns of which it is known that it keeps nothing holds pointers of
/// the program, and those do not get into the library before that memory does.
#[test]
fn what_is_stored_in_lent_memory_escapes_with_it() {
    for given_to_unknown in [false, true] {
        let mut p = Program::default();
        for name in ["readdir", "keep"] {
            p.functions.push(Function {
                name: name.into(),
                annotation: (name == "readdir").then(Annotation::default),
                ..Function::default()
            });
        }
        let inner = p.object("inner", Storage::Global);
        let [lent, to_inner, loaded] = [(); 3].map(|()| p.var());
        p.calls = vec![call(0, Callee::Direct(0), vec![], lent)];
        if given_to_unknown {
            p.calls
                .push(call(0, Callee::Direct(1), vec![lent], NOTHING));
        }
        p.facts = vec![
            Fact::Address {
                to: to_inner,
                object: inner,
            },
            Fact::Store {
                pointer: lent,
                value: to_inner,
            },
            Fact::Load {
                to: loaded,
                pointer: lent,
            },
        ];
        let found = solve(&p);
        assert_eq!(found.is_escaped(inner), given_to_unknown);
        match given_to_unknown {
            // Which stands for all that has escaped.
            true => assert!(found.objects(loaded).contains(&UNKNOWN)),
            false => assert_eq!(found.objects(loaded), [LENT, inner]),
        }
    }
}

/// The same by going over all facts until nothing changes.
fn naively(p: &Program) -> Vec<Vec<ObjectId>> {
    let mut has = vec![HashSet::new(); p.vars as usize + p.objects.len()];
    has[p.vars as usize].insert(UNKNOWN);
    has[(p.vars + HANDLE) as usize].insert(HANDLE);
    has[(p.vars + LENT) as usize].insert(LENT);
    has[(p.vars + TABLES) as usize].insert(TABLES);
    loop {
        let before: usize = has.iter().map(HashSet::len).sum();
        for fact in &p.facts {
            let pairs: Vec<(Var, Var)> = match *fact {
                Fact::Address { to, object } => {
                    has[to as usize].insert(object);
                    vec![]
                }
                Fact::Copy { to, from } => vec![(from, to)],
                Fact::Begins { object, value } => vec![(value, p.vars + object)],
                Fact::Load { to, pointer } => {
                    let at = has[pointer as usize].iter();
                    at.map(|o| (p.vars + o, to)).collect()
                }
                Fact::Store { pointer, value } => {
                    let at = has[pointer as usize].iter();
                    at.map(|o| (value, p.vars + o)).collect()
                }
            };
            for (from, to) in pairs {
                let more: Vec<_> = has[from as usize].iter().copied().collect();
                has[to as usize].extend(more);
            }
        }
        if has.iter().map(HashSet::len).sum::<usize>() == before {
            break;
        }
    }
    has.into_iter()
        .map(|set| {
            let mut set: Vec<_> = set.into_iter().collect();
            set.sort_unstable();
            set
        })
        .collect()
}

proptest! {
    #[test]
    fn it_is_what_going_over_all_facts_finds(
        facts in prop::collection::vec((0_u8..4, 1_u32..12, 1_u32..12, 3_u32..9), 0..40)
    ) {
        let mut p = Program { vars: 12, ..Program::default() };
        for name in 0..5 {
            p.object(name.to_string(), Storage::Global);
        }
        p.facts = facts.into_iter().map(|(kind, one, other, object)| match kind {
            // Nobody stores anything in tables.
            0 if object == TABLES => Fact::Address { to: one, object: LENT },
            0 => Fact::Address { to: one, object },
            1 => Fact::Copy { to: one, from: other },
            2 => Fact::Load { to: one, pointer: other },
            _ => Fact::Store { pointer: one, value: other },
        }).collect();
        for edges in [1, 3, EDGES] {
            let found = solve_with(&p, edges);
            for (var, expected) in (0..).zip(naively(&p)) {
                prop_assert_eq!(found.objects(var), &expected[..]);
            }
        }
    }

    /// The same where objects escape, by whatever circles: what escapes is the same, and so
    /// is what other pointers point to.
    #[test]
    fn circles_change_nothing_where_objects_escape(
        facts in prop::collection::vec((0_u8..4, 1_u32..12, 1_u32..12, 4_u32..9), 0..40),
        given_away in prop::collection::vec(1_u32..12, 0..2),
    ) {
        let mut p = Program { vars: 12, given_away, ..Program::default() };
        for name in 0..5 {
            p.object(name.to_string(), Storage::Global);
        }
        p.facts = facts.into_iter().map(|(kind, one, other, object)| match kind {
            0 => Fact::Address { to: one, object },
            1 => Fact::Copy { to: one, from: other },
            2 => Fact::Load { to: one, pointer: other },
            _ => Fact::Store { pointer: one, value: other },
        }).collect();
        let expected = solve(&p);
        for edges in [1, 2, 5] {
            let found = solve_with(&p, edges);
            for object in 4..9 {
                prop_assert_eq!(found.is_escaped(object), expected.is_escaped(object));
            }
            for var in 1..12 {
                // Which stands for all that have escaped, whether they are named or not.
                let named = |all: &PointsTo| -> Vec<ObjectId> {
                    let objects = all.objects(var).iter().copied();
                    let has_unknown = all.objects(var).contains(&UNKNOWN);
                    objects
                        .filter(|one| !has_unknown || !expected.is_escaped(*one))
                        .collect()
                };
                prop_assert_eq!(named(&found), named(&expected));
            }
        }
    }
}
