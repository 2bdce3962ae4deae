//! What was decided, and why.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use reprise_c_analysis::boundary::{Cost, Flow};
use reprise_cc::request::{Report, Request as Question};

use super::Request;
use crate::escape::{Lines, escape};
use crate::failure::{Failure, Status};
use crate::readable;

/// How many flows are listed.
const LISTED: usize = 12;

/// How many threads are.
const THREADS: usize = 4;

/// How many functions of which nothing is known are.
const UNKNOWN: usize = 8;

/// How many inside functions are.
const FUNCTIONS: usize = 40;

/// The names nearest to a target that means nothing.
pub(super) fn nearest(question: &Question, names: Vec<String>) -> Vec<String> {
    let Question::Cut { targets, .. } = question else {
        return Vec::new();
    };
    let like = |name: &String| {
        let near = targets
            .iter()
            .map(|one| strsim::normalized_damerau_levenshtein(one, name));
        near.fold(0.0, f64::max)
    };
    let mut names: Vec<(f64, String)> = names.into_iter().map(|name| (like(&name), name)).collect();
    names.sort_by(|one, other| other.0.total_cmp(&one.0));
    let near = names.into_iter().filter(|(near, _)| *near > 0.4);
    near.take(3).map(|(_, name)| name).collect()
}

pub(super) fn print(request: &Request, report: &Report) -> Result<Status, Failure> {
    if request.json {
        let text = serde_json::to_string_pretty(report).unwrap_or_default();
        writeln!(io::stdout(), "{text}").map_err(Failure::output)?;
        return Ok(Status::Done);
    }
    let text = match &request.explain {
        Some(function) => explain(request, report, function)?,
        None => text(request, report),
    };
    let text = escape(text.as_bytes(), Lines::Many);
    write!(io::stdout(), "{text}").map_err(Failure::output)?;
    Ok(Status::Done)
}

fn size(bytes: u64, events: u64) -> String {
    format!("{} of data in {events} events", readable::size(bytes))
}

