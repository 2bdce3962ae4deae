//! A picture of the cut: on the left what is outside, on the right what is inside, and
//! between them what crosses. Only what is next to the boundary is drawn; of a large
//! program the dearest.

use std::fmt::Write as _;

use reprise_c_analysis::boundary::{Cost, Flow};
use reprise_cc::request::Report;

use crate::readable;

/// The most flows that are drawn: more cannot be read.
const FLOWS: usize = 40;

const ROW: usize = 34;
const TOP: usize = 84;
const BOX: (usize, usize) = (360, 24);
const LEFT: usize = 20;
const RIGHT: usize = 700;
const WIDTH: usize = RIGHT + BOX.0 + LEFT;

/// The most letters of a name.
const LETTERS: usize = 48;

/// The picture, as SVG.
pub(super) fn draw(title: &str, report: &Report) -> String {
    let flows: Vec<&Cost> = report.flows.iter().take(FLOWS).collect();
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    let mut lines = Vec::new();
    for cost in &flows {
        let (from, to) = ends(&cost.flow);
        lines.push((row(&mut outside, from), row(&mut inside, to), *cost));
    }
    let height = TOP + outside.len().max(inside.len()).max(1) * ROW + 40;
    let middle = (LEFT + BOX.0).midpoint(RIGHT);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>"
    );
    text(
        &mut out,
        LEFT,
        26,
        "start",
        &format!("The boundary of {title}"),
    );
    let (bytes, events) = (
        report.flows.iter().map(|cost| cost.bytes).sum(),
        report.flows.iter().map(|cost| cost.events).sum::<u64>(),
    );
    let more = report.flows.len() - flows.len();
    let more = match more {
        0 => String::new(),
        more => format!("; {more} smaller flows are not drawn"),
    };
    let size = readable::size(bytes);
    text(
        &mut out,
        LEFT,
        46,
        "start",
        &format!("{size} of data in {events} events{more}"),
    );
    text(&mut out, LEFT, TOP - 12, "start", "outside");
    text(&mut out, RIGHT, TOP - 12, "start", "inside");
    let bottom = height - 20;
    let _ = writeln!(
        out,
        "<line x1=\"{middle}\" y1=\"{}\" x2=\"{middle}\" y2=\"{bottom}\" stroke=\"#c33\" \
         stroke-dasharray=\"6 4\"/>",
        TOP - 20
    );
    for (left, right, cost) in &lines {
        line(&mut out, *left, *right, cost);
    }
    for (column, names, fill) in [(LEFT, &outside, "#eee"), (RIGHT, &inside, "#dfd")] {
        for (index, name) in names.iter().enumerate() {
            node(&mut out, column, index, name, fill);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// What is outside and what is inside of a flow.
fn ends(flow: &Flow) -> (String, String) {
    match flow {
        Flow::Read { function, objects } => (objects.join(", "), function.clone()),
        Flow::Entry { caller, callee } => (format!("{caller}()"), callee.clone()),
        Flow::Result { caller, callee } | Flow::Filled { caller, callee } => {
            (format!("{callee}()"), caller.clone())
        }
    }
}

fn row(names: &mut Vec<String>, name: String) -> usize {
    let known = names.iter().position(|one| *one == name);
    known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn middle_of(row: usize) -> usize {
    TOP + row * ROW + BOX.1 / 2
}

fn line(out: &mut String, left: usize, right: usize, cost: &Cost) {
    let (from, to) = (middle_of(left), middle_of(right));
    // Ten times the data is one more of width.
    let width = 1 + cost.bytes.max(1).ilog10();
    let (x1, x2) = (LEFT + BOX.0, RIGHT);
    let (kind, color) = match cost.flow {
        Flow::Read { .. } => ("read", "#36c"),
        Flow::Entry { .. } => ("call", "#393"),
        Flow::Result { .. } => ("result", "#a60"),
        Flow::Filled { .. } => ("filled", "#818"),
    };
    let _ = writeln!(
        out,
        "<path d=\"M {x1} {from} C {} {from}, {} {to}, {x2} {to}\" fill=\"none\" \
         stroke=\"{color}\" stroke-width=\"{width}\" stroke-opacity=\"0.6\"/>",
        x1 + 100,
        x2 - 100
    );
    let said = format!("{kind}: {} in {}", readable::size(cost.bytes), cost.events);
    text(out, x2 - 8, to - 3, "end", &said);
}

fn node(out: &mut String, x: usize, row: usize, name: &str, fill: &str) {
    let (y, (width, height)) = (TOP + row * ROW, BOX);
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" \
         fill=\"{fill}\" stroke=\"#666\"/>"
    );
    let short: String = match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.to_owned(),
    };
    text(out, x + 8, y + 17, "start", &short);
}

/// Names come out of a program: whatever is in them is text.
fn text(out: &mut String, x: usize, y: usize, anchor: &str, said: &str) {
    let mut safe = String::new();
    for letter in said.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            letter if letter.is_control() => safe.push('?'),
            letter => safe.push(letter),
        }
    }
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{safe}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_crosses_is_drawn_between_both_sides() {
        let read = |function: &str, object: &str| Cost {
            flow: Flow::Read {
                function: function.to_owned(),
                objects: vec![object.to_owned()],
            },
            bytes: 1000,
            events: 10,
        };
        let mut flows = vec![read("f", "a < b"), read("f", "c")];
        flows.extend((0..FLOWS).map(|number| read(&format!("g{number}"), "c")));
        let report = Report {
            flows,
            ..Report::default()
        };
        let picture = draw("prog", &report);
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        assert!(picture.contains(">a &lt; b</text>"), "{picture}");
        assert_eq!(picture.matches(">c</text>").count(), 1);
        assert_eq!(picture.matches("<path ").count(), FLOWS);
        assert!(picture.contains("; 2 smaller flows are not drawn"));
    }
}
