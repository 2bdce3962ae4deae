//! Runs named steps one after the other and adds up how they ended. A step that
//! fails does not keep the next from running: one run shows all that is wrong.

use std::time::{Duration, Instant};

use crate::{Failure, table};

/// How a step ended.
pub(crate) enum Outcome {
    /// It did its work and found nothing wrong; what it did, where the name does not say it.
    Passed(String),
    /// There was nothing it could do, and why.
    Skipped(String),
    /// What it found wrong.
    Failed(String),
}

impl From<Result<(), Failure>> for Outcome {
    fn from(result: Result<(), Failure>) -> Self {
        match result {
            Ok(()) => Outcome::Passed(String::new()),
            Err(failure) => Outcome::Failed(failure),
        }
    }
}

impl Outcome {
    fn word_and_detail(&self) -> (&'static str, &str) {
        match self {
            Outcome::Passed(detail) => ("ok", detail),
            Outcome::Skipped(detail) => ("skipped", detail),
            Outcome::Failed(detail) => ("FAILED", detail),
        }
    }
}

/// The steps run so far.
pub(crate) struct Steps {
    filters: Vec<String>,
    done: Vec<(&'static str, Outcome, Duration)>,
    started: Instant,
}

impl Steps {
    /// With filters, only the steps whose names contain one of them will run.
    pub(crate) fn new(filters: &[String]) -> Self {
        Steps {
            filters: filters.to_vec(),
            done: Vec::new(),
            started: Instant::now(),
        }
    }

    /// Runs a step, unless the filters leave it out, and says whether all is
    /// well with it as far as the next steps are concerned.
    pub(crate) fn run<O: Into<Outcome>>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> O,
    ) -> bool {
        if !self.selects(name) {
            return true;
        }
        println!("==> {name}");
        let started = Instant::now();
        let outcome = step().into();
        let took = started.elapsed();
        let (word, detail) = outcome.word_and_detail();
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(": {detail}")
        };
        println!("<== {name}: {word} after {}{detail}\n", seconds(took));
        let fine = !matches!(outcome, Outcome::Failed(_));
        self.done.push((name, outcome, took));
        fine
    }

    fn selects(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|f| name.contains(f.as_str()))
    }

    /// Since the first step began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether no step was run or skipped yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Whether a step failed so far.
    pub(crate) fn failed(&self) -> bool {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_))) > 0
    }

    /// A table of the steps, then the count in one line.
    pub(crate) fn summary(&self, task: &str) -> String {
        let mut rows = Vec::new();
        for (name, outcome, took) in &self.done {
            let (word, detail) = outcome.word_and_detail();
            // A failure may be many lines; they were shown when the step ended.
            let detail = detail.lines().next().unwrap_or_default();
            rows.push(vec![
                (*name).to_owned(),
                word.to_owned(),
                seconds(*took),
                detail.to_owned(),
            ]);
        }
        format!(
            "{}{task}: took {}\n{task}: {} passed, {} failed",
            table::aligned(&rows, "  "),
            seconds(self.elapsed()),
            self.count(|outcome| matches!(outcome, Outcome::Passed(_))),
            self.count(|outcome| matches!(outcome, Outcome::Failed(_))),
        )
    }

    fn count(&self, of: impl Fn(&Outcome) -> bool) -> usize {
        self.done
            .iter()
            .filter(|(_, outcome, _)| of(outcome))
            .count()
    }
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!(
            "{} min {:02} s",
            duration.as_secs() / 60,
            duration.as_secs() % 60
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Outcome, Steps, seconds};

    #[test]
    fn a_failure_does_not_hide_what_follows_and_a_skip_is_no_pass() {
        let mut steps = Steps::new(&[]);
        assert!(!steps.run("one", || Err("broken\nin two places".to_owned())));
        assert!(steps.run("two", || Ok(())));
        assert!(steps.run("three", || Outcome::Skipped("nothing there".to_owned())));
        assert!(steps.failed());
        let summary = steps.summary("test");
        assert!(
            summary.contains("  one    FAILED   0.0 s  broken\n"),
            "{summary}"
        );
        assert!(
            summary.contains("  three  skipped  0.0 s  nothing there\n"),
            "{summary}"
        );
        assert!(summary.ends_with("\ntest: 1 passed, 1 failed"), "{summary}");
    }

    #[test]
    fn filters_choose_steps_by_a_part_of_their_names() {
        let mut steps = Steps::new(&["end".to_owned()]);
        assert!(steps.run("build", || -> Outcome { unreachable!() }));
        assert!(steps.is_empty());
        steps.run("end-to-end", || Ok(()));
        assert!(steps.summary("test").ends_with("1 passed, 0 failed"));
    }

    #[test]
    fn durations_are_written_for_people() {
        assert_eq!(seconds(Duration::from_millis(1250)), "1.2 s");
        assert_eq!(seconds(Duration::from_secs(61)), "1 min 01 s");
    }
}
