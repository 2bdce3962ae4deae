//! Which words of objects are told apart.
//!
//! Sets have *cells* as members: a word of an object, or an object at nobody knows which word.
//! Words are counted round: of an object with `n` of them, word `n` is word 0 again. So a
//! pointer that is moved has a cell, however far it is moved, and there is an end to it where a
//! program does that in a loop. The cell of word 0 has the number of its object; others get
//! theirs when a pointer gets there.
//!
//! A value stands for what is in a cell. Of any word there are two: one has what all cells
//! hold, the other gives all cells what it holds.

use super::{Solver, Var};
use crate::model::{HANDLE, Move, ObjectId, Storage, TABLES, WORD, Words, greatest_common_divisor};

/// The number of a cell.
pub(super) type Cell = u32;

/// There is none yet.
const NONE: Cell = Cell::MAX;

/// The word of a cell that is at any.
const ANY: u32 = u32::MAX;

/// Where a pointer is moved, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shift {
    pub(super) to: Var,
    words: i64,
    /// A part of a word beside that: where it was in its word decides whether it is in the next.
    is_between: bool,
    /// And any number of times so many words; 0 if none.
    stride: u64,
    is_anywhere: bool,
}

impl Shift {
    pub(super) fn new(to: Var, by: Move) -> Self {
        let word = WORD.cast_signed();
        Self {
            to,
            words: by.bytes.div_euclid(word),
            is_between: by.bytes.rem_euclid(word) != 0,
            stride: by.stride / WORD,
            is_anywhere: !by.stride.is_multiple_of(WORD),
        }
    }
}

/// Which words from a cell on are loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) first: u32,
    /// None for all of the object.
    pub(super) count: Option<u32>,
}

impl Span {
    pub(super) const ALL: Self = Self {
        first: 0,
        count: None,
    };

    pub(super) fn word(first: u32) -> Self {
        let count = Some(1);
        Self { first, count }
    }
}

impl From<Words> for Span {
    fn from(words: Words) -> Self {
        let first = 0;
        match words {
            Words::First(count) => Self {
                first,
                count: Some(count),
            },
            Words::All => Self::ALL,
        }
    }
}

/// What a cell is.
#[derive(Clone, Copy, Debug)]
struct Known {
    object: ObjectId,
    word: u32,
    /// What is in it, and what is stored there.
    holds: Var,
    takes: Var,
}

/// The cells that there are.
#[derive(Debug, Default)]
pub(super) struct Cells {
    known: Vec<Known>,
    /// Of objects with several words, by word, with any behind them.
    of: Vec<Vec<Cell>>,
}

impl Cells {
    pub(super) fn new(objects: u32, vars: Var) -> Self {
        let first = |object: ObjectId| Known {
            object,
            word: 0,
            holds: vars + object,
            takes: vars + object,
        };
        Self {
            known: (0..objects).map(first).collect(),
            of: vec![Vec::new(); objects as usize],
        }
    }

    pub(super) fn object(&self, cell: Cell) -> ObjectId {
        self.known[cell as usize].object
    }

    /// The values that stand for the content of an object.
    pub(super) fn values(&self, object: ObjectId) -> Vec<Var> {
        let more = self.of[object as usize].iter().skip(1);
        let more = more.filter(|cell| **cell != NONE);
        let cells = std::iter::once(&object).chain(more);
        let known = cells.map(|cell| self.known[*cell as usize]);
        let mut all: Vec<Var> = known.flat_map(|one| [one.holds, one.takes]).collect();
        all.dedup();
        all
    }
}

