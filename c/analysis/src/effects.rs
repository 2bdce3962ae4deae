//! What functions do with memory and with each other, added up.

use std::collections::{BTreeMap, BTreeSet};

use crate::annotations::Length;
use crate::model::{
    Access, Callee, FunctionId, HANDLE, NOTHING, ObjectId, Place, Program, Storage, TABLES,
    UNKNOWN, Whose,
};
use crate::points_to::{PointsTo, SetId};

/// Whether an object is memory of the program.
fn is_own(program: &Program, object: ObjectId) -> bool {
    matches!(
        program.objects[object as usize].storage,
        Storage::Global | Storage::Constant | Storage::Stack(_) | Storage::Heap(_)
    )
}

/// Which objects a read through a pointer with such a set is taken to mean, when it is estimated
/// what that costs. Texts of the system (the arguments, the environment) get into structures of
/// the program, and are read seldom: who may read one of those or memory of the program reads
/// that. While the program runs it is its address that decides.
pub(crate) fn meant<'a>(
    program: &'a Program,
    members: &'a [ObjectId],
) -> impl Iterator<Item = ObjectId> + 'a {
    let storage = |object: ObjectId| program.objects[object as usize].storage;
    let is_text = move |object: ObjectId| object == HANDLE || storage(object) == Storage::Variable;
    let has_own = members.iter().any(|object| is_own(program, *object));
    let all = members.iter().copied();
    all.filter(move |object| !has_own || !is_text(*object))
}

/// What functions do, added up.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// What a function reads through pointers with such a set: bytes, how often. Nothing where
    /// it was weighed in which of the objects that was.
    pub(crate) reads: BTreeMap<(FunctionId, SetId), (u64, u64)>,
    /// What it was seen to read of an object, or of memory that is not the program's.
    pub(crate) found: BTreeMap<(FunctionId, Option<ObjectId>), (u64, u64)>,
    /// How often a function loads or stores through pointers with such a set.
    pub(crate) meets: BTreeMap<(FunctionId, SetId), u64>,
    /// A function writes to, allocates or frees objects of a set.
    pub(crate) writes: BTreeSet<(FunctionId, SetId)>,
    /// The bytes that a library fills for a function.
    pub(crate) fills: BTreeMap<(FunctionId, FunctionId, SetId), u64>,
    /// Calls between functions of the program: how often, bytes of results.
    pub(crate) calls: BTreeMap<(FunctionId, FunctionId), (u64, u64)>,
    /// Calls of libraries: how often, bytes of results.
    pub(crate) externals: BTreeMap<(FunctionId, FunctionId), (u64, u64)>,
    /// Those that are called at any moment, for a signal.
    pub(crate) handlers: BTreeSet<FunctionId>,
    /// Those of them that are called for what instructions of the program cause, and where that
    /// is said.
    pub(crate) faults: BTreeMap<FunctionId, Place>,
}

impl Effects {
    pub(crate) fn of(program: &Program, points_to: &PointsTo) -> Self {
        let mut all = Self::default();
        for access in &program.accesses {
            let key = (access.function, points_to.set(access.pointer));
            if access.executed > 0 {
                *all.meets.entry(key).or_default() += access.executed;
            }
            if access.write {
                all.writes.insert(key);
            } else if points_to.members(key.1) != [TABLES] {
                all.read(program, points_to, access);
            }
        }
        for (index, call) in program.calls.iter().enumerate() {
            for callee in points_to.callees(index) {
                all.call(program, points_to, index, *callee);
            }
            if let Callee::Indirect(pointer) | Callee::Callback(pointer) = call.callee
                && points_to.objects(pointer).contains(&UNKNOWN)
            {
                // Whoever it is, it is outside; there is a name for that.
                let key = (call.function, FunctionId::MAX);
                let times = call.times_of(None);
                let sum: &mut (u64, u64) = all.externals.entry(key).or_default();
                sum.0 += times;
                sum.1 += times * call.result_bytes;
            }
        }
        all
    }

