//! Cooperative recording: a share of what a JVM program's threads share, plans of who
//! records what, and putting shares together again.
//!
//! | what | file |
//! | --- | --- |
//! | what a program's threads share | [`program`] |
//! | what the agent has written becomes a partial log | [`vectors`] |
//! | a share as a file | [`mod@file`] |
//! | who records what, as files | [`plan`] |
//! | what counts as a failure beside an exception | [`conditions`] |
//! | candidates on the real program | [`replayer`] |
//! | `reprise merge` | [`merge`], with its report in `report` |

pub mod conditions;
pub mod file;
pub mod merge;
pub mod plan;
pub mod program;
pub mod replayer;
mod report;
pub mod vectors;
