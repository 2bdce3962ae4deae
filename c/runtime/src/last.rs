//! What calls have last returned, and what inside functions were last called with. A result that
//! is the same again is no event, as a read is none that finds nothing new (`seen.rs`): a replay
//! keeps them, too. Of arguments an event says only which are others; a reader of the events knows
//! what was last.

/// What a call has returned.
#[derive(Clone, Copy)]
struct Returned {
    /// One more than the site.
    site: u32,
    len: u32,
    value: u64,
}

/// What a function was called with.
#[derive(Clone, Copy)]
struct Called {
    /// One more than the function.
    function: u32,
    arguments: [u64; ARGUMENTS],
}

/// Of sites and functions with the same place the last one has it; another one is said in full.
const SITES: usize = 1024;
const FUNCTIONS: usize = 256;
const ARGUMENTS: usize = 6;

static mut RETURNED: [Returned; SITES] = [Returned {
    site: 0,
    len: 0,
    value: 0,
}; SITES];

static mut CALLED: [Called; FUNCTIONS] = [Called {
    function: 0,
    arguments: [0; ARGUMENTS],
}; FUNCTIONS];

/// At most eight bytes as a number.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

/// The place of a site. Only whose turn it is has it.
fn returned(site: u32) -> &'static mut Returned {
    // SAFETY: the index is within; one thread is inside at a time, and uses one at a time.
    unsafe {
        &mut *(&raw mut RETURNED)
            .cast::<Returned>()
            .add(site as usize % SITES)
    }
}

/// A replay is told what a call has returned, as far as a word has it.
pub(crate) fn told(site: u32, value: u64) {
    let site = site.wrapping_add(1);
    *returned(site.wrapping_sub(1)) = Returned {
        site,
        len: 0,
        value,
    };
}

/// In a replay: what a call has returned that returns the same again.
pub(crate) fn again(site: u32) -> Option<u64> {
    let last = returned(site);
    (last.site == site.wrapping_add(1)).then_some(last.value)
}

/// What a result is to the last one at its site.
pub(crate) enum Result {
    Same,
    /// A word that is so much more, by the numbers of a processor.
    Near(i64),
    Other,
}

/// A call returns so many bytes, the first of which are a word. Only whose turn it is asks.
#[inline]
pub(crate) fn result(site: u32, len: u32, value: u64) -> Result {
    let last = returned(site);
    let now = Returned {
        site: site.wrapping_add(1),
        len,
        value,
    };
    let is_known = len <= 8 && (last.site, last.len) == (now.site, now.len);
    let more = now.value.wrapping_sub(last.value).cast_signed();
    *last = now;
    match (is_known, more, len) {
        (true, 0, _) => Result::Same,
        (true, _, 8) => Result::Near(more),
        _ => Result::Other,
    }
}

/// A function is called; which of its arguments are others than the last time, a bit for each.
/// None if that is not known.
pub(crate) fn changed(function: u32, arguments: &[u8]) -> Option<u64> {
    let (words, _) = arguments.as_chunks::<8>();
    if words.is_empty() || words.len() > ARGUMENTS {
        return None;
    }
    // SAFETY: the index is within, and one thread is inside at a time.
    let last = unsafe {
        &mut *(&raw mut CALLED)
            .cast::<Called>()
            .add(function as usize % FUNCTIONS)
    };
    let is_known = last.function == function.wrapping_add(1);
    last.function = function.wrapping_add(1);
    let mut changed = 0;
    for (place, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        changed |= u64::from(last.arguments[place] != word) << place;
        last.arguments[place] = word;
    }
    is_known.then_some(changed)
}
