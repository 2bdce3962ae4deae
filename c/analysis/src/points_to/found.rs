//! What was found.

use crate::model::{FunctionId, ObjectId, UNKNOWN, Var};

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
