//! The processes of a recording, as its manifest lists them.

use serde::{Deserialize, Serialize};

/// Where in the details of the manifest they are.
pub const PROCESSES: &str = "processes";

/// A recorded process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// Its number.
    pub process: u32,
    /// The number of the process that made it.
    pub parent: u32,
    /// Its program.
    pub program: String,
    /// The status that it exited with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exited: Option<i32>,
    /// The signal that killed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed: Option<i32>,
    /// It is the one that failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}
