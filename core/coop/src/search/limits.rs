//! Where the search ends, and why it has.

/// Where the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many candidates there are at most.
    pub attempts: usize,
    /// How many combinations are looked at, candidates or not. Where much was
    /// learnt, most of them may be passed over.
    pub combinations: usize,
    /// How often a base is tried again in a row after something was learnt.
    pub retries: usize,
    /// How many choices a gap has at most.
    pub choices: usize,
    /// How many other orders there are of what runs free.
    pub orders: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            attempts: 1000,
            combinations: 100_000,
            retries: 20,
            choices: 8,
            orders: 8,
        }
    }
}

/// Why there are no more candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// [`Limits::attempts`] is reached.
    Attempts,
    /// [`Limits::combinations`] is reached.
    Combinations,
    /// There is nothing left to try.
    Exhausted,
}
