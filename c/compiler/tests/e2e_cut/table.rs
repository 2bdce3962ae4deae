//! A row of a study's table: what a boundary of a program costs. `cargo xtask study` puts the
//! rows of all programs below each other.

use super::measure::Log;

/// What the columns are called.
const COLUMNS: [&str; 13] = [
    "program",
    "target",
    "functions inside",
    "estimate, as weighed",
    "naive",
    "whole",
    "nodes, edges",
    "reading, pointers, cut, building (ms)",
    "log",
    "of the bytes read",
    "log without weights",
    "recording costs",
    "replayed",
];

/// What is known of it so far.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) program: String,
    pub(crate) target: String,
    /// What `cut` has said of the boundary.
    pub(crate) said: String,
    pub(crate) log: Option<Log>,
    /// How many bytes the program reads.
    pub(crate) reads: Option<u64>,
    pub(crate) unweighed: Option<Log>,
    /// What recording costs, in words.
    pub(crate) costs: Vec<String>,
    pub(crate) replayed: bool,
}

impl Row {
    pub(crate) fn new(program: &str, target: &[&str], said: &str) -> Self {
        let target = target.iter().filter(|word| **word != "--target");
        let target: Vec<&str> = target.copied().collect();
        Self {
            program: program.rsplit('/').next().unwrap_or(program).to_owned(),
            target: target.join(" "),
            said: said.to_owned(),
            ..Self::default()
        }
    }

    /// What `cut` has said in a line that begins with a word.
    fn line(&self, word: &str) -> &str {
        let mut lines = self.said.lines();
        let rest = lines.find_map(|line| line.strip_prefix(word));
        rest.map_or("", str::trim)
    }

    /// The number before a word of such a line.
    fn number(&self, word: &str, before: &str) -> String {
        let words: Vec<&str> = self.line(word).split_whitespace().collect();
        let at = words.iter().position(|one| one.trim_matches(',') == before);
        let number = at.and_then(|at| words.get(at.checked_sub(1)?));
        number.map_or_else(String::new, |one| (*one).to_owned())
    }

    /// Prints it, below its columns.
    pub(crate) fn print(&self) {
        let short = |text: &str| {
            let text = text.replace(" of data in", ",").replace(" events", "");
            text.replace(" (as weighed)", "")
        };
        let functions = |word| self.number(word, "functions").parse::<u64>().unwrap_or(0);
        let (inside, outside) = (functions("inside"), functions("outside"));
        let time = ["reading", "pointers", "cut", "building"];
        // "15 ms cut": the number is before "ms".
        let line = self.line("time").replace(" ms ", "ms ");
        let times = time.map(|what| {
            let parts = line.split(", ").flat_map(|part| part.split(" of "));
            let mut parts = parts.filter_map(|part| part.strip_suffix(what));
            let ms = parts.find_map(|part| part.trim().strip_suffix("ms"));
            ms.unwrap_or("?").to_owned()
        });
        let log = |log: Option<Log>| log.map_or_else(String::new, |log| log.to_string());
        let share = self.log.zip(self.reads).map(|(log, reads)| {
            let share = log.bytes as f64 / reads.max(1) as f64;
            format!("{share:.4} of {reads}")
        });
        let cells = [
            self.program.clone(),
            format!("`{}`", self.target),
            format!("{inside} of {}", inside + outside),
            short(self.line("log")),
            short(self.line("naive")),
            short(self.line("whole")),
            format!(
                "{}, {}",
                self.number("time", "nodes"),
                self.number("time", "edges")
            ),
            times.join(", "),
            log(self.log),
            share.unwrap_or_default(),
            log(self.unweighed),
            self.costs.join("; "),
            if self.replayed { "yes" } else { "no" }.to_owned(),
        ];
        println!("| {} |", COLUMNS.join(" | "));
        println!("|{}", " --- |".repeat(COLUMNS.len()));
        println!("| {} |\n", cells.join(" | "));
    }
}

#[test]
fn a_row_has_what_cut_has_said() {
    let said = "inside     20 functions, 6701 of 7493 variables\n\
                outside    1532 functions, and all libraries\n\
                log        2.3 kB of data in 452 events (as weighed)\n\
                time       864 ms reading, 122 ms pointers, 15 ms cut of 25815 nodes and \
                44144 edges, 12521 ms building";
    let row = Row::new("./x/httpd", &["--target", "mod_alias.c:*"], said);
    assert_eq!(row.line("log"), "2.3 kB of data in 452 events (as weighed)");
    assert_eq!(row.number("time", "nodes"), "25815");
    assert_eq!(row.number("inside", "functions"), "20");
    assert_eq!(
        (row.program.as_str(), row.target.as_str()),
        ("httpd", "mod_alias.c:*")
    );
}
