//! The report for people: a table first, then the reasons, then what was tried.

use std::fmt::Write as _;

use super::diagnosis::{Diagnosis, Verdict, Word};
use super::finding::{Finding, State};
use super::kinds::Kind;
use super::process::Process;
use crate::escape::{Lines, escape};
use crate::readable::{size, wrapped};

/// The widest line of running text.
const WIDTH: usize = 88;

/// The diagnosis as text.
pub fn render(diagnosis: &Diagnosis, colours: bool) -> String {
    let mut page = Page {
        text: String::new(),
        colours,
    };
    page.heading(diagnosis);
    page.table(diagnosis);
    for (kind, record, replay) in &diagnosis.kinds {
        page.kind(kind, record, replay, diagnosis.process.is_some());
    }
    page.tried(diagnosis);
    page.text
}

struct Page {
    text: String,
    colours: bool,
}

impl Page {
    fn heading(&mut self, diagnosis: &Diagnosis) {
        let machine = &diagnosis.examination.machine;
        let cores = match machine.cores {
            1 => "1 core".into(),
            cores => format!("{cores} cores"),
        };
        let version = env!("CARGO_PKG_VERSION");
        let kernel = &machine.kernel;
        self.line(0, &format!("reprise {version} on Linux {kernel}, {cores}"));
        if let Some(process) = &diagnosis.process {
            self.line(0, &about(process));
        }
        self.text.push('\n');
    }

    fn table(&mut self, diagnosis: &Diagnosis) {
        let with_replay = diagnosis.process.is_none();
        let _ = write!(self.text, "{:21}{:10}", "", "record");
        if with_replay {
            let _ = write!(self.text, "{:10}", "replay");
        }
        self.end_line();
        for (kind, record, replay) in &diagnosis.kinds {
            let _ = write!(self.text, "{:21}", kind.option);
            self.word(record.word, 10);
            if with_replay {
                self.word(replay.word, 10);
            }
            let _ = writeln!(self.text, "{}", kind.records);
        }
    }

    fn kind(&mut self, kind: &Kind, record: &Verdict, replay: &Verdict, process: bool) {
        self.text.push('\n');
        let option = kind.option;
        self.bold(option);
        self.text.push('\n');
        self.verdict("record", record);
        if !process {
            self.verdict("replay", replay);
            self.line(2, kind.promise);
        }
    }

    fn verdict(&mut self, act: &str, verdict: &Verdict) {
        let _ = write!(self.text, "  {act}: ");
        self.word(verdict.word, 0);
        self.text.push('\n');
        for reason in &verdict.reasons {
            self.line(4, &reason.what);
            if !reason.costs.is_empty() {
                self.line(6, &format!("costs: {}", reason.costs));
            }
            for fix in &reason.fixes {
                // A command line is not wrapped, so that it can be copied.
                let fix = escape(fix.as_bytes(), Lines::One);
                let _ = writeln!(self.text, "      fix: {fix}");
            }
        }
    }

    fn tried(&mut self, diagnosis: &Diagnosis) {
        self.text.push('\n');
        self.bold("What was tried");
        self.text.push('\n');
        let examination = &diagnosis.examination;
        for (need, finding) in &examination.findings {
            self.finding(need.name(), finding);
        }
        self.finding("counters", &examination.counters);
        if let Some(process) = &diagnosis.process {
            self.text.push('\n');
            self.bold(&format!("Process {}", process.pid));
            self.text.push('\n');
            self.finding("program", &process.architecture);
            self.finding("attach", &process.tracing);
            self.finding("rings", &process.rings);
            self.finding("jvm", &process.jvm);
        }
    }

    fn finding(&mut self, name: &str, finding: &Finding) {
        let _ = write!(self.text, "  {name:13}");
        let word = match finding.state {
            State::Works => Word::Yes,
            State::Limited => Word::But,
            State::Fails => Word::No,
        };
        self.word(word, 10);
        let detail = escape(finding.detail.as_bytes(), Lines::One).to_string();
        let mut lines = wrapped(&detail, WIDTH - 25).into_iter();
        let _ = writeln!(self.text, "{}", lines.next().unwrap_or_default());
        for line in lines {
            let _ = writeln!(self.text, "{:25}{line}", "");
        }
    }

    /// Running text, wrapped and indented.
    fn line(&mut self, indent: usize, text: &str) {
        let text = escape(text.as_bytes(), Lines::One).to_string();
        for line in wrapped(&text, WIDTH - indent) {
            let _ = writeln!(self.text, "{:indent$}{line}", "");
        }
    }

    /// A verdict, padded to a width that the colour does not count towards.
    fn word(&mut self, word: Word, width: usize) {
        let text = word.text();
        let padding = width.saturating_sub(text.len());
        if self.colours {
            let colour = match word {
                Word::Yes => 32,
                Word::But => 33,
                Word::No => 31,
            };
            let _ = write!(self.text, "\x1b[{colour}m{text}\x1b[0m");
        } else {
            self.text.push_str(text);
        }
        let _ = write!(self.text, "{:padding$}", "");
    }

    fn bold(&mut self, text: &str) {
        if self.colours {
            let _ = write!(self.text, "\x1b[1m{text}\x1b[0m");
        } else {
            self.text.push_str(text);
        }
    }

    fn end_line(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
    }
}

fn about(process: &Process) -> String {
    let Process {
        pid,
        name,
        threads,
        resident,
        ..
    } = process;
    let threads = match threads {
        1 => "1 thread".into(),
        threads => format!("{threads} threads"),
    };
    let resident = size(*resident);
    format!("Can process {pid} ({name}, {threads}, {resident} resident) be recorded?")
}