impl Solver<'_> {
    /// How many words of an object are told apart. Of what has escaped none are.
    fn words(&self, object: ObjectId) -> u32 {
        match self.escaped.has(object) {
            true => 1,
            false => self.program.objects[object as usize].words.max(1),
        }
    }

    /// A value for what is in an object.
    fn content_value(&mut self) -> Var {
        let var = self.value();
        self.is_content[var as usize] = true;
        var
    }

    /// The cell of a word of an object.
    pub(super) fn cell(&mut self, object: ObjectId, word: i64) -> Cell {
        let words = self.words(object);
        let word = word.rem_euclid(i64::from(words)) as u32;
        if word == 0 {
            return object;
        }
        let known = self.place(object, word);
        if known != NONE {
            return known;
        }
        let value = self.content_value();
        let cell = self.new_cell(object, word, (value, value));
        let any = self.cells.of[object as usize][words as usize];
        if any != NONE {
            let Known { holds, takes, .. } = self.cells.known[any as usize];
            self.edge(value, holds);
            self.edge(takes, value);
        }
        cell
    }

    /// The cell of any word of an object.
    pub(super) fn any(&mut self, object: ObjectId) -> Cell {
        let words = self.words(object);
        if words == 1 {
            return object;
        }
        let known = self.place(object, words);
        if known != NONE {
            return known;
        }
        let (holds, takes) = (self.content_value(), self.content_value());
        for value in self.cells.values(object) {
            self.edge(value, holds);
            self.edge(takes, value);
        }
        self.new_cell(object, ANY, (holds, takes))
    }

    fn place(&mut self, object: ObjectId, at: u32) -> Cell {
        let words = self.program.objects[object as usize].words;
        let places = &mut self.cells.of[object as usize];
        if places.is_empty() {
            *places = vec![NONE; words as usize + 1];
        }
        places[at as usize]
    }

    fn new_cell(&mut self, object: ObjectId, word: u32, (holds, takes): (Var, Var)) -> Cell {
        let cell = self.cells.known.len() as Cell;
        self.cells.known.push(Known {
            object,
            word,
            holds,
            takes,
        });
        let places = &mut self.cells.of[object as usize];
        let at = match word {
            ANY => places.len() - 1,
            word => word as usize,
        };
        places[at] = cell;
        if word == ANY {
            self.unmoved.add(cell);
        }
        cell
    }

    /// Where a pointer to a cell points when it is moved.
    pub(super) fn shifted(&mut self, cell: Cell, by: Shift, mut found: impl FnMut(Cell)) {
        let Known { object, word, .. } = self.cells.known[cell as usize];
        let words = u64::from(self.words(object));
        if words == 1 {
            return found(object);
        }
        let step = match by.stride % words {
            0 => words,
            stride => greatest_common_divisor(words, stride),
        };
        if word == ANY || by.is_anywhere || step == 1 {
            return found(self.any(object));
        }
        for more in 0..=i64::from(by.is_between) {
            for time in 0..words / step {
                let word = i64::from(word) + by.words + more + (time * step).cast_signed();
                found(self.cell(object, word));
            }
        }
    }

    /// The value that stands for what is in a word of an object at first.
    pub(super) fn word(&mut self, object: ObjectId, word: i64) -> Var {
        let cell = self.cell(object, word);
        self.cells.known[cell as usize].holds
    }

    /// The values that stand for what is loaded through pointers to cells, each once.
    pub(super) fn loaded(&mut self, cells: &[Cell], span: Span) -> Vec<Var> {
        let mut all = Vec::new();
        for cell in cells {
            let object = self.cells.object(*cell);
            // A text, or the code of a function, holds no pointer, and never will.
            if self.begun.has(object) || !self.is_fixed(object) {
                self.meant(*cell, span, |known| all.push(known.holds));
            }
        }
        self.each_once(all)
    }

    /// The same of what is stored there.
    pub(super) fn stored(&mut self, cells: &[Cell], span: Span) -> Vec<Var> {
        let mut all = Vec::new();
        for cell in cells {
            if self.can_be_stored_in(self.cells.object(*cell)) {
                self.meant(*cell, span, |known| all.push(known.takes));
            }
        }
        self.each_once(all)
    }

    fn each_once(&self, mut all: Vec<Var>) -> Vec<Var> {
        for one in &mut all {
            *one = self.now(*one);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn meant(&mut self, cell: Cell, span: Span, mut found: impl FnMut(Known)) {
        let Known { object, word, .. } = self.cells.known[cell as usize];
        let words = self.words(object);
        let count = span.count.filter(|count| *count < words && word != ANY);
        let Some(count) = count else {
            let any = self.any(object);
            return found(self.cells.known[any as usize]);
        };
        for next in 0..count {
            let cell = self.cell(object, i64::from(word) + i64::from(span.first + next));
            found(self.cells.known[cell as usize]);
        }
    }

    /// An object that has escaped has one cell.
    pub(super) fn escaped_cells(&mut self, object: ObjectId) -> Vec<Var> {
        self.unmoved.add(object);
        self.cells.values(object)
    }

    /// Nothing of the program's is stored where a handle points to, and only the library
    /// stores a handle where it is kept.
    fn can_be_stored_in(&self, object: ObjectId) -> bool {
        let storage = self.program.objects[object as usize].storage;
        ![HANDLE, TABLES].contains(&object) && storage != Storage::Handle && !self.is_fixed(object)
    }
}
