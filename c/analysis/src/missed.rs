//! Whether the runs that were weighed did what was computed. A pointer that points to what
//! nobody has computed shows that something is wrong with the analysis, or that the program does
//! what no analysis can follow; it is said, and taken for a fact from there on.

use serde::{Deserialize, Serialize};

use crate::model::{
    Callee, Fact, FunctionId, Move, ObjectId, Program, Storage, UNKNOWN, Var, Whose,
};
use crate::points_to::PointsTo;

/// Something that was seen, and not computed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Missed {
    /// The function that does it.
    pub function: String,
    /// What it was seen to read, to write to or to call.
    pub what: String,
    /// The pointer.
    #[serde(skip)]
    pointer: Var,
    #[serde(skip)]
    object: ObjectId,
}

/// All of it, each once.
pub fn find(program: &Program, points_to: &PointsTo) -> Vec<Missed> {
    let mut all = Vec::new();
    let mut add = |function: FunctionId, pointer: Var, object: ObjectId| {
        let Some(known) = program.objects.get(object as usize) else {
            return;
        };
        if !is_computed(points_to, pointer, object) {
            all.push(Missed {
                function: program.functions[function as usize].name.clone(),
                what: known.name.clone(),
                pointer,
                object,
            });
        }
    };
    for access in &program.accesses {
        for (whose, _) in access.met.iter().flatten() {
            if let Whose::Object(object) = whose {
                add(access.function, access.pointer, *object);
            }
        }
    }
    let of_function = |function: FunctionId| {
        let mut objects = (0..).zip(&program.objects);
        let found = objects.find(|(_, one)| one.storage == Storage::Function(function));
        found.map_or(UNKNOWN, |(object, _)| object)
    };
    for (index, call) in program.calls.iter().enumerate() {
        let Callee::Indirect(pointer) = call.callee else {
            continue;
        };
        for (called, _) in call.called.iter().flatten() {
            let callees = points_to.callees(index);
            if called.is_none_or(|called| !callees.contains(&called)) {
                add(call.function, pointer, called.map_or(UNKNOWN, of_function));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Whether it was computed that a pointer may point to an object. What has escaped is behind all
/// that is not known, without its saying so; and of a pointer to nothing nothing was computed.
fn is_computed(points_to: &PointsTo, pointer: Var, object: ObjectId) -> bool {
    let objects = points_to.objects(pointer);
    objects.is_empty()
        || objects.contains(&object)
        || (objects.contains(&UNKNOWN) && points_to.is_escaped(object))
}

/// What was seen is a fact.
pub fn learn(program: &mut Program, missed: &[Missed]) {
    for one in missed {
        let to = program.var();
        program.facts.extend([
            Fact::Address {
                to,
                object: one.object,
            },
            Fact::Moved {
                to: one.pointer,
                from: to,
                by: Move::ANYWHERE,
            },
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Access, Call, Function};
    use crate::points_to::solve;

    /// `f` reads `a` through a pointer to `b`, and calls `g` through one to `h`.
    #[test]
    fn what_was_not_computed_is_said_once_and_learned() {
        let mut p = Program::default();
        for name in ["f", "g", "h"] {
            let result = p.var();
            p.functions.push(Function {
                name: name.into(),
                defined: true,
                result,
                ..Function::default()
            });
        }
        let [a, b] = ["a", "b"].map(|name| p.object_of(name, Storage::Global, 4));
        let [g, h] = [1, 2].map(|one| p.object("a function", Storage::Function(one)));
        let [pointer, callee] = [p.var(), p.var()];
        for (to, object) in [(pointer, b), (callee, h)] {
            p.facts.push(Fact::Address { to, object });
        }
        for write in [false, true] {
            p.accesses.push(Access {
                function: 0,
                pointer,
                bytes: 8,
                times: 1,
                executed: 1,
                write,
                met: Some(vec![
                    (Whose::Object(a), 1),
                    (Whose::Object(b), 1),
                    (Whose::Nobody, 1),
                    (Whose::Object(1000), 1),
                ]),
            });
        }
        p.calls.push(Call {
            called: Some(vec![(Some(1), 1), (Some(2), 1)]),
            ..Call::of(0, Callee::Indirect(callee), vec![])
        });
        let missed = find(&p, &solve(&p));
        let named = |one: &Missed| (one.function.clone(), one.object);
        let expected = [("f".to_owned(), a), ("f".to_owned(), g)];
        assert_eq!(missed.iter().map(named).collect::<Vec<_>>(), expected);
        learn(&mut p, &missed);
        let found = solve(&p);
        assert_eq!(find(&p, &found), []);
        assert_eq!(found.objects(pointer), [a, b]);
        assert_eq!(found.callees(0).len(), 2);
    }
}
