//! `cargo xtask bench`: measures the budgets and shows them in one table.
//!
//! A budget is measured by a bench target called `budgets`, in the package that
//! has to keep it. The target is a program of its own (`harness = false`) that
//! gets the names to measure as arguments (none: all), and for each prints
//!
//! ```text
//! BUDGET\tname\tmeasured\tbudget\tok|over
//! ```
//!
//! on a line of its standard output. Its other lines pass through.

use std::process::ExitCode;

use crate::setup::{self, Task};
use crate::workspace::Workspace;
use crate::{Failure, TaskResult, bad_usage, command, results, table};

/// The name of the bench targets this task runs.
const TARGET: &str = "budgets";

#[derive(Debug, Default, PartialEq)]
struct Options {
    strict: bool,
    save: bool,
    names: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options::default();
        for argument in arguments {
            match argument.as_str() {
                "--strict" => options.strict = true,
                "--save" => options.save = true,
                unknown if unknown.starts_with('-') => {
                    return Err(format!("There is no option `{unknown}`"));
                }
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

/// One line of the table.
#[derive(Debug, PartialEq)]
struct Budget {
    name: String,
    measured: String,
    budget: String,
    over: bool,
}

impl Budget {
    /// The budget this line reports; `None` for any other line.
    fn parse(line: &str) -> Option<Result<Self, Failure>> {
        let mut fields = line.split('\t');
        if fields.next() != Some("BUDGET") {
            return None;
        }
        let fields: Vec<&str> = fields.collect();
        let budget = match fields[..] {
            [name, measured, budget, verdict @ ("ok" | "over")] => Ok(Budget {
                name: name.to_owned(),
                measured: measured.to_owned(),
                budget: budget.to_owned(),
                over: verdict == "over",
            }),
            _ => Err(format!(
                "this line is not `BUDGET name measured budget ok|over` with tabs between: {line:?}"
            )),
        };
        Some(budget)
    }

    fn row(&self) -> Vec<String> {
        let verdict = if self.over { "over" } else { "ok" };
        vec![
            self.name.clone(),
            self.measured.clone(),
            self.budget.clone(),
            verdict.to_owned(),
        ]
    }
}

pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(problem) => return bad_usage(&problem),
    };
    let workspace = Workspace::load()?;
    let revision = results::revision(&workspace.root);
    let packages: Vec<&str> = workspace
        .packages
        .iter()
        .filter(|package| package.targets("bench").any(|name| name == TARGET))
        .map(|package| package.name.as_str())
        .collect();
    if packages.is_empty() {
        return Err(format!(
            "no package has a bench target called `{TARGET}`, so nothing was measured"
        ));
    }
    setup::ensure(Task::Bench)?;
    let mut budgets = Vec::new();
    for package in packages {
        measure(package, &options.names, &mut budgets)?;
    }
    if budgets.is_empty() {
        return Err("no budget was measured: no benchmark knows these names".to_owned());
    }
    let mut rows = vec![
        ["name", "measured", "budget", ""]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(budgets.iter().map(Budget::row));
    let text = table::aligned(&rows, "");
    print!("\n{text}");
    if options.save {
        let typed = format!("cargo xtask bench {}", arguments.join(" "));
        let file = results::keep(&workspace.root, "bench", &revision, typed.trim_end(), &text)?;
        println!("kept in {}", file.display());
    }
    let over = budgets.iter().filter(|budget| budget.over).count();
    println!("bench: {} measured, {over} over budget", budgets.len());
    Ok(if options.strict && over > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Runs the budgets of one package.
fn measure(package: &str, names: &[String], budgets: &mut Vec<Budget>) -> Result<(), Failure> {
    let mut cargo = command::cargo(&["bench", "--locked", "-p", package, "--bench", TARGET, "--"]);
    cargo.args(names);
    let before = budgets.len();
    let mut malformed = None;
    let status = command::lines(&mut cargo, |line| match Budget::parse(line) {
        Some(Ok(budget)) => budgets.push(budget),
        Some(Err(problem)) => malformed = Some(problem),
        None => println!("{line}"),
    })?;
    if let Some(problem) = malformed {
        return Err(format!("{package}: {problem}"));
    }
    if !status.success() {
        return Err(format!("`{}` failed ({status})", command::shown(&cargo)));
    }
    if names.is_empty() && budgets.len() == before {
        return Err(format!(
            "the benchmark `{TARGET}` of {package} reported no budget"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Budget, Options};

    fn arguments(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn options_may_stand_anywhere() {
        assert_eq!(
            Options::parse(&arguments(&["event", "--save", "size"])),
            Ok(Options {
                strict: false,
                save: true,
                names: arguments(&["event", "size"])
            })
        );
        assert!(Options::parse(&arguments(&["--fast"])).is_err());
    }

    #[test]
    fn a_budget_line_is_read() {
        let budget = Budget::parse("BUDGET\tscalar event\t4.1 ns\t≤ 5 ns\tok")
            .unwrap()
            .unwrap();
        assert_eq!(budget.row(), ["scalar event", "4.1 ns", "≤ 5 ns", "ok"]);
        let budget = Budget::parse("BUDGET\tsize\t5 B\t≤ 4 B\tover")
            .unwrap()
            .unwrap();
        assert!(budget.over);
    }

    #[test]
    fn other_lines_pass_and_malformed_ones_do_not_go_unnoticed() {
        assert_eq!(Budget::parse("running 3 benchmarks"), None);
        assert_eq!(Budget::parse("BUDGETS\ta"), None);
        assert!(Budget::parse("BUDGET\tsize\t5 B\t≤ 4 B").unwrap().is_err());
        assert!(
            Budget::parse("BUDGET\tsize\t5 B\t≤ 4 B\tmaybe")
                .unwrap()
                .is_err()
        );
    }
}