fn text(request: &Request, report: &Report) -> String {
    let inside: Vec<&(String, String, bool)> = report
        .functions
        .iter()
        .filter(|(_, _, inside)| *inside)
        .collect();
    let bytes = report.flows.iter().map(|cost| cost.bytes).sum();
    let events = report.flows.iter().map(|cost| cost.events).sum();
    let mut text = String::new();
    let out = &mut text;
    let outside = report.functions.len() - inside.len();
    let _ = writeln!(
        out,
        "inside     {} functions, {} of {} variables",
        inside.len(),
        report.objects.0,
        report.objects.1
    );
    let _ = writeln!(out, "outside    {outside} functions, and all libraries");
    let per = if report.weighed {
        "as weighed"
    } else {
        "not weighed: everything counts once"
    };
    let _ = writeln!(out, "log        {} ({per})", size(bytes, events));
    for (name, other) in [("naive", report.naive), ("whole", report.whole)] {
        if name == "naive" && request.targets.is_empty() {
            continue;
        }
        let other = other.map_or("not possible".to_owned(), |(bytes, events)| {
            size(bytes, events)
        });
        let _ = writeln!(out, "{name:<10} {other}");
    }
    let looked_at = match report.weighed {
        true => format!(", {} times as weighed", report.looked_at),
        false => String::new(),
    };
    let _ = writeln!(
        out,
        "checks     {} of {} loads and stores of inside functions{looked_at}",
        report.checked.0, report.checked.1
    );
    for thread in report.threads.iter().take(THREADS) {
        let _ = writeln!(
            out,
            "threads    {} ({}) may come to {}: one thread is inside at a time",
            thread.begins, thread.place, thread.comes_to
        );
    }
    for handler in report.signals.iter().take(THREADS) {
        let _ = writeln!(
            out,
            "signals    {} ({}) may come to {}: it waits for a crossing where it interrupts the inside",
            handler.begins, handler.place, handler.comes_to
        );
    }
    if !report.unknown.is_empty() {
        let named = report.unknown.iter().take(UNKNOWN);
        let named = named.map(|one| match one.times {
            times @ 1.. if report.weighed => {
                format!("{} ({}; {times} times)", one.name, one.place)
            }
            _ => format!("{} ({})", one.name, one.place),
        });
        let more = match report.unknown.len().saturating_sub(UNKNOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = writeln!(
            out,
            "unknown    {}{more}: all that they can reach counts as theirs",
            named.collect::<Vec<_>>().join(", ")
        );
    }
    if !report.missed.is_empty() {
        let named = report.missed.iter().take(UNKNOWN);
        let named = named.map(|one| format!("{} ({})", one.what, one.function));
        let more = match report.missed.len().saturating_sub(UNKNOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = writeln!(
            out,
            "missed     {}{more}: seen while it was weighed, not computed, and taken for a fact now",
            named.collect::<Vec<_>>().join(", ")
        );
    }
    let [read, solved, cut, built] = report.milliseconds;
    let (nodes, edges) = report.graph;
    let _ = writeln!(
        out,
        "time       {read} ms reading, {solved} ms pointers, {cut} ms cut of {nodes} nodes and {edges} edges, {built} ms building"
    );
    let _ = writeln!(out, "\nWhat crosses");
    for cost in report.flows.iter().take(LISTED) {
        let _ = writeln!(
            out,
            "  {:>10}  {:>9}  {}",
            readable::size(cost.bytes),
            cost.events,
            flow(&cost.flow)
        );
    }
    if let Some(more @ 1..) = report.flows.len().checked_sub(LISTED) {
        let _ = writeln!(out, "  and {more} more (--json)");
    }
    let _ = writeln!(out, "\nInside");
    for (name, place, _) in inside.iter().take(FUNCTIONS) {
        let _ = writeln!(out, "  {name}  {place}");
    }
    if let Some(more @ 1..) = inside.len().checked_sub(FUNCTIONS) {
        let _ = writeln!(out, "  and {more} more (--json)");
    }
    if let Some(output) = &request.output {
        let output = output.display();
        let _ = writeln!(out, "\nNext\n  reprise record -- ./{output} …    record it");
    }
    text
}

fn flow(flow: &Flow) -> String {
    match flow {
        Flow::Read { function, objects } => format!("{function} reads {}", objects.join(", ")),
        Flow::Entry { caller, callee } => format!("{caller} calls {callee}"),
        Flow::Result { caller, callee } => format!("{callee} returns to {caller}"),
        Flow::Filled { caller, callee } => format!("{callee} fills memory of {caller}"),
    }
}

fn concerns(cost: &Cost, name: &str) -> bool {
    match &cost.flow {
        Flow::Read { function, .. } => function == name,
        Flow::Entry { caller, callee }
        | Flow::Result { caller, callee }
        | Flow::Filled { caller, callee } => caller == name || callee == name,
    }
}

fn explain(request: &Request, report: &Report, function: &str) -> Result<String, Failure> {
    let found = report.functions.iter().find(|(name, ..)| name == function);
    let Some((name, place, inside)) = found else {
        let doing = format!("explain {function} of {}", request.program.display());
        return Err(Failure::new(doing, "there is no such function").status(Status::BadInput));
    };
    let side = if *inside { "inside" } else { "outside" };
    let mut text = format!("{name} ({place}) is {side}\n");
    let mut any = false;
    for cost in report.flows.iter().filter(|cost| concerns(cost, function)) {
        any = true;
        let (bytes, events) = (readable::size(cost.bytes), cost.events);
        let _ = writeln!(text, "  {bytes:>10}  {events:>9}  {}", flow(&cost.flow));
    }
    if !any {
        text.push_str("  nothing of it crosses the boundary\n");
    }
    Ok(text)
}
