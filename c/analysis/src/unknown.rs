//! Functions of libraries of which nothing is known, and which are given memory of the
//! program: all that they can reach counts as theirs, so it pays to say more of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Callee, Program, Storage, UNKNOWN};
use crate::points_to::PointsTo;

/// Such a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Where it is called first.
    pub place: String,
    /// How many calls there are.
    pub calls: u64,
    /// How often they were executed in the runs that were weighed.
    #[serde(default)]
    pub times: u64,
}

/// Those that the program calls, the most often executed first, then those with the most
/// calls.
pub fn find(program: &Program, points_to: &PointsTo) -> Vec<Unknown> {
    // What has escaped, by such a function maybe, is not named any more.
    let is_memory = |object: &u32| {
        let storage = program.objects[*object as usize].storage;
        let is_own = matches!(
            storage,
            Storage::Global | Storage::Stack(_) | Storage::Heap(_)
        );
        is_own || *object == UNKNOWN
    };
    let mut all: BTreeMap<&str, Unknown> = BTreeMap::new();
    for (index, call) in program.calls.iter().enumerate() {
        let mut arguments = call.arguments.iter();
        if !arguments.any(|one| points_to.objects(*one).iter().any(is_memory)) {
            continue;
        }
        for callee in points_to.callees(index) {
            let known = &program.functions[*callee as usize];
            if known.defined || known.annotation.is_some() {
                continue;
            }
            let one = all.entry(&known.name).or_insert_with(|| Unknown {
                name: known.name.clone(),
                place: call.place.to_string(),
                calls: 0,
                times: 0,
            });
            one.calls += 1;
            one.times += match call.callee {
                Callee::Direct(_) => call.times,
                _ => call.times_of(Some(*callee)),
            };
        }
    }
    let mut all: Vec<Unknown> = all.into_values().collect();
    all.sort_by_key(|one| std::cmp::Reverse((one.times, one.calls)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::Annotation;
    use crate::model::{Call, Fact, Function, NOTHING, Words};
    use crate::points_to::solve;

    #[test]
    fn what_is_given_something_that_has_escaped_is_among_them() {
        let mut p = Program::default();
        for name in ["main", "first", "second"] {
            p.functions.push(Function {
                name: name.into(),
                defined: name == "main",
                ..Function::default()
            });
        }
        let (object, to, loaded) = (p.object("a", Storage::Global), p.var(), p.var());
        p.facts.push(Fact::Address { to, object });
        p.facts.push(Fact::Load {
            to: loaded,
            pointer: to,
            words: Words::First(1),
        });
        let call = |callee: u32, argument: u32| Call::of(0, Callee::Direct(callee), vec![argument]);
        p.calls = vec![call(1, to), call(2, loaded)];
        assert_eq!(find(&p, &solve(&p)).len(), 2);
    }

    #[test]
    fn what_is_executed_most_comes_first() {
        let mut p = Program::default();
        for name in ["main", "often_called", "often_executed"] {
            p.functions.push(Function {
                name: name.into(),
                defined: name == "main",
                ..Function::default()
            });
        }
        let (object, to) = (p.object("a", Storage::Global), p.var());
        p.facts.push(Fact::Address { to, object });
        let call = |callee: u32, times: u64| Call {
            times,
            ..Call::of(0, Callee::Direct(callee), vec![to])
        };
        p.calls = vec![call(1, 1), call(1, 1), call(2, 9)];
        let found = find(&p, &solve(&p));
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["often_executed", "often_called"]);
    }

    #[test]
    fn what_is_annotated_or_gets_nothing_is_not_among_them() {
        let mut p = Program::default();
        for name in ["main", "known", "unknown", "numbers"] {
            p.functions.push(Function {
                name: name.into(),
                defined: name == "main",
                annotation: (name == "known").then(Annotation::default),
                ..Function::default()
            });
        }
        let (object, to) = (p.object("a", Storage::Global), p.var());
        p.facts.push(Fact::Address { to, object });
        let call =
            |callee: u32, arguments: Vec<u32>| Call::of(0, Callee::Direct(callee), arguments);
        p.calls = vec![call(1, vec![to]), call(2, vec![to]), call(3, vec![NOTHING])];
        p.calls.push(call(2, vec![NOTHING, to]));
        let expected = Unknown {
            name: "unknown".into(),
            place: "main.c:3".into(),
            calls: 2,
            times: 2,
        };
        assert_eq!(find(&p, &solve(&p)), [expected]);
    }
}
