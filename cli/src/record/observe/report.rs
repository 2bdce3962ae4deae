//! What the agents report, and what is said at the end.

use std::fs;
use std::path::{Path, PathBuf};

use reprise_probes::pattern::{Pattern, Patterns};
use reprise_recording::spool::{self, Recovered};
use reprise_recording::{Closing, Recording};

use crate::record::summary;

/// What the JVMs of a command have reported; see the agent's module `report`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reports {
    jvms: usize,
    outs: Vec<PathBuf>,
    discarded: Vec<PathBuf>,
    said: Vec<String>,
    /// Per JVM that came to its end: the patterns that met nothing.
    unmet: Vec<Vec<String>>,
}

impl Reports {
    fn read(folder: &Path) -> Self {
        let mut all = Self::default();
        let mut files: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.sort();
        for file in files {
            let text = fs::read(&file).unwrap_or_default();
            all.add(&String::from_utf8_lossy(&text));
        }
        all
    }

    fn add(&mut self, text: &str) {
        let mut unmet = Vec::new();
        self.jvms += 1;
        for line in text.lines() {
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            match what {
                "out" => self.outs.push(rest.into()),
                "useless" => self.outs.retain(|out| out.as_os_str() != rest),
                "discarded" => self.discarded.push(rest.into()),
                "unmet" => unmet.push(rest.to_owned()),
                "say" => self.said.push(rest.to_owned()),
                _ => {}
            }
        }
        self.unmet.push(unmet);
    }

    /// The patterns that no JVM has met.
    fn unmet_by_all(&self, patterns: &Patterns) -> Vec<String> {
        let by_all = |text: &&str| {
            self.unmet
                .iter()
                .all(|unmet| unmet.iter().any(|u| u == *text))
        };
        let texts = patterns.iter().map(Pattern::text);
        texts.filter(by_all).map(str::to_owned).collect()
    }
}

/// The last lines: what was recorded, where, and what was not.
pub fn lines(folder: &Path, patterns: &Patterns) -> Vec<String> {
    let reports = Reports::read(folder);
    let mut lines = reports.said.clone();
    lines.dedup();
    if reports.jvms == 0 {
        lines.push("nothing was recorded: the command started no JVM".to_owned());
        return lines;
    }
    for pattern in reports.unmet_by_all(patterns) {
        lines.push(format!("no class that was loaded matched '{pattern}'"));
    }
    for out in &reports.outs {
        lines.push(match reports.discarded.contains(out) {
            true => "nothing kept: it ended with status 0 (--keep all keeps every run)".to_owned(),
            false => recorded(out),
        });
    }
    if reports.outs.is_empty() && reports.said.is_empty() {
        lines.push("nothing was recorded: no observed class was used".to_owned());
    }
    lines
}

/// What there is to say about one recording.
pub fn recorded(out: &Path) -> String {
    let shown = out.display();
    match spool::recover(out) {
        Ok(Recovered::InProgress) => {
            return format!("{shown} is still being recorded: reprise stop PID ends that");
        }
        Err(error) => return format!("{shown} could not be completed: {error}"),
        Ok(_) => {}
    }
    let closing = match Recording::open(out) {
        Ok(recording) => recording
            .closing()
            .cloned()
            .unwrap_or_else(Closing::default),
        Err(error) => return format!("{shown} cannot be read: {error}"),
    };
    let bytes = fs::metadata(out).map_or(0, |metadata| metadata.len());
    let here = std::env::current_dir().unwrap_or_default();
    summary(out.strip_prefix(here).unwrap_or(out), bytes, &closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jvms_of_a_command_are_taken_together() {
        let patterns = Patterns::parse(["a.B", "a.C", "a.D"]).unwrap();
        let mut reports = Reports::default();
        reports.add("jvm 17\nunmet a.B\nunmet a.C\nunmet a.D\n");
        reports.add("jvm 17\nout /x/y z.reprise\nunmet a.B\nunmet a.D\nsay a b\n");
        assert_eq!(reports.unmet_by_all(&patterns), ["a.B", "a.D"]);
        assert_eq!(reports.outs, [PathBuf::from("/x/y z.reprise")]);
        assert_eq!(reports.said, ["a b"]);
        assert_eq!(reports.jvms, 2);
    }
}
