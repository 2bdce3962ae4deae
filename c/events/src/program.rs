//! What has to be known of the program that was cut.

use serde::{Deserialize, Serialize};

/// The section of a program that holds its [`Program`], as JSON.
pub const SECTION: &str = "reprise_cut";

/// The section of a program that holds its inside variables.
pub const INSIDE: &str = "reprise_inside";

/// The section of a program that holds variables of the outside, whose pages a replay does not have.
pub const OUTSIDE: &str = "reprise_outside";

/// The section with the wrappers of inside functions, by which outside ones call them.
pub const ENTRIES: &str = "reprise_entry";

/// Under this name the recording's manifest has the [`Subject`].
pub const DETAILS: &str = "cut";

/// A place in the source where something crosses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The function.
    pub function: String,
    /// The file and line.
    pub place: String,
    /// What crosses: the called function, or nothing for memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
}

/// What the program that was cut says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The inside functions that can be called from outside, by number.
    pub entries: Vec<String>,
    /// Where things cross, by number.
    pub sites: Vec<Site>,
    /// Several threads may come inside.
    #[serde(default)]
    pub threads: bool,
}

/// What a recording says about its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// What it says itself.
    pub program: Program,
    /// The mapped parts: start, end, protection.
    pub regions: Vec<(u64, u64, u32)>,
    /// Its path.
    pub path: String,
    /// Where a replay begins.
    pub start: u64,
    /// The address behind the instruction with which it asks.
    pub question: u64,
    /// Where answers go.
    pub buffer: u64,
    /// Where crossings go that it is told ahead; 0 if it asks for each.
    #[serde(default)]
    pub ring: u64,
}
