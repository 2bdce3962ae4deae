//! What `reprise cut` asks of `reprise-cc`, and what that answers, as JSON.

use std::path::PathBuf;

use reprise_c_analysis::boundary::{Choice, Cost};
use reprise_c_analysis::missed::Missed;
use reprise_c_analysis::threads::Thread;
use reprise_c_analysis::unknown::Unknown;
use serde::{Deserialize, Serialize};

/// What is wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// A program that counts.
    Weigh {
        /// The program that `reprise cc` has built.
        program: PathBuf,
        /// The runtime.
        runtime: PathBuf,
        /// Where the program that counts goes.
        output: PathBuf,
        /// Files with more annotations.
        annotations: Vec<PathBuf>,
    },
    /// A program that can be recorded.
    Cut {
        /// The program that `reprise cc` has built.
        program: PathBuf,
        /// The runtime.
        runtime: PathBuf,
        /// Where the program that can be recorded goes; nowhere to only be told.
        output: Option<PathBuf>,
        /// The functions that have to be inside.
        targets: Vec<String>,
        /// How the boundary is chosen.
        choice: Choice,
        /// Debuggers are to find variables.
        variables: bool,
        /// Files with more annotations.
        annotations: Vec<PathBuf>,
    },
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The program that counts is there.
    Weighable,
    /// The boundary.
    Cut(Box<Report>),
    /// It could not be done.
    Failed {
        /// What is wrong.
        wrong: String,
        /// What could have been meant.
        nearest: Vec<String>,
    },
}

/// A boundary, for people.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// There are weights.
    pub weighed: bool,
    /// The functions of the program: name, place, whether it is inside.
    pub functions: Vec<(String, String, bool)>,
    /// The variables that are inside, and how many there are.
    pub objects: (usize, usize),
    /// What crosses.
    pub flows: Vec<Cost>,
    /// Bytes and events with the naive boundary around the target.
    pub naive: Option<(u64, u64)>,
    /// The same with the whole program inside.
    pub whole: Option<(u64, u64)>,
    /// The size of the graph: nodes and edges.
    pub graph: (u64, u64),
    /// The threads that may come inside.
    #[serde(default)]
    pub threads: Vec<Thread>,
    /// The handlers of signals that may: they wait for a crossing.
    #[serde(default)]
    pub signals: Vec<Thread>,
    /// Functions of which nothing is known, and that are given memory of the program.
    #[serde(default)]
    pub unknown: Vec<Unknown>,
    /// What was seen while the program was weighed, and had not been computed.
    #[serde(default)]
    pub missed: Vec<Missed>,
    /// How many loads and stores are looked at while the program runs, of how many.
    pub checked: (u64, u64),
    /// How often that was in the runs that were weighed.
    #[serde(default)]
    pub looked_at: u64,
    /// Milliseconds: reading, pointers, the cut, building.
    pub milliseconds: [u64; 4],
}
