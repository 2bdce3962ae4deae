//! What it costs to observe one class of a program that analyses bytecode, and to
//! play it again: `cargo xtask study observe-cost`.
//!
//! Four drivers, nine classes each, twice over: nine that were picked because they are
//! among the busiest of the program, and nine that are drawn from those of which the
//! driver executes a method, as the paper chose its classes. In every round the plain
//! program runs once and then the program with each class recorded, so that a busy
//! moment of the machine meets both. A driver says how long its work took and how much
//! processor time its thread had; the start of the JVM and of the recorder is not in
//! it. Of the ratios to the plain run of the same round, the median counts.
//!
//! A driver runs for about a second, in which the JVM has not compiled everything yet:
//! neither the program nor the probes. `OBSERVE_COST_TIMES=N` does its work N times as
//! often, as a program does that runs for long; nothing is played then.
//!
//! `OBSERVE_COST=ROUNDS` sets the number of rounds, `OBSERVE_COST_SEED=N` draws others.
#![allow(clippy::unwrap_used, reason = "a failed benchmark may panic")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]
#![allow(missing_docs, reason = "a program")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use reprise_jvm_events::event::Event;
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::{CALLS, TABLES};
use reprise_jvm_player::{Jvm, Launch, Plan};
use reprise_jvm_testing::{compile, jdks, maven};
use reprise_recording::Recording;

const JARS: [&str; 2] = [
    "org.apache.bcel:bcel:6.10.0",
    "org.apache.commons:commons-lang3:3.17.0",
];
const ROUNDS: usize = 5;
const SEED: usize = 2006;
/// How many classes of a driver are measured.
const CLASSES: usize = 9;

