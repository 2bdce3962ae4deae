//! What a boundary costs: weighed with one input, measured with another.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use reprise_recording::Recording;

use super::stage::{Stage, reprise};
use super::table::Row;

/// How often plain and recorded runs take turns.
pub(crate) const ROUNDS: usize = 3;

/// What a replay says that has done the same.
const SAME: &str = "to the end; the memory of the inside is the same";

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

/// A log: how many bytes its events have, how many there are, and how many bytes of the file
/// they take, compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    pub(crate) bytes: u64,
    pub(crate) events: u64,
    pub(crate) stored: u64,
    pub(crate) file: u64,
}

impl std::fmt::Display for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bytes, events, stored) = (self.bytes, self.events, self.stored);
        write!(f, "{bytes} bytes, {events} events, stored in {stored}")
    }
}

/// How long something took, and for how long processors were at work for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Time {
    elapsed: Duration,
    worked: Duration,
}

/// For how long processors were at work for processes of this one that have ended.
fn worked() -> Duration {
    /// What the kernel counts in.
    const TICK: u64 = 10;
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    // The name, which may have spaces, is in brackets; the two are the 16th and 17th of all.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let ticks = fields
        .skip(13)
        .take(2)
        .map(|one| one.parse::<u64>().unwrap());
    Duration::from_millis(TICK * ticks.sum::<u64>())
}

/// What recording costs, by the medians of runs that took turns.
fn costs(plain: &[Time], recorded: &[Time]) -> String {
    let of = |times: &[Time], what: fn(&Time) -> Duration| median(times.iter().map(what).collect());
    let compared = |what: fn(&Time) -> Duration| {
        let (one, other) = (of(plain, what), of(recorded, what));
        let times = other.as_secs_f64() / one.as_secs_f64().max(1e-9);
        let (one, other) = (one.as_millis(), other.as_millis());
        let times = if one == 0 {
            String::new()
        } else {
            format!(", {times:.2} times")
        };
        format!("{one} ms, {other} ms{times}")
    };
    format!(
        "{}; processor time {}",
        compared(|time| time.elapsed),
        compared(|time| time.worked)
    )
}

impl Stage {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Cuts a program that was weighed, without its weights if that is wanted, and says
    /// what `cut` says.
    pub(crate) fn cut(&self, program: &str, target: &[&str], weighed: bool) -> Row {
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
        Row::new(program, target, &said)
    }

    fn start(&self, command: &mut Command, run: Run<'_>) -> (Output, Time) {
        command.args(run.arguments).current_dir(self.folder.path());
        command.stdin(match run.input {
            Some(file) => Stdio::from(File::open(self.at(file)).unwrap()),
            None => Stdio::null(),
        });
        let (started, before) = (Instant::now(), worked());
        let output = command.output().unwrap();
        let elapsed = started.elapsed();
        let worked = worked() - before;
        (output, Time { elapsed, worked })
    }

    fn weigh(&self, case: Case<'_>) {
        let mut command = Command::new(reprise());
        command.args(["cut", case.program, "--weigh", "--", case.program]);
        let (output, _) = self.start(&mut command, case.small);
        assert!(output.status.success(), "{output:?}");
    }

    fn record(&self, run: Run<'_>) -> (Output, Time) {
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
        let mut row = self.cut(case.program, target, true);
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
        self.replayed(&mut row, case.reads);
        let costs = costs(&plain, &recorded);
        println!("times      plain and recorded: {costs}");
        row.costs.push(costs);
        if target.contains(&"--target") {
            self.cut(case.program, target, false);
            let (output, _) = self.record(case.large);
            assert!(output.status.success(), "{output:?}");
            self.replayed_unweighed(&mut row);
        }
        row.print();
    }

    /// Replays what was recorded, and says how long the log is.
    pub(crate) fn replayed(&self, row: &mut Row, reads: u64) {
        let log = self.log();
        println!(
            "recorded   a log of {log}, {:.4} of the {reads} bytes that are read; in a file of {}",
            log.bytes as f64 / reads.max(1) as f64,
            log.file
        );
        self.replay();
        (row.log, row.reads, row.replayed) = (Some(log), Some(reads), true);
    }

    /// The same of a boundary that was found without weights.
    pub(crate) fn replayed_unweighed(&self, row: &mut Row) {
        let log = self.log();
        println!("unweighed  a log of {log}");
        self.replay();
        row.unweighed = Some(log);
    }

    /// The same of a boundary of which nobody knows whether it can be recorded to the end.
    pub(crate) fn as_far_as_it_goes(&self, row: &mut Row, reads: u64) {
        let log = self.log();
        println!("recorded   a log of {log}, in a file of {}", log.file);
        let started = Instant::now();
        let output = self.try_to(&["replay", "x.reprise"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let time = started.elapsed().as_millis();
        println!("replayed   in {time} ms: {}\n", said.trim());
        (row.log, row.reads) = (Some(log), Some(reads));
        row.replayed = said.contains(SAME);
    }

    fn replay(&self) {
        let started = Instant::now();
        let (_, replayed) = self.run(&["replay", "x.reprise"]);
        let time = started.elapsed().as_millis();
        println!("replayed   in {time} ms: {}", replayed.trim());
        assert!(replayed.contains(SAME));
    }

    pub(crate) fn log(&self) -> Log {
        let recording = Recording::open(self.at("x.reprise")).unwrap();
        let (mut bytes, mut events, mut stored) = (0, 0, 0);
        for (stream, _) in recording.streams() {
            let chunks = recording.chunks(stream).iter();
            stored += chunks.map(|chunk| chunk.len).sum::<u64>();
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
            stored,
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
