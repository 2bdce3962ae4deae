//! How far the search has come.

use super::variations::Variations;

/// Which combination is next.
#[derive(Debug)]
pub(super) enum Position {
    First(usize),
    Retry(Turns),
    Lead {
        base: usize,
        lead: usize,
    },
    Free(Turns),
    Alone(usize),
    Again {
        order: u32,
        at: usize,
    },
    Other {
        base: usize,
        /// One for each base that was reached, with something left.
        variations: Vec<Option<Variations>>,
        any_left: bool,
    },
}

/// Each base in turn, and again as long as something is learnt from it.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub(super) base: usize,
    retry: usize,
    /// How much was known when this base was tried last.
    known: usize,
}

impl Position {
    /// Other choices, from the first base on.
    pub(super) fn other() -> Self {
        Self::Other {
            base: 0,
            variations: Vec::new(),
            any_left: false,
        }
    }
}

impl Turns {
    /// The base, and how often it was tried before; `None` if the next one is to come.
    pub(super) fn next(&mut self, known: usize, retries: usize) -> Option<(usize, usize)> {
        let news = known > self.known;
        self.known = known;
        let (base, retry) = (self.base, self.retry);
        if retry > 0 && (!news || retry > retries) {
            (self.base, self.retry) = (base + 1, 0);
            return None;
        }
        self.retry += 1;
        Some((base, retry))
    }
}
