//! The paper's metrics.
//!
//! | metric | says | where |
//! | --- | --- | --- |
//! | PSIM, DSIM | how much two logs have in common | [`similarity`] |
//! | Relevance | how well a log can be completed | [`relevance`] |
//! | Sensitivity, Specificity, Importance | how much a vector has to do with the failure | [`importance`] |
//!
//! Citations are of section IV of the CoopREP paper, "Lightweight Cooperative
//! Logging for Fault Replication in Concurrent Programs" (DSN 2012).

pub mod importance;
pub mod relevance;
pub mod similarity;
