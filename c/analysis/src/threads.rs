//! Which threads a program starts that may come inside, and which handlers of signals.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::boundary::Boundary;
use crate::model::{FunctionId, Program, Storage};
use crate::points_to::PointsTo;

/// A thread or a handler that may run inside functions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Thread {
    /// The function that it begins with.
    pub begins: String,
    /// Where it is started; of a handler, where that is.
    pub place: String,
    /// An inside function that it may come to.
    pub comes_to: String,
}

/// The threads that may come inside.
pub fn coming_inside(program: &Program, points_to: &PointsTo, boundary: &Boundary) -> Vec<Thread> {
    let called = called(program, points_to);
    let mut threads = BTreeSet::new();
    for (index, call) in program.calls.iter().enumerate() {
        for callee in points_to.callees(index) {
            let known = &program.functions[*callee as usize];
            let starts = known.annotation.as_ref().and_then(|does| does.starts);
            let Some(argument) = starts.and_then(|at| call.arguments.get(at)) else {
                continue;
            };
            for object in points_to.objects(*argument) {
                let Storage::Function(begins) = program.objects[*object as usize].storage else {
                    continue;
                };
                let is_inside =
                    |one: FunctionId| boundary.functions.get(one as usize) == Some(&true);
                if let Some(found) = first(begins, &called, is_inside) {
                    threads.insert(Thread {
                        begins: program.functions[begins as usize].name.clone(),
                        place: call.place.to_string(),
                        comes_to: program.functions[found as usize].name.clone(),
                    });
                }
            }
        }
    }
    threads.into_iter().collect()
}

/// The handlers of signals that are inside, or may call inside functions or jump away from them:
/// what a replay has to do at the same place.
pub fn handlers_coming_inside(
    program: &Program,
    points_to: &PointsTo,
    boundary: &Boundary,
) -> Vec<(FunctionId, Thread)> {
    let called = called(program, points_to);
    let handlers = boundary.handlers.iter().filter_map(|handler| {
        let concerns_inside = |one: FunctionId| {
            let mut jumps = program.functions[one as usize].jumps.iter();
            boundary.functions.get(one as usize) == Some(&true)
                || jumps.any(|(marked, _)| marked.is_none())
        };
        let found = first(*handler, &called, concerns_inside)?;
        let known = &program.functions[*handler as usize];
        let thread = Thread {
            begins: known.name.clone(),
            place: known.place.to_string(),
            comes_to: program.functions[found as usize].name.clone(),
        };
        Some((*handler, thread))
    });
    handlers.collect()
}

/// Whom each function may call.
fn called(program: &Program, points_to: &PointsTo) -> Vec<BTreeSet<FunctionId>> {
    let mut called = vec![BTreeSet::new(); program.functions.len()];
    for (index, call) in program.calls.iter().enumerate() {
        if let Some(all) = called.get_mut(call.function as usize) {
            all.extend(points_to.callees(index));
        }
    }
    called
}

/// The nearest function that is looked for, from one on.
fn first(
    begins: FunctionId,
    called: &[BTreeSet<FunctionId>],
    is_it: impl Fn(FunctionId) -> bool,
) -> Option<FunctionId> {
    let mut seen = BTreeSet::from([begins]);
    let mut next = vec![begins];
    while !next.is_empty() {
        if let Some(found) = next.iter().find(|one| is_it(**one)) {
            return Some(*found);
        }
        let after = next.iter().filter_map(|one| called.get(*one as usize));
        let after: BTreeSet<FunctionId> = after.flatten().copied().collect();
        next = after.into_iter().filter(|one| seen.insert(*one)).collect();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::Annotation;
    use crate::model::{Call, Callee, Fact, Function, Var};
    use crate::points_to::solve;

    fn call(function: FunctionId, callee: FunctionId, arguments: Vec<Var>) -> Call {
        Call::of(function, Callee::Direct(callee), arguments)
    }

    /// `main` starts a thread with `begin`, which calls `work`.
    #[test]
    fn a_thread_comes_to_an_inside_function_by_way_of_others() {
        let mut p = Program::default();
        for name in ["main", "begin", "work", "other", "start"] {
            let result = p.var();
            p.functions.push(Function {
                name: name.into(),
                defined: name != "start",
                result,
                ..Function::default()
            });
        }
        p.functions[4].annotation = Some(Annotation {
            starts: Some(0),
            ..Annotation::default()
        });
        let (object, to) = (p.object("begin", Storage::Function(1)), p.var());
        p.facts.push(Fact::Address { to, object });
        p.calls = vec![call(0, 4, vec![to]), call(1, 2, vec![]), call(0, 3, vec![])];
        let points_to = solve(&p);
        let inside = |function: usize| Boundary {
            functions: (0..5).map(|one| one == function).collect(),
            ..Boundary::default()
        };
        let expected = Thread {
            begins: "begin".into(),
            place: "main.c:3".into(),
            comes_to: "work".into(),
        };
        assert_eq!(
            coming_inside(&p, &points_to, &inside(2)),
            std::slice::from_ref(&expected)
        );
        let handled = Boundary {
            handlers: vec![1],
            ..inside(2)
        };
        let expected = Thread {
            place: "an unknown place".into(),
            ..expected
        };
        assert_eq!(
            handlers_coming_inside(&p, &points_to, &handled),
            [(1, expected)]
        );
        assert_eq!(coming_inside(&p, &points_to, &inside(3)), []);
    }
}
