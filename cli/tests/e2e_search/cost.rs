//! What schedules cost: kernels of several threads, plain, recorded while they run freely,
//! and following what they did.
//!
//! `cargo xtask study schedule-cost` does that with all of them at length, and prints a
//! table for `studies/`.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use reprise_jvm_testing::{jdks, limited};

use crate::stage::Stage;

/// The kernels, how much each does where a share is recorded, and how much where all is: there
/// it takes seconds, so that what the JVM does to begin, and to compile, is not what counts.
pub(crate) const KERNELS: &[(&str, u32, u32)] = &[
    ("barrier", 1_000, 40_000),
    ("busy-wait", 1_000, 60_000),
    ("wait-notify", 2_000, 20_000),
    ("synchronized", 10_000, 600_000),
    ("threads", 400, 8_000),
    ("fork-join", 1_600, 48_000),
    ("series", 800, 64_000),
    ("lu", 150, 2_800),
    ("sor", 100, 5_000),
    ("crypt", 3_000, 200_000),
    ("sparse", 200, 16_000),
];

/// How often each is run in the study.
const ROUNDS: usize = 5;

/// What the program says it took, in milliseconds.
fn elapsed(output: &Output) -> f64 {
    let said = String::from_utf8_lossy(&output.stderr);
    let mut words = said
        .lines()
        .filter_map(|line| line.strip_prefix("elapsed "));
    let text = words.next().unwrap_or_else(|| panic!("{output:?}"));
    text.parse().unwrap()
}

pub(crate) fn plain(stage: &Stage, java: &Path, arguments: &[&str], one_core: bool) -> Output {
    let mut command = match one_core {
        true => {
            let mut command = Command::new("taskset");
            command.args(["-c", "0"]).arg(java);
            command
        }
        false => Command::new(java),
    };
    command
        .current_dir(stage.folder.path())
        .args(["-cp", ".", "Main"])
        .args(arguments);
    limited::output(&mut command)
}

/// What a run took; what it printed is what was expected.
fn took(expected: &[u8], output: &Output) -> f64 {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout, expected, "{output:?}");
    elapsed(output).max(1.0)
}

/// The same computation in four ways, one after the other, in milliseconds: what else the machine
/// has to do comes to all of them.
struct Round {
    plain: f64,
    one_core: f64,
    free: f64,
    replay: f64,
}

/// The least, the median and the greatest of something.
fn spread(rounds: &[Round], of: impl Fn(&Round) -> f64) -> [f64; 3] {
    let mut all: Vec<f64> = rounds.iter().map(of).collect();
    all.sort_by(f64::total_cmp);
    [all[0], all[all.len() / 2], all[all.len() - 1]]
}

fn record(stage: &Stage, java: &Path, arguments: &[&str], file: &Path) -> Output {
    stage.remove(file);
    let options = [
        "record".as_ref(),
        "--schedule=free".as_ref(),
        "-o".as_ref(),
        file.as_os_str(),
    ];
    stage.reprise_with(java, &options, arguments)
}

/// How often threads switch in a schedule.
fn switches(stage: &Stage, file: &Path) -> usize {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command
        .current_dir(stage.folder.path())
        .args(["schedule", "convert", "--to", "switches"])
        .arg(file);
    let text = limited::output(&mut command).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    let switches = |line: &&str| line.starts_with("switch ") || line.starts_with("die ");
    text.lines().filter(switches).count()
}

/// A kernel of each kind, shortly: what it computed comes again.
#[test]
fn kernels_compute_the_same_under_what_they_did() {
    if std::env::var_os("REPRISE_STUDY").is_some() {
        return;
    }
    let stage = Stage::new("schedule-kernels");
    let java = jdks().remove(0);
    for arguments in [["busy-wait", "50"], ["sor", "5"], ["fork-join", "64"]] {
        let file = stage.folder.path().join(format!("{}.sched", arguments[0]));
        let recorded = record(&stage, &java, &arguments, &file);
        assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
        let options = ["replay".as_ref(), file.as_os_str()];
        let played = stage.reprise_with(&java, &options, &arguments);
        assert_eq!(played.status.code(), Some(0), "{played:?}");
        assert_eq!(played.stdout, recorded.stdout);
    }
}

#[test]
fn what_schedules_cost() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let stage = Stage::new("schedule-kernels");
    let java = jdks().remove(0);
    println!(
        "Medians of {ROUNDS} rounds; ratios are of runs of the same round, with the least and the \
         greatest.\n"
    );
    println!(
        "| kernel | plain, ms | one core, ms | free | budget 15 % | switches | one per, µs | \
         replay / plain | replay / one core | budget 2× |"
    );
    println!("|{}", " --- |".repeat(10));
    for (name, _, size) in KERNELS {
        let size = size.to_string();
        let arguments = [*name, size.as_str()];
        let file = stage.folder.path().join(format!("{name}.sched"));
        let began = Instant::now();
        let expected = plain(&stage, &java, &arguments, false).stdout;
        let round = |_| Round {
            plain: took(&expected, &plain(&stage, &java, &arguments, false)),
            one_core: took(&expected, &plain(&stage, &java, &arguments, true)),
            free: took(&expected, &record(&stage, &java, &arguments, &file)),
            replay: took(&expected, &{
                let options = ["replay".as_ref(), file.as_os_str()];
                stage.reprise_with(&java, &options, &arguments)
            }),
        };
        let rounds: Vec<Round> = (0..ROUNDS).map(round).collect();
        let switches = switches(&stage, &file);
        let [_, parallel, _] = spread(&rounds, |round| round.plain);
        let [_, alone, _] = spread(&rounds, |round| round.one_core);
        let [least, over, most] = spread(&rounds, |round| 100.0 * (round.free / round.plain - 1.0));
        let [_, replay, _] = spread(&rounds, |round| round.replay / round.plain);
        let [_, ratio, _] = spread(&rounds, |round| round.replay / round.one_core);
        let each = 1000.0 * alone / f64::from(u32::try_from(switches.max(1)).unwrap());
        let verdict = |kept: bool| if kept { "kept" } else { "MISSED" };
        let follows = match each < 10.0 {
            true => "more switches",
            false => verdict(ratio <= 2.0),
        };
        println!(
            "| {name} | {parallel:.0} | {alone:.0} | {over:+.0} % ({least:+.0} to {most:+.0}) | {} | \
             {switches} | {each:.0} | {replay:.2} | {ratio:.2} | {follows} |",
            verdict(over <= 15.0),
        );
        eprintln!("{name}: {:.0} s", began.elapsed().as_secs_f64());
    }
}
