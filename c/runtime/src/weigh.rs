//! Weighing: how often each block of the program ran, how many bytes calls have moved,
//! whom calls through pointers have called, and which memory loads and stores have met, added to
//! a file when the program ends.
//! `c/compiler/src/weights.rs` draws and reads it.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many pairs of a call and a function there is room for.
const PAIRS: usize = 1 << 16;

/// Addresses of programs are below this.
const ADDRESS: u32 = 47;

/// A function that is not the program's, and the key of what was not counted.
const NO_FUNCTION: u64 = u32::MAX as u64;
const LOST: u64 = u64::MAX;

/// A call and the address of a function, and how often.
struct Pair(AtomicU64, AtomicU64);

/// Counted by any thread, and in the midst of a signal: so there is nothing to wait
/// for and nothing to allocate.
static PAIRS_SEEN: [Pair; PAIRS] = [const { Pair(AtomicU64::new(0), AtomicU64::new(0)) }; PAIRS];

static UNCOUNTED: AtomicU64 = AtomicU64::new(0);

/// A call through a pointer is about to call.
#[unsafe(no_mangle)]
extern "C" fn __reprise_called(call: u32, function: u64) {
    let key = u64::from(call) << ADDRESS | function;
    let fits = call < 1 << (64 - ADDRESS) && function < 1 << ADDRESS && function != 0;
    let start = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize;
    for step in 0..if fits { PAIRS } else { 0 } {
        let pair = &PAIRS_SEEN[(start + step) % PAIRS];
        let taken = pair
            .0
            .compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
        if taken.is_ok() || taken == Err(key) {
            pair.1.fetch_add(1, Ordering::Relaxed);
            return;
        }
    }
    UNCOUNTED.fetch_add(1, Ordering::Relaxed);
}

/// What was counted of calls through pointers, with functions by their number.
fn called(functions: &[u64]) -> BTreeMap<u64, u64> {
    let numbers = functions.iter().copied().zip(0_u64..);
    let numbers: BTreeMap<u64, u64> = numbers.collect();
    let mut all = BTreeMap::new();
    for Pair(key, times) in &PAIRS_SEEN {
        let (key, times) = (key.load(Ordering::Relaxed), times.load(Ordering::Relaxed));
        if key != 0 && times > 0 {
            let (call, address) = (key >> ADDRESS, key & ((1 << ADDRESS) - 1));
            let function = numbers.get(&address).copied().unwrap_or(NO_FUNCTION);
            *all.entry(call << 32 | function).or_insert(0) += times;
        }
    }
    let (met, unmet) = crate::objects::all_met();
    all.extend(met);
    match UNCOUNTED.load(Ordering::Relaxed) + unmet {
        0 => {}
        times => {
            all.insert(LOST, times);
        }
    }
    all
}

fn slice<'a, T>(start: *const T, len: u64) -> &'a [T] {
    // SAFETY: inserted code hands over arrays of its own, with their length.
    unsafe { std::slice::from_raw_parts(start, len as usize) }
}

/// What inserted code counts with.
#[derive(Clone, Copy)]
struct Counting {
    path: *const u8,
    counters: *mut u64,
    count: u64,
    functions: *const u64,
    function_count: u64,
}

// SAFETY: what it points to is there for as long as the program.
unsafe impl Send for Counting {}

static COUNTING: Mutex<Option<Counting>> = Mutex::new(None);

/// The program begins.
#[unsafe(no_mangle)]
extern "C" fn __reprise_weighing(
    path: *const u8,
    counters: *mut u64,
    count: u64,
    functions: *const u64,
    function_count: u64,
) {
    let counting = Counting {
        path,
        counters,
        count,
        functions,
        function_count,
    };
    if let Ok(mut known) = COUNTING.lock() {
        *known = Some(counting);
    }
    // SAFETY: handlers that take nothing and live as long as the program.
    unsafe { crate::life::pthread_atfork(None, None, Some(child)) };
}

/// What was counted before is its parent's.
extern "C" fn child() {
    if let Ok(Some(counting)) = COUNTING.try_lock().as_deref() {
        counting.begin_anew();
    }
}

/// The program ends.
pub(crate) extern "C" fn end() {
    if let Ok(Some(counting)) = COUNTING.try_lock().as_deref() {
        counting.add();
        counting.begin_anew();
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

impl Counting {
    /// Nothing was counted yet.
    fn begin_anew(&self) {
        for index in 1..self.count as usize {
            // SAFETY: there are as many; another thread may miscount.
            unsafe { self.counters.add(index).write_volatile(0) };
        }
        for Pair(_, times) in &PAIRS_SEEN {
            times.store(0, Ordering::Relaxed);
        }
        UNCOUNTED.store(0, Ordering::Relaxed);
        crate::objects::forget_met();
    }

    /// Adds what was counted to what is in the file.
    fn add(&self) {
        let path = slice(self.path, crate::plain::length(self.path) as u64);
        let counters = slice(self.counters.cast_const(), self.count);
        add(
            path,
            counters,
            called(slice(self.functions, self.function_count)),
        );
    }
}

/// Adds what was counted to what is in a file; a file of another program is begun anew.
fn add(path: &[u8], counters: &[u64], mut called: BTreeMap<u64, u64>) {
    let Ok(path) = std::str::from_utf8(path) else {
        return;
    };
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let Ok(mut file) = options.open(path) else {
        return;
    };
    let _ = rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive);
    let mut old = Vec::new();
    let _ = file.read_to_end(&mut old);
    let (old, _) = old.as_chunks::<8>();
    let old: Vec<u64> = old.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let same = old.len() >= counters.len() && counters.first() == old.first();
    let (old, pairs) = old.split_at(if same { counters.len() } else { 0 });
    if same {
        for [key, times] in pairs.as_chunks::<2>().0 {
            *called.entry(*key).or_insert(0) += times;
        }
    }
    let before = |index: usize| match index {
        0 => 0,
        index => old.get(index).copied().unwrap_or(0),
    };
    let sums = counters.iter().enumerate();
    let sums = sums.map(|(index, now)| now.wrapping_add(before(index)));
    let pairs = called.into_iter().flat_map(|(key, times)| [key, times]);
    let bytes: Vec<u8> = sums.chain(pairs).flat_map(u64::to_le_bytes).collect();
    let _ = file.seek(SeekFrom::Start(0));
    let _ = file.write_all(&bytes);
    let _ = file.set_len(bytes.len() as u64);
}
