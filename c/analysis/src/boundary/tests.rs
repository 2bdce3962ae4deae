use super::*;
use crate::model::{Access, Call, Callee, Fact, Function, Words};
use crate::points_to::solve;
use proptest::prelude::*;

fn function(program: &mut Program, name: &str, defined: bool) -> FunctionId {
    let result = program.var();
    program.functions.push(Function {
        name: name.into(),
        defined,
        result,
        annotation: (!defined).then(Default::default),
        ..Function::default()
    });
    program.functions.len() as u32 - 1
}

fn call(program: &mut Program, function: FunctionId, callee: FunctionId, times: u64, bytes: u64) {
    program.calls.push(Call {
        result_bytes: bytes,
        times,
        ..Call::of(function, Callee::Direct(callee), vec![])
    });
}

fn access(program: &mut Program, function: FunctionId, pointer: Var, times: u64, write: bool) {
    program.accesses.push(Access {
        function,
        pointer,
        bytes: 4 * times,
        times,
        executed: times,
        write,
        met: None,
    });
}

/// The paper's Figure 2: `f` has `cnt`, `g` adds to it what `random` returns.
fn figure_2() -> (Program, FunctionId, FunctionId, ObjectId) {
    let mut p = Program::default();
    let f = function(&mut p, "f", true);
    let g = function(&mut p, "g", true);
    let random = function(&mut p, "random", false);
    let cnt = p.object("cnt", Storage::Stack(f));
    let to = p.var();
    p.facts.push(Fact::Address { to, object: cnt });
    access(&mut p, f, to, 1, true);
    access(&mut p, f, to, 2, false);
    access(&mut p, g, to, 2, false);
    access(&mut p, g, to, 2, true);
    call(&mut p, f, g, 2, 0);
    call(&mut p, g, random, 2, 4);
    (p, f, g, cnt)
}

#[test]
fn both_cuts_of_the_paper() {
    let (p, f, g, cnt) = figure_2();
    let points_to = solve(&p);
    let first = find(&p, &points_to, &[f], Choice::Cheapest).unwrap();
    assert!(first.functions[f as usize] && first.functions[g as usize]);
    assert!(first.objects[cnt as usize]);
    assert_eq!((first.bytes(), first.events()), (8, 2));
    let second = find(&p, &points_to, &[f], Choice::Naive).unwrap();
    assert!(second.functions[f as usize] && !second.functions[g as usize]);
    assert!(!second.objects[cnt as usize]);
    assert_eq!((second.bytes(), second.events()), (8, 4));
}

#[test]
fn what_cannot_be_inside_is_not() {
    let (mut p, f, g, _) = figure_2();
    let place = Place {
        file: "g.c".into(),
        line: 7,
    };
    p.functions[g as usize].refused = Some(("it has inline assembly".into(), place));
    let points_to = solve(&p);
    let found = find(&p, &points_to, &[f], Choice::Cheapest).unwrap();
    assert!(!found.functions[g as usize]);
    let wrong = find(&p, &points_to, &[g], Choice::Cheapest).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "g cannot be recorded: it has inline assembly (g.c:7)"
    );
}

/// Who jumps between functions by memory of the program can be inside; where a library may
/// have that memory, nobody who jumps can be.
#[test]
fn jumps_are_followed_by_the_program_s_own_memory() {
    for given_away in [false, true] {
        let (mut p, f, g, _) = figure_2();
        let buffer = p.object("buffer", Storage::Global);
        let to = p.var();
        p.facts.push(Fact::Address { to, object: buffer });
        let place = Place {
            file: "g.c".into(),
            line: 9,
        };
        p.functions[g as usize].jumps.push((Some(to), place));
        if given_away {
            p.given_away.push(to);
        }
        let points_to = solve(&p);
        let found = find(&p, &points_to, &[f], Choice::Whole).unwrap();
        assert_eq!(found.follows_jumps, !given_away);
        assert_eq!(found.functions[g as usize], !given_away);
        let target = find(&p, &points_to, &[g], Choice::Naive);
        match given_away {
            true => assert_eq!(
                target.unwrap_err().to_string(),
                "g cannot be recorded: it jumps between functions, by memory that a library may \
                 have (g.c:9)"
            ),
            false => assert!(target.unwrap().functions[g as usize]),
        }
    }
}

