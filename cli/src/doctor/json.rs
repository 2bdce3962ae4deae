//! The report for programs.
//!
//! ```text
//! { "format": 2, "version": "0.1.0",
//!   "machine": { "kernel", "cores", "memory_available", "memory_limit", "disk_free" },
//!   "kinds":   [ { "kind", "option", "records", "promise",
//!                  "record": { "verdict", "reasons" },
//!                  "replay": … } ],
//!   "probes":  { NAME: { "state", "detail", "fixes" } },
//!   "jdks":    [ { "home", "version", "capabilities", "finding" } ],
//!   "process": null, or { "pid", "name", "threads", "resident",
//!                         "architecture", "tracing", "rings", "jvm" } }
//! ```
//!
//! A verdict is "yes", "but" or "no"; a reason has `what`, `costs` and `fixes`;
//! a state is "works", "limited" or "fails". Numbers of bytes are null when they
//! cannot be found out. Fields may be added; those here keep their meaning while
//! `format` is 2.

use serde_json::{Map, Value, json};

use super::diagnosis::{Diagnosis, Verdict};

/// The diagnosis as one JSON object and a line end.
pub fn render(diagnosis: &Diagnosis) -> String {
    let examination = &diagnosis.examination;
    let mut probes = Map::new();
    for (need, finding) in &examination.findings {
        probes.insert(need.name().into(), json!(finding));
    }
    probes.insert("counters".into(), json!(examination.counters));
    let kinds: Vec<Value> = diagnosis
        .kinds
        .iter()
        .map(|(kind, record, replay)| {
            json!({
                "kind": kind.name,
                "option": kind.option,
                "records": kind.records,
                "promise": kind.promise,
                "record": verdict(record),
                "replay": verdict(replay),
            })
        })
        .collect();
    let report = json!({
        "format": 2,
        "version": env!("CARGO_PKG_VERSION"),
        "machine": examination.machine,
        "kinds": kinds,
        "probes": probes,
        "jdks": examination.jdks,
        "process": diagnosis.process,
    });
    format!("{report:#}\n")
}

fn verdict(verdict: &Verdict) -> Value {
    json!({
        "verdict": verdict.word,
        "reasons": verdict.reasons,
    })
}
