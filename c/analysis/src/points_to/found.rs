//! What was found.

use std::collections::HashMap;

use super::set::Set;
use super::{Solver, Var};
use crate::model::{FunctionId, ObjectId, UNKNOWN};

/// The number of a set of objects; equal sets have equal numbers.
pub type SetId = u32;

/// What every pointer may point to.
#[derive(Clone, Debug)]
pub struct PointsTo {
    pub(super) sets: Vec<Vec<ObjectId>>,
    pub(super) of: Vec<SetId>,
    /// How many values come before those of the objects' content.
    pub(super) vars: u32,
    /// What each call may call, by its place in the program's list.
    pub(super) callees: Vec<Vec<FunctionId>>,
}

impl PointsTo {
    /// The objects that a pointer may point to.
    pub fn objects(&self, pointer: Var) -> &[ObjectId] {
        self.members(self.set(pointer))
    }

    /// Which set that is.
    pub fn set(&self, pointer: Var) -> SetId {
        self.of.get(pointer as usize).copied().unwrap_or(0)
    }

    /// The members of a set.
    pub fn members(&self, set: SetId) -> &[ObjectId] {
        self.sets.get(set as usize).map_or(&[], Vec::as_slice)
    }

    /// How many different sets there are.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// What the pointers in an object may point to.
    pub fn content(&self, object: ObjectId) -> &[ObjectId] {
        self.objects(self.vars + object)
    }

    /// Whether code that is not known can reach an object.
    pub fn is_escaped(&self, object: ObjectId) -> bool {
        self.content(UNKNOWN).binary_search(&object).is_ok()
    }

    /// What a call may call.
    pub fn callees(&self, call: usize) -> &[FunctionId] {
        self.callees.get(call).map_or(&[], Vec::as_slice)
    }
}

/// Sets of objects, of which equal ones have one number.
#[derive(Default)]
struct Numbered {
    sets: Vec<Vec<ObjectId>>,
    known: HashMap<Vec<ObjectId>, SetId>,
}

impl Numbered {
    fn number(&mut self, mut objects: Vec<ObjectId>) -> SetId {
        objects.sort_unstable();
        objects.dedup();
        let (sets, next) = (&mut self.sets, self.known.len() as SetId);
        *self.known.entry(objects).or_insert_with_key(|objects| {
            sets.push(objects.clone());
            next
        })
    }
}

/// Words are not told apart any more.
pub(super) fn finish(mut solver: Solver<'_>) -> PointsTo {
    solver.call_escaped();
    let mut numbered = Numbered::default();
    numbered.number(Vec::new());
    let mut known: HashMap<&Set, SetId> = HashMap::new();
    let vars = solver.program.vars;
    // Most values have another one standing for them.
    let mut of: Vec<Option<SetId>> = vec![None; solver.nodes.len()];
    let count = vars as usize + solver.program.objects.len();
    for var in 0..count as u32 {
        let first = solver.now(var) as usize;
        let id = of[first].unwrap_or_else(|| {
            let has = &solver.nodes[first].has;
            *known.entry(has).or_insert_with(|| {
                let objects = has.iter().map(|cell| solver.cells.object(cell));
                numbered.number(objects.collect())
            })
        });
        of[first] = Some(id);
        of[var as usize] = Some(id);
    }
    of.truncate(count);
    // Of an object it is all that its words hold.
    for object in 0..solver.program.objects.len() as ObjectId {
        let values = solver.cells.values(object);
        if values.len() > 1 {
            let sets = values
                .iter()
                .map(|var| &solver.nodes[solver.now(*var) as usize].has);
            let objects = sets
                .flat_map(Set::iter)
                .map(|cell| solver.cells.object(cell));
            of[(vars + object) as usize] = Some(numbered.number(objects.collect()));
        }
    }
    let of = of.into_iter().map(Option::unwrap_or_default).collect();
    PointsTo {
        sets: numbered.sets,
        of,
        vars,
        callees: solver.callees,
    }
}