proptest! {
    #[test]
    fn no_boundary_is_cheaper_and_no_inside_object_is_written_outside(
        accesses in prop::collection::vec((0_u32..5, 0_u32..4, 1_u64..20, any::<bool>()), 0..25),
        calls in prop::collection::vec((0_u32..5, 0_u32..6, 1_u64..9, 0_u64..9), 0..12),
        others in prop::collection::vec(any::<bool>(), 5),
    ) {
        let mut p = Program::default();
        for name in 0..5 {
            function(&mut p, &name.to_string(), true);
        }
        function(&mut p, "world", false);
        let pointers: Vec<(Var, ObjectId)> = (0..4).map(|name| {
            let storage = match name {
                0..2 => Storage::Global,
                owner => Storage::Stack(owner),
            };
            let object = p.object(name.to_string(), storage);
            let to = p.var();
            p.facts.push(Fact::Address { to, object });
            (to, object)
        }).collect();
        for (function, object, times, write) in &accesses {
            access(&mut p, *function, pointers[*object as usize].0, *times, *write);
        }
        for (caller, callee, times, bytes) in calls {
            if caller != callee {
                call(&mut p, caller, callee, times, bytes);
            }
        }
        let points_to = solve(&p);
        // What has never crossed weighs less than a byte in all.
        let cost = |one: &Boundary| {
            let bytes = one.bytes() + graph::EVENT * one.events();
            bytes + (graph::CHECK * one.looked_at) / graph::SCALE
        };
        let found = find(&p, &points_to, &[0], Choice::Cheapest).unwrap();
        prop_assert!(found.functions[0]);
        // Any other set of functions with the target makes a naive boundary.
        let mut targets = vec![0];
        targets.extend((1..5).filter(|one| others[*one as usize]));
        let other = find(&p, &points_to, &targets, Choice::Naive).unwrap();
        prop_assert!(cost(&found) <= cost(&other) + 1, "{found:?}\n{other:?}");
        for (function, object, _, write) in accesses {
            if write && found.objects[pointers[object as usize].1 as usize] {
                prop_assert!(found.functions[function as usize]);
            }
        }
    }
}

/// A loop asks the world and calls one of two functions through a pointer, the target
/// rarely. How often it is called decides on which side the loop is.
#[test]
fn whom_a_pointer_has_called_counts() {
    let mut p = Program::default();
    let serve = function(&mut p, "serve", true);
    let rarely = function(&mut p, "rarely", true);
    let often = function(&mut p, "often", true);
    let world = function(&mut p, "world", false);
    let pointer = p.var();
    for callee in [rarely, often] {
        p.functions[callee as usize].parameters = vec![p.var(), p.var()];
        let object = p.object("a function", Storage::Function(callee));
        p.facts.push(Fact::Address {
            to: pointer,
            object,
        });
    }
    call(&mut p, serve, world, 100, 8);
    call(&mut p, serve, rarely, 100, 0);
    p.calls[1].callee = Callee::Indirect(pointer);
    // Nobody has counted: it could be the target each time.
    let points_to = solve(&p);
    let found = find(&p, &points_to, &[rarely], Choice::Cheapest).unwrap();
    assert!(found.functions[serve as usize]);
    let naive = find(&p, &points_to, &[rarely], Choice::Naive).unwrap();
    assert_eq!((naive.bytes(), naive.events()), (1600, 100));
    p.calls[1].called = Some(vec![(Some(rarely), 2), (Some(often), 98)]);
    let points_to = solve(&p);
    let found = find(&p, &points_to, &[rarely], Choice::Cheapest).unwrap();
    assert!(!found.functions[serve as usize]);
    assert_eq!((found.bytes(), found.events()), (32, 2));
}

/// Calls of libraries through a pointer count as often as there were any.
#[test]
fn what_is_called_of_libraries_through_a_pointer_counts() {
    let mut p = Program::default();
    let f = function(&mut p, "f", true);
    let pointer = p.var();
    p.facts.push(Fact::Address {
        to: pointer,
        object: UNKNOWN,
    });
    call(&mut p, f, f, 50, 8);
    p.calls[0].callee = Callee::Indirect(pointer);
    let events = |p: &Program| {
        let found = find(p, &solve(p), &[f], Choice::Cheapest).unwrap();
        (found.bytes(), found.events())
    };
    assert_eq!(events(&p), (400, 50));
    p.calls[0].called = Some(vec![(None, 3)]);
    assert_eq!(events(&p), (24, 3));
}

/// A function is given something of the program by a function of a library.
fn given(p: &mut Program, function: FunctionId, callee: FunctionId, pointer: Var, result: Var) {
    p.calls.push(Call {
        result,
        ..Call::of(function, Callee::Direct(callee), vec![pointer])
    });
}

#[test]
fn to_look_into_tables_of_the_library_costs_nothing() {
    let mut p = Program::default();
    let f = function(&mut p, "f", true);
    let tables = function(&mut p, "__ctype_b_loc", false);
    let shipped = crate::annotations::Annotations::shipped().unwrap();
    p.functions[tables as usize].annotation = shipped.find("__ctype_b_loc").cloned();
    let (at, table) = (p.var(), p.var());
    given(&mut p, f, tables, crate::model::NOTHING, at);
    p.facts.push(Fact::Load {
        to: table,
        pointer: at,
        words: Words::First(1),
    });
    access(&mut p, f, at, 100, false);
    access(&mut p, f, table, 100, false);
    let found = find(&p, &solve(&p), &[f], Choice::Cheapest).unwrap();
    assert_eq!(found.events(), 0, "{:?}", found.flows);
    // Still nobody knows it to be inside: it is looked at while the program runs.
    assert!(!found.is_inside(&solve(&p), table));
}

