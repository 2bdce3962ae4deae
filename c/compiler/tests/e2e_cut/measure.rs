//! What a boundary costs: weighed with one input, measured with another.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use reprise_recording::Recording;

use super::stage::{Stage, reprise};

/// How often plain and recorded runs take turns.
pub(crate) const ROUNDS: usize = 3;

/// A program with two inputs.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    /// Its path, from the stage's folder.
    pub(crate) program: &'a str,
    /// What it is weighed with.
    pub(crate) small: Run<'a>,
    /// What it is measured with.
    pub(crate) large: Run<'a>,
    /// How many bytes it reads then.
    pub(crate) reads: u64,
}

/// How a program is run.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) arguments: &'a [&'a str],
    /// A file of the stage's folder that is its standard input.
    pub(crate) input: Option<&'a str>,
}

pub(crate) fn with<'a>(arguments: &'a [&'a str]) -> Run<'a> {
    let input = None;
    Run { arguments, input }
}

/// A log: how many bytes its events have, and how many there are.
#[derive(Clone, Copy)]
pub(crate) struct Log {
    bytes: u64,
    events: u64,
    file: u64,
}

impl Stage {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Cuts a program that was weighed, without its weights if that is wanted, and says
    /// what `cut` says.
    pub(crate) fn cut(&self, program: &str, target: &[&str], weighed: bool) {
        for old in ["prog.cut", "x.reprise"] {
            let _ = fs::remove_file(self.at(old));
        }
        let weights = self.at(&format!("{program}.reprise.weights"));
        let away = self.at("weights.away");
        if !weighed {
            fs::rename(&weights, &away).unwrap();
        }
        let (said, _) = self.run(&[&["cut", program, "-o", "prog.cut"], target].concat());
        if weighed {
            let said: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).collect();
            println!("--- {program} {}\n{}", target.join(" "), said.join("\n"));
        } else {
            fs::rename(&away, &weights).unwrap();
        }
    }

    fn start(&self, command: &mut Command, run: Run<'_>) -> (Output, Duration) {
        command.args(run.arguments).current_dir(self.folder.path());
        command.stdin(match run.input {
            Some(file) => Stdio::from(File::open(self.at(file)).unwrap()),
            None => Stdio::null(),
        });
        let started = Instant::now();
        let output = command.output().unwrap();
        (output, started.elapsed())
    }

    fn weigh(&self, case: Case<'_>) {
        let mut command = Command::new(reprise());
        command.args(["cut", case.program, "--weigh", "--", case.program]);
        let (output, _) = self.start(&mut command, case.small);
        assert!(output.status.success(), "{output:?}");
    }

    fn record(&self, run: Run<'_>) -> (Output, Duration) {
        let _ = fs::remove_file(self.at("x.reprise"));
        let mut command = Command::new(reprise());
        command.args(["record", "-o", "x.reprise", "--", "./prog.cut"]);
        self.start(&mut command, run)
    }

    /// A boundary of a program: its log beside what the program reads, its time beside
    /// that of a plain run, its replay; and its log if nothing was weighed.
    pub(crate) fn compare(&self, case: Case<'_>, target: &[&str]) {
        if !self
            .at(&format!("{}.reprise.weights", case.program))
            .exists()
        {
            self.weigh(case);
        }
        self.cut(case.program, target, true);
        let (mut plain, mut recorded) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let program = self.at(case.program);
            let (expected, time) = self.start(&mut Command::new(program), case.large);
            plain.push(time);
            let (output, time) = self.record(case.large);
            recorded.push(time);
            assert_eq!(output.status.code(), expected.status.code(), "{output:?}");
            let (said, plain_said) = (same(&output.stdout), same(&expected.stdout));
            assert!(said == plain_said, "it says something else");
        }
        self.replayed(case.reads);
        let (plain, recorded) = (median(plain), median(recorded));
        println!(
            "times      plain {} ms, recorded {} ms: {:.2} times",
            plain.as_millis(),
            recorded.as_millis(),
            recorded.as_secs_f64() / plain.as_secs_f64()
        );
        if target.contains(&"--target") {
            self.cut(case.program, target, false);
            let (output, _) = self.record(case.large);
            assert!(output.status.success(), "{output:?}");
            self.replayed_unweighed();
        }
        println!();
    }

    /// Replays what was recorded, and says how long the log is.
    pub(crate) fn replayed(&self, reads: u64) {
        let log = self.log();
        println!(
            "recorded   a log of {} bytes in {} events, {:.4} of the {reads} that are read; in a \
             file of {}",
            log.bytes,
            log.events,
            log.bytes as f64 / reads.max(1) as f64,
            log.file
        );
        self.replay();
    }

    /// The same of a boundary that was found without weights.
    pub(crate) fn replayed_unweighed(&self) {
        let log = self.log();
        println!(
            "unweighed  a log of {} bytes in {} events",
            log.bytes, log.events
        );
        self.replay();
    }

    /// The same of a boundary of which nobody knows whether it can be recorded to the end.
    pub(crate) fn as_far_as_it_goes(&self) {
        let log = self.log();
        println!(
            "recorded   a log of {} bytes in {} events, in a file of {}",
            log.bytes, log.events, log.file
        );
        let started = Instant::now();
        let output = self.try_to(&["replay", "x.reprise"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let time = started.elapsed().as_millis();
        println!("replayed   in {time} ms: {}\n", said.trim());
    }

    fn replay(&self) {
        let started = Instant::now();
        let (_, replayed) = self.run(&["replay", "x.reprise"]);
        let time = started.elapsed().as_millis();
        println!("replayed   in {time} ms: {}", replayed.trim());
        assert!(replayed.contains("to the end; the memory of the inside is the same"));
    }

    fn log(&self) -> Log {
        let recording = Recording::open(self.at("x.reprise")).unwrap();
        let (mut bytes, mut events) = (0, 0);
        for (stream, _) in recording.streams() {
            let mut all = recording.events(stream, 0).unwrap();
            while let Some(event) = all.next().unwrap() {
                bytes += event.payload.len() as u64;
                events += 1;
            }
        }
        let file = recording.file_len();
        Log {
            bytes,
            events,
            file,
        }
    }
}

/// What a program says, without the lines about how long it took.
fn same(said: &[u8]) -> Vec<&[u8]> {
    let has = |line: &[u8], word: &str| line.windows(word.len()).any(|at| at == word.as_bytes());
    let lines = said.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !has(line, "Processor time") && !has(line, "NPS"))
        .collect()
}

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
