use super::*;
use crate::annotations::{Annotation, Annotations};
use crate::model::{Call, Function, Move, WORD, Words};
use proptest::prelude::*;
use std::collections::HashMap;

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
            words: Words::First(1),
        },
        Fact::Store {
            pointer: pa,
            value: pb,
            words: Words::First(1),
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
        words: Words::First(1),
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
            words: Words::First(1),
        });
    }
    p.facts.push(Fact::Load {
        to: loaded,
        pointer: to_file,
        words: Words::First(1),
    });
    p.facts.push(Fact::Store {
        pointer: loaded,
        value: to_inner,
        words: Words::First(1),
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
            word: 0,
            value: to_inner,
        },
        Fact::Store {
            pointer,
            value: to_other,
            words: Words::First(1),
        },
        Fact::Load {
            to: loaded,
            pointer,
            words: Words::First(1),
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
                words: Words::First(1),
            },
            Fact::Load {
                to: loaded,
                pointer: lent,
                words: Words::First(1),
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

/// The same by going over all facts until nothing changes, with every word of an object by itself.
fn naively(p: &Program) -> Vec<Vec<ObjectId>> {
    type Word = (ObjectId, u64);
    let words = |object: ObjectId| u64::from(p.objects[object as usize].words);
    let mut has: Vec<HashSet<Word>> = vec![HashSet::new(); p.vars as usize];
    let mut content: HashMap<Word, HashSet<Word>> = HashMap::new();
    for object in [UNKNOWN, HANDLE, LENT, TABLES] {
        content.insert((object, 0), HashSet::from([(object, 0)]));
    }
    let from = |(object, word): Word, meant: Words| -> Vec<Word> {
        let count = match meant {
            Words::First(count) => u64::from(count),
            Words::All => words(object),
        };
        (0..count)
            .map(|next| (object, (word + next) % words(object)))
            .collect()
    };
    let moved = |(object, word): Word, by: Move| -> HashSet<Word> {
        let all = words(object).cast_signed();
        // A pointer is anywhere in its word, and as often as it takes to come round.
        let bytes = 0..WORD.cast_signed();
        let starts = bytes.map(|byte| word.cast_signed() * 8 + byte + by.bytes);
        let times = if by.stride == 0 { 1 } else { all * 8 };
        starts
            .flat_map(|at| (0..times).map(move |time| at + time * by.stride.cast_signed()))
            .map(|at| (object, at.div_euclid(8).rem_euclid(all).cast_unsigned()))
            .collect()
    };
    let size = |has: &[HashSet<Word>], content: &HashMap<Word, HashSet<Word>>| {
        has.iter()
            .chain(content.values())
            .map(HashSet::len)
            .sum::<usize>()
    };
    loop {
        let before = size(&has, &content);
        for fact in &p.facts {
            match *fact {
                Fact::Address { to, object } => {
                    has[to as usize].insert((object, 0));
                }
                Fact::Copy { to, from } => {
                    let more = has[from as usize].clone();
                    has[to as usize].extend(more);
                }
                Fact::Moved { to, from, by } => {
                    let more: Vec<Word> = has[from as usize]
                        .iter()
                        .flat_map(|one| moved(*one, by))
                        .collect();
                    has[to as usize].extend(more);
                }
                Fact::Begins {
                    object,
                    word,
                    value,
                } => {
                    let more = has[value as usize].clone();
                    let word = word % words(object);
                    content.entry((object, word)).or_default().extend(more);
                }
                Fact::Load { to, pointer, words } => {
                    let at: Vec<Word> = has[pointer as usize]
                        .iter()
                        .flat_map(|one| from(*one, words))
                        .collect();
                    for one in at {
                        let more = content.entry(one).or_default().clone();
                        has[to as usize].extend(more);
                    }
                }
                Fact::Store {
                    pointer,
                    value,
                    words,
                } => {
                    let at: Vec<Word> = has[pointer as usize]
                        .iter()
                        .flat_map(|one| from(*one, words))
                        .collect();
                    for one in at {
                        let more = has[value as usize].clone();
                        content.entry(one).or_default().extend(more);
                    }
                }
            }
        }
        if size(&has, &content) == before {
            break;
        }
    }
    for object in 0..p.objects.len() as u32 {
        let all = content.iter().filter(|((of, _), _)| *of == object);
        has.push(all.flat_map(|(_, set)| set).copied().collect());
    }
    has.into_iter()
        .map(|set| {
            let mut set: Vec<_> = set.into_iter().map(|(object, _)| object).collect();
            set.sort_unstable();
            set.dedup();
            set
        })
        .collect()
}

/// Five objects, of one to six words.
fn five_objects(p: &mut Program) {
    for (name, words) in (0..5).zip([1, 2, 3, 4, 6]) {
        p.object_of(name.to_string(), Storage::Global, words);
    }
}

fn any_move() -> impl Strategy<Value = Move> {
    let bytes = prop_oneof![3 => (-6_i64..7).prop_map(|words| 8 * words), 1 => -20_i64..20];
    let stride =
        prop_oneof![3 => Just(0), 2 => (1_u64..7).prop_map(|words| 8 * words), 1 => 0_u64..20];
    (bytes, stride).prop_map(|(bytes, stride)| Move { bytes, stride })
}

fn any_words() -> impl Strategy<Value = Words> {
    prop_oneof![4 => Just(Words::First(1)), 1 => (2_u32..4).prop_map(Words::First), 1 => Just(Words::All)]
}

/// A fact about a few values and the five objects behind the first four.
fn any_fact() -> impl Strategy<Value = Fact> {
    let (one, other) = (1_u32..8, 1_u32..8);
    (0_u8..6, one, other, 4_u32..9, any_move(), any_words()).prop_map(
        |(kind, one, other, object, by, words)| match kind {
            0 => Fact::Address { to: one, object },
            1 => Fact::Copy {
                to: one,
                from: other,
            },
            2 => Fact::Load {
                to: one,
                pointer: other,
                words,
            },
            3 => Fact::Moved {
                to: one,
                from: other,
                by,
            },
            4 => Fact::Begins {
                object,
                word: u64::from(other % 7),
                value: one,
            },
            _ => Fact::Store {
                pointer: one,
                value: other,
                words,
            },
        },
    )
}

/// Memory while facts are executed in some order: what is in it, byte by byte, where a pointer
/// begins.
#[derive(Default)]
struct Machine {
    vars: HashMap<Var, (ObjectId, i64)>,
    memory: HashMap<(ObjectId, i64), (ObjectId, i64)>,
}

impl Machine {
    fn store(&mut self, (object, at): (ObjectId, i64), value: (ObjectId, i64)) {
        // What was there is no pointer any more, or another one.
        self.memory
            .retain(|(other, byte), _| *other != object || (byte - at).abs() >= 8);
        self.memory.insert((object, at), value);
    }

    /// Executes a fact; how often something is repeated, and which word is meant, is decided
    /// elsewhere. What begins holds it from the beginning.
    fn execute(&mut self, fact: &Fact, times: i64) {
        let value = |all: &Self, var: Var| all.vars.get(&var).copied();
        match *fact {
            Fact::Address { to, object } => {
                self.vars.insert(to, (object, 0));
            }
            Fact::Copy { to, from } => {
                if let Some(from) = value(self, from) {
                    self.vars.insert(to, from);
                }
            }
            Fact::Moved { to, from, by } => {
                if let Some((object, at)) = value(self, from) {
                    let at = at + by.bytes + times * by.stride.cast_signed();
                    self.vars.insert(to, (object, at));
                }
            }
            Fact::Load { to, pointer, words } => {
                let Some((object, at)) = value(self, pointer) else {
                    return;
                };
                let at = match words {
                    // Aligned, as whoever says how many words has found out.
                    Words::First(_) if at % 8 != 0 => return,
                    Words::First(count) => at + 8 * times.rem_euclid(i64::from(count)),
                    Words::All => at + times,
                };
                if let Some(found) = self.memory.get(&(object, at)) {
                    self.vars.insert(to, *found);
                }
            }
            Fact::Store {
                pointer,
                value: what,
                words,
            } => {
                let (Some((object, at)), Some(what)) = (value(self, pointer), value(self, what))
                else {
                    return;
                };
                let at = match words {
                    Words::First(_) if at % 8 != 0 => return,
                    Words::First(count) => at + 8 * times.rem_euclid(i64::from(count)),
                    Words::All => at + times,
                };
                self.store((object, at), what);
            }
            Fact::Begins { .. } => {}
        }
    }
}

/// Six words, each of which points elsewhere: what is found where a pointer to the first is
/// moved.
#[test]
fn where_a_moved_pointer_points() {
    let any: &[u32] = &[0, 1, 2, 3, 4, 5];
    for (bytes, stride, words, expected) in [
        (0, 0, Words::First(1), &[0][..]),
        (16, 0, Words::First(1), &[2]),
        (-8, 0, Words::First(1), &[5]),
        (56, 0, Words::First(1), &[1]),
        (12, 0, Words::First(1), &[1, 2]),
        (-4, 0, Words::First(1), &[0, 5]),
        (8, 16, Words::First(1), &[1, 3, 5]),
        (8, 24, Words::First(1), &[1, 4]),
        (8, 32, Words::First(1), &[1, 3, 5]),
        (8, 48, Words::First(1), &[1]),
        (8, 40, Words::First(1), any),
        (8, 8, Words::First(1), any),
        (0, 4, Words::First(1), any),
        (0, 12, Words::First(1), any),
        (24, 0, Words::First(2), &[3, 4]),
        (40, 0, Words::First(2), &[0, 5]),
        (40, 0, Words::First(6), any),
        (40, 0, Words::All, any),
    ] {
        let mut p = Program::default();
        let object = p.object_of("object", Storage::Global, 6);
        let [pointer, moved, loaded] = [(); 3].map(|()| p.var());
        let by = Move { bytes, stride };
        p.facts = vec![
            Fact::Address {
                to: pointer,
                object,
            },
            Fact::Moved {
                to: moved,
                from: pointer,
                by,
            },
            Fact::Load {
                to: loaded,
                pointer: moved,
                words,
            },
        ];
        let mut held = Vec::new();
        for word in 0..6 {
            let (object, value) = (p.object(word.to_string(), Storage::Global), p.var());
            p.facts.push(Fact::Address { to: value, object });
            p.facts.push(Fact::Begins {
                object: 4,
                word,
                value,
            });
            held.push(object);
        }
        let expected: Vec<ObjectId> = expected.iter().map(|word| held[*word as usize]).collect();
        assert_eq!(solve(&p).objects(loaded), expected, "{by:?} {words:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn it_is_what_going_over_all_facts_finds(facts in prop::collection::vec(any_fact(), 0..40)) {
        let mut p = Program { vars: 8, facts, ..Program::default() };
        five_objects(&mut p);
        let expected = naively(&p);
        for edges in [1, 3, EDGES] {
            let found = solve_with(&p, edges);
            for (var, expected) in (0..).zip(&expected) {
                prop_assert_eq!(found.objects(var), &expected[..], "{}", var);
            }
        }
    }

    /// Whatever is executed how often in whichever order: pointers point to what was found,
    /// also where they are moved out of their object and back, and where they are read from
    /// between two words.
    #[test]
    fn pointers_of_a_run_are_among_those_that_were_found(
        facts in prop::collection::vec(any_fact(), 1..20),
        executed in prop::collection::vec((any::<prop::sample::Index>(), -9_i64..9), 0..200),
    ) {
        let mut p = Program { vars: 8, facts, ..Program::default() };
        five_objects(&mut p);
        let found = solve(&p);
        let mut machine = Machine::default();
        for (which, times) in executed {
            machine.execute(which.get(&p.facts), times);
            for (var, (object, _)) in &machine.vars {
                prop_assert!(found.objects(*var).contains(object), "{} of {}", object, var);
            }
        }
    }

    /// The same where objects escape, by whatever circles: what escapes is the same, and so
    /// is what other pointers point to.
    #[test]
    fn circles_change_nothing_where_objects_escape(
        facts in prop::collection::vec(any_fact(), 0..40),
        given_away in prop::collection::vec(1_u32..8, 0..2),
    ) {
        let mut p = Program { vars: 8, given_away, facts, ..Program::default() };
        five_objects(&mut p);
        let expected = solve(&p);
        for edges in [1, 2, 5] {
            let found = solve_with(&p, edges);
            for object in 4..9 {
                prop_assert_eq!(found.is_escaped(object), expected.is_escaped(object));
            }
            for var in 1..8 {
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