#[test]
fn what_is_beside_a_mutex_is_inside_if_only_the_inside_takes_it() {
    let mut p = Program::default();
    let f = function(&mut p, "f", true);
    let g = function(&mut p, "g", true);
    let [lock, once] = ["pthread_mutex_lock", "pthread_once"].map(|name| {
        let id = function(&mut p, name, false);
        let shipped = crate::annotations::Annotations::shipped().unwrap();
        p.functions[id as usize].annotation = shipped.find(name).cloned();
        id
    });
    let queue = p.object("queue", Storage::Global);
    let to = p.var();
    p.facts.push(Fact::Address { to, object: queue });
    access(&mut p, f, to, 100, false);
    given(&mut p, f, lock, to, crate::model::NOTHING);
    let is_inside = |p: &Program| {
        let found = find(p, &solve(p), &[f], Choice::Naive).unwrap();
        found.objects[queue as usize]
    };
    assert!(is_inside(&p));
    let mut by_another = p.clone();
    given(&mut by_another, g, lock, to, crate::model::NOTHING);
    assert!(!is_inside(&by_another));
    // Of this nobody knows how long it is.
    let mut with_once = p.clone();
    with_once.varying.push(to);
    given(&mut with_once, f, once, to, crate::model::NOTHING);
    assert!(!is_inside(&with_once));
}

#[test]
fn who_may_read_texts_of_the_system_reads_its_own_memory() {
    let mut p = Program::default();
    let f = function(&mut p, "f", true);
    let own = p.object("own", Storage::Global);
    let arguments = p.object("arguments of the program", Storage::Variable);
    let (both, text) = (p.var(), p.var());
    for (to, object) in [(both, own), (both, arguments), (text, arguments)] {
        p.facts.push(Fact::Address { to, object });
    }
    access(&mut p, f, both, 100, false);
    access(&mut p, f, text, 3, false);
    let points_to = solve(&p);
    let found = find(&p, &points_to, &[f], Choice::Cheapest).unwrap();
    assert_eq!(found.events(), 3, "{:?}", found.flows);
    // It is looked at while the program runs all the same.
    assert!(!found.is_inside(&points_to, both));
    // Of which it is looked at first whether it is inside: of the text that would be in vain.
    assert!(found.may_be_inside(&points_to, both));
    assert!(!found.may_be_inside(&points_to, text));
    let unknown = 1_000_000;
    assert!(found.may_be_inside(&points_to, unknown));
}

/// What is read into one of many buffers is logged once, and so it counts once.
#[test]
fn what_is_filled_counts_once() {
    let mut p = Program::default();
    let f = function(&mut p, "f", true);
    let g = function(&mut p, "g", true);
    let read = function(&mut p, "read", false);
    let shipped = crate::annotations::Annotations::shipped().unwrap();
    p.functions[read as usize].annotation = shipped.find("read").cloned();
    let to = p.var();
    for name in 0..9 {
        let object = p.object(name.to_string(), Storage::Global);
        p.facts.push(Fact::Address { to, object });
    }
    p.calls.push(Call {
        moved: 100,
        ..Call::of(g, Callee::Direct(read), vec![crate::model::NOTHING, to])
    });
    access(&mut p, f, to, 50, false);
    let found = find(&p, &solve(&p), &[f], Choice::Cheapest).unwrap();
    assert!(found.functions[g as usize], "{:?}", found.flows);
    assert_eq!(found.bytes(), 100);
}

/// A function that returns little and reads outside memory often, which never changes, is inside
/// or not by how often that is looked at.
#[test]
fn what_is_looked_at_costs_something() {
    let is_inside = |executed: u64, writes: bool| {
        let mut p = Program::default();
        let f = function(&mut p, "f", true);
        let g = function(&mut p, "g", true);
        let h = function(&mut p, "h", true);
        let shared = p.object("shared", Storage::Global);
        let to = p.var();
        p.facts.push(Fact::Address { to, object: shared });
        // Whoever writes to it is never inside.
        let place = Place::default();
        p.functions[h as usize].refused = Some(("it has inline assembly".into(), place));
        access(&mut p, h, to, 1, true);
        call(&mut p, f, g, 1, 8);
        p.accesses.push(Access {
            function: g,
            pointer: to,
            bytes: 0,
            times: 0,
            executed,
            write: writes,
            met: None,
        });
        let found = find(&p, &solve(&p), &[f], Choice::Cheapest).unwrap();
        assert_eq!(
            found.looked_at,
            if found.functions[g as usize] {
                executed
            } else {
                0
            }
        );
        found.functions[g as usize]
    };
    for writes in [false, true] {
        assert!(is_inside(20, writes));
        assert!(!is_inside(2000, writes));
    }
}