    /// What is read counts for the object in which it was found. Where nobody knows that, it
    /// counts for all that it may be.
    fn read(&mut self, program: &Program, points_to: &PointsTo, access: &Access) {
        let set = points_to.set(access.pointer);
        let unclear = self.reads.entry((access.function, set)).or_default();
        let Some(met) = &access.met else {
            unclear.0 += access.bytes;
            unclear.1 += access.times;
            return;
        };
        let each = access.bytes.checked_div(access.times).unwrap_or_default();
        let members = points_to.members(set);
        for (whose, times) in met {
            let object = match *whose {
                Whose::Object(object) if (object as usize) < program.objects.len() => Some(object),
                Whose::Nobody if !members.iter().all(|one| is_own(program, *one)) => None,
                _ => {
                    unclear.0 += each * times;
                    unclear.1 += times;
                    continue;
                }
            };
            let found = self.found.entry((access.function, object)).or_default();
            found.0 += each * times;
            found.1 += times;
        }
    }

    fn call(&mut self, program: &Program, points_to: &PointsTo, index: usize, callee: FunctionId) {
        let call = &program.calls[index];
        let function = call.function;
        let known = &program.functions[callee as usize];
        let argument = |at: usize| {
            let var = call.arguments.get(at).copied().unwrap_or(NOTHING);
            points_to.set(var)
        };
        let times = match call.callee {
            Callee::Direct(_) => call.times,
            Callee::Indirect(_) => call.times_of(Some(callee)),
            // It may have been called by nobody else.
            Callee::Callback(_) => known.entered,
        };
        let bytes = times * call.result_bytes;
        if known.defined {
            let sum = self.calls.entry((function, callee)).or_default();
            sum.0 += times;
            sum.1 += bytes;
            return;
        }
        let does = known.annotation.clone().unwrap_or_default();
        if call.allocates.is_some() {
            self.writes.insert((function, points_to.set(call.result)));
        }
        if let Some(at) = does.frees.or(does.reallocates) {
            self.writes.insert((function, argument(at)));
        }
        // Whoever takes a mutex writes to it.
        let taken = does.varies.iter().filter(|(_, bytes)| bytes.is_some());
        for (at, _) in taken {
            self.writes.insert((function, argument(*at)));
        }
        let var = |at: usize| call.arguments.get(at).copied().unwrap_or(NOTHING);
        let direct = does
            .handler
            .map_or(&[][..], |at| points_to.objects(var(at)));
        let held = does
            .handler_in
            .map_or(&[][..], |at| points_to.objects(var(at)));
        // What is in an escaped object is not known: it could be all functions.
        let held = held.iter().filter(|one| !points_to.is_escaped(**one));
        let held = held.flat_map(|one| points_to.content(*one));
        let handlers = direct.iter().chain(held).filter_map(|one| {
            match program.objects[*one as usize].storage {
                Storage::Function(function) => Some(function),
                _ => None,
            }
        });
        for handler in handlers {
            self.handlers.insert(handler);
            if call.is_for_fault {
                let place = || call.place.clone();
                self.faults.entry(handler).or_insert_with(place);
            }
        }
        if does.own {
            let (to, from) = does
                .copies
                .map_or((None, None), |(to, from)| (Some(to), Some(from)));
            for at in does.writes.iter().copied().chain(to) {
                self.writes.insert((function, argument(at)));
            }
            let reads: Vec<usize> = match from {
                Some(from) => vec![from],
                None if does.writes.is_empty() => (0..call.arguments.len()).collect(),
                None => Vec::new(),
            };
            for at in reads {
                if argument(at) != 0 {
                    let sum = self.reads.entry((function, argument(at))).or_default();
                    sum.0 += call.moved;
                    sum.1 += times;
                }
            }
            return;
        }
        // What is kept of the processor, or where that is kept.
        if let Some(at) = does.marks {
            self.writes.insert((function, argument(at)));
            return;
        }
        if does.jumps_to.is_some() {
            return;
        }
        let manages = call.allocates.is_some() || does.frees.is_some();
        if !manages {
            let sum = self.externals.entry((function, callee)).or_default();
            sum.0 += times;
            sum.1 += bytes;
        }
        for (at, scanned) in &call.scanned {
            let key = (function, callee, argument(*at));
            let bytes = match scanned.length {
                Length::Bytes(bytes) => bytes,
                // A word or a name.
                _ => 16,
            };
            *self.fills.entry(key).or_default() += bytes * times;
            self.writes.insert((function, argument(*at)));
        }
        for (at, _) in &does.fills {
            let key = (function, callee, argument(*at));
            *self.fills.entry(key).or_default() += call.moved;
            self.writes.insert((function, argument(*at)));
        }
    }
}