struct Driver {
    name: &'static str,
    /// Every how-manieth class of the jar, how many, how many times.
    work: [&'static str; 3],
    /// Busy ones.
    classes: [&'static str; CLASSES],
}

const DRIVERS: [Driver; 4] = [
    Driver {
        name: "print",
        work: ["1", "400", "4"],
        classes: [
            "classfile.ClassParser",
            "classfile.Code",
            "classfile.ConstantPool",
            "classfile.ConstantUtf8",
            "classfile.DescendingVisitor",
            "classfile.LineNumberTable",
            "classfile.Method",
            "classfile.Utility",
            "util.ByteSequence",
        ],
    },
    Driver {
        name: "verify",
        work: ["40", "10", "1"],
        classes: [
            "classfile.ConstantPool",
            "generic.ConstantPoolGen",
            "generic.InstructionHandle",
            "verifier.statics.Pass2Verifier",
            "verifier.statics.Pass3aVerifier",
            "verifier.structurals.ControlFlowGraph",
            "verifier.structurals.ExecutionVisitor",
            "verifier.structurals.Frame",
            "verifier.structurals.OperandStack",
        ],
    },
    Driver {
        name: "rewrite",
        work: ["1", "400", "3"],
        classes: [
            "classfile.ConstantPool",
            "generic.BranchHandle",
            "generic.ClassGen",
            "generic.ConstantPoolGen",
            "generic.InstructionFactory",
            "generic.InstructionHandle",
            "generic.InstructionList",
            "generic.MethodGen",
            "generic.Type",
        ],
    },
    Driver {
        name: "search",
        work: ["1", "400", "3"],
        classes: [
            "generic.ConstantPoolGen",
            "generic.INVOKEVIRTUAL",
            "generic.Instruction",
            "generic.InstructionHandle",
            "generic.InstructionList",
            "generic.MethodGen",
            "generic.Type",
            "util.InstructionFinder",
            "verifier.structurals.ControlFlowGraph",
        ],
    },
];

/// What one run took, in nanoseconds.
#[derive(Clone, Copy)]
struct Took {
    elapsed: f64,
    processor: f64,
}

/// What one class cost, against the plain runs.
struct Cost {
    /// More time, as a share of the plain run's.
    elapsed: f64,
    processor: f64,
    /// In nanoseconds of the thread's processor time.
    extra: f64,
    recorded: f64,
    events: u64,
    incoming: u64,
    /// Of the events alone, and of the tables.
    bytes: u64,
    tables: u64,
    replay: f64,
}

fn main() {
    let Some(jars) = maven::jars(env!("CARGO_TARGET_TMPDIR"), &JARS) else {
        return;
    };
    let number = |name: &str| {
        let text = std::env::var(name).ok();
        text.and_then(|n| n.parse::<usize>().ok())
    };
    let rounds = number("OBSERVE_COST").unwrap_or(ROUNDS);
    let folder = tempfile::tempdir().unwrap();
    let absolute: Vec<String> = jars.iter().map(|jar| jar.display().to_string()).collect();
    let class_path = format!(".:{}", absolute.join(":"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = source.join("tests/e2e_replay/programs/bcel/Main.java");
    compile(&[source], folder.path(), &class_path);
    let subject = Subject {
        java: jdks().remove(0),
        folder: folder.path().to_owned(),
        class_path,
        jar: absolute[0].clone(),
        times: number("OBSERVE_COST_TIMES").unwrap_or(1),
    };
    println!(
        "{rounds} rounds; time is the driver's own, the median of the ratios to the plain run"
    );
    let seed = number("OBSERVE_COST_SEED").unwrap_or(SEED);
    println!("\n## Classes drawn from those that are executed, seed {seed}");
    let drawn = subject.table(rounds, |driver| subject.draw(driver, seed));
    println!("\n## Busy classes");
    let busy = subject.table(rounds, |driver| {
        driver.classes.map(ToOwned::to_owned).into()
    });
    println!("\n## Budgets");
    let bytes = |costs: &[Cost]| {
        let incoming: u64 = costs.iter().map(|cost| cost.incoming).sum();
        let bytes: u64 = costs.iter().map(|cost| cost.bytes).sum();
        bytes as f64 / incoming as f64
    };
    for (what, costs) in [("drawn", drawn), ("busy", busy)] {
        let mean = costs.iter().map(|cost| cost.elapsed).sum::<f64>() / costs.len() as f64;
        let worst = costs.iter().map(|cost| cost.elapsed).fold(0.0, f64::max);
        println!("{what}");
        budget("bytes per incoming event", bytes(&costs), 4.0);
        budget("mean overhead, %", 100.0 * mean, 25.0);
        budget("worst overhead, %", 100.0 * worst, 150.0);
    }
}

struct Subject {
    java: PathBuf,
    folder: PathBuf,
    class_path: String,
    jar: String,
    /// How many times its work is done.
    times: usize,
}

impl Subject {
    fn work(&self, driver: &Driver) -> [String; 3] {
        let [every, count, times] = driver.work;
        let times: usize = times.parse().unwrap();
        [every, count, &(times * self.times).to_string()].map(ToOwned::to_owned)
    }

    /// All drivers, with the classes that are chosen for each.
    fn table(&self, rounds: usize, choose: impl Fn(&Driver) -> Vec<String>) -> Vec<Cost> {
        let mut all = Vec::new();
        for driver in &DRIVERS {
            let costs = self.measure(driver, &choose(driver), rounds);
            summary(driver.name, &costs);
            all.extend(costs);
        }
        summary("all drivers", &all);
        let events: u64 = all.iter().map(|cost| cost.events).sum();
        let extra: f64 = all.iter().map(|cost| cost.extra).sum();
        println!("nanoseconds per event    {:7.1}", extra / events as f64);
        all
    }

    /// Classes of which a driver executes a method, by lot.
    fn draw(&self, driver: &Driver, seed: usize) -> Vec<String> {
        let log = self.folder.join("loaded");
        let options = [format!("-Xlog:class+load:file={}", log.display())];
        self.run(driver, &options);
        let log = fs::read_to_string(log).unwrap();
        let words = log.split_whitespace();
        let mut loaded: Vec<&str> = words
            .filter_map(|word| word.strip_prefix("org.apache.bcel."))
            .collect();
        loaded.sort_unstable();
        loaded.dedup();
        let mut lot = seed as u64;
        let mut drawn = Vec::new();
        while drawn.len() < CLASSES && !loaded.is_empty() {
            // Knuth's generator for MMIX; its upper half is the good one.
            lot = lot
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let class = loaded.swap_remove((lot >> 33) as usize % loaded.len());
            let file = self.folder.join("drawn.reprise");
            let _ = fs::remove_file(&file);
            self.run(driver, &[observing(class, &file)]);
            // One that nothing can be recorded of, such as an interface, leaves no file.
            let is_executed = Recording::open(&file).is_ok_and(|recording| count(&recording).0 > 0);
            if is_executed {
                drawn.push(class.to_owned());
            }
        }
        drawn.sort_unstable();
        drawn
    }

    fn measure(&self, driver: &Driver, classes: &[String], rounds: usize) -> Vec<Cost> {
        let mut ratios: Vec<Vec<(Took, Took)>> = vec![Vec::new(); classes.len()];
        let mut files = Vec::new();
        for round in 0..rounds {
            let (said, plain) = self.run(driver, &[]);
            for (class, ratios) in classes.iter().zip(&mut ratios) {
                let file = self.folder.join(format!("{}-{class}.reprise", driver.name));
                let _ = fs::remove_file(&file);
                let (also, recorded) = self.run(driver, &[observing(class, &file)]);
                assert!(said == also, "{class}: the program says something else");
                ratios.push((plain, recorded));
                if round == 0 {
                    files.push(file);
                }
            }
        }
        println!(
            "\n{} {}\nclass                                    overhead  of processor       events  \
             crossings/s  bytes/incoming  tables KB  replay s",
            driver.name,
            self.work(driver).join(" ")
        );
        let mut costs = Vec::new();
        for ((class, ratios), file) in classes.iter().zip(&ratios).zip(files) {
            let cost = self.cost(ratios, &file);
            fs::remove_file(file).unwrap();
            println!(
                "{class:40} {:7.1}%  {:11.1}%  {:11}  {:11.0}  {:14.2}  {:9}  {:8.2}",
                100.0 * cost.elapsed,
                100.0 * cost.processor,
                cost.events,
                cost.events as f64 / cost.recorded * 1e9,
                cost.bytes as f64 / cost.incoming.max(1) as f64,
                cost.tables / 1000,
                cost.replay,
            );
            costs.push(cost);
        }
        costs
    }

    /// What the program says, and what it took.
    fn run(&self, driver: &Driver, options: &[String]) -> (Vec<u8>, Took) {
        let mut command = Command::new(&self.java);
        command.args(options);
        let output = command
            .args(["-Dcost=true", "-cp", &self.class_path, "Main", driver.name])
            .arg(&self.jar)
            .args(self.work(driver))
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(&self.folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let errors = String::from_utf8(output.stderr).unwrap();
        let figures = errors.lines().find_map(|line| line.strip_prefix("cost "));
        let figures: Vec<f64> = figures
            .unwrap()
            .split(' ')
            .map(|figure| figure.parse().unwrap())
            .collect();
        let took = Took {
            elapsed: figures[0],
            processor: figures[1],
        };
        (output.stdout, took)
    }

    fn cost(&self, runs: &[(Took, Took)], file: &Path) -> Cost {
        let of = |figure: &dyn Fn(&(Took, Took)) -> f64| median(runs.iter().map(figure).collect());
        let recording = Recording::open(file).unwrap();
        let (events, incoming) = count(&recording);
        let size = |kind| -> u64 {
            let streams = recording.streams().filter(|(_, info)| info.kind == kind);
            let chunks = streams.flat_map(|(stream, _)| recording.chunks(stream));
            chunks.map(|chunk| chunk.len).sum()
        };
        let start = Instant::now();
        if self.times == 1 {
            self.play(&recording, file);
        }
        Cost {
            elapsed: of(&|(plain, recorded)| recorded.elapsed / plain.elapsed - 1.0),
            processor: of(&|(plain, recorded)| recorded.processor / plain.processor - 1.0),
            extra: of(&|(plain, recorded)| recorded.processor - plain.processor),
            recorded: of(&|(_, recorded)| recorded.elapsed),
            events,
            incoming,
            bytes: size(CALLS),
            tables: size(TABLES),
            replay: start.elapsed().as_secs_f64(),
        }
    }

    fn play(&self, recording: &Recording, file: &Path) {
        let launch = Launch {
            java: self.java.clone(),
            ..Launch::default()
        };
        let mut jvm = Jvm::start(&launch).unwrap();
        let played = jvm.play(recording, &Plan::default()).unwrap();
        assert_eq!(played.divergences, [], "{}", file.display());
    }
}

/// The agent for one class.
fn observing(class: &str, file: &Path) -> String {
    format!(
        "-agentpath:{}=out={},observe=org.apache.bcel.{class}",
        reprise_jvm_testing::agent_library().display(),
        file.display()
    )
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// All events of the threads, and those that came in.
fn count(recording: &Recording) -> (u64, u64) {
    let mut reader = Reader::default();
    for (stream, _) in recording.streams().filter(|(_, info)| info.kind == TABLES) {
        let mut entries = recording.events(stream, 0).unwrap();
        while let Some(entry) = entries.next().unwrap() {
            reader.table(entry.payload).unwrap();
        }
    }
    let (mut all, mut incoming) = (0, 0);
    for (stream, info) in recording.streams().filter(|(_, info)| info.kind == CALLS) {
        let mut events = recording.events(stream, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            all += 1;
            match reader.event(info.thread, event.payload).unwrap() {
                Event::InCallRet { .. }
                | Event::OutCall { .. }
                | Event::OutWrite(_)
                | Event::ExcOut { .. } => {}
                _ => incoming += 1,
            }
        }
    }
    (all, incoming)
}

fn summary(name: &str, costs: &[Cost]) {
    let mut overheads: Vec<f64> = costs.iter().map(|cost| 100.0 * cost.elapsed).collect();
    overheads.sort_by(f64::total_cmp);
    let mean = overheads.iter().sum::<f64>() / overheads.len() as f64;
    println!(
        "{name}: overhead minimum {:.1}%, mean {mean:.1}%, maximum {:.1}%",
        overheads[0],
        overheads[overheads.len() - 1]
    );
}

fn budget(name: &str, measured: f64, limit: f64) {
    let verdict = if measured <= limit { "kept" } else { "MISSED" };
    println!("{name:24} {measured:7.1}   budget {limit:5.1}   {verdict}");
}
