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

/// The kernels, and how much each does in the study.
pub(crate) const KERNELS: &[(&str, u32)] = &[
    ("barrier", 10_000),
    ("busy-wait", 10_000),
    ("wait-notify", 20_000),
    ("synchronized", 100_000),
    ("threads", 4_000),
    ("fork-join", 16_000),
    ("series", 8_000),
    ("lu", 1_500),
    ("sor", 1_000),
    ("crypt", 30_000),
    ("sparse", 2_000),
];

/// How often each is run in the study; the fastest counts.
pub(crate) const RUNS: usize = 3;

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

/// The fastest of several runs, in milliseconds; what they print is the same.
pub(crate) fn fastest(
    runs: usize,
    expected: Option<&[u8]>,
    mut run: impl FnMut(usize) -> Output,
) -> f64 {
    let times = (0..runs).map(|number| {
        let output = run(number);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        if let Some(expected) = expected {
            assert_eq!(output.stdout, expected, "{output:?}");
        }
        elapsed(&output)
    });
    times.fold(f64::MAX, f64::min).max(1.0)
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
        "| kernel | plain, ms | one core, ms | free | budget 15 % | switches | one per, µs | \
         replay / plain | replay / one core | budget 2× |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, size) in KERNELS {
        let size = size.to_string();
        let arguments = [*name, size.as_str()];
        let file = stage.folder.path().join(format!("{name}.sched"));
        let began = Instant::now();
        let first = plain(&stage, &java, &arguments, false);
        let expected = Some(first.stdout.as_slice());
        let parallel = fastest(RUNS, expected, |_| plain(&stage, &java, &arguments, false));
        let alone = fastest(RUNS, expected, |_| plain(&stage, &java, &arguments, true));
        let free = fastest(RUNS, expected, |_| record(&stage, &java, &arguments, &file));
        let options = ["replay".as_ref(), file.as_os_str()];
        let replay = fastest(RUNS, expected, |_| {
            stage.reprise_with(&java, &options, &arguments)
        });
        let switches = switches(&stage, &file);
        let each = 1000.0 * alone / f64::from(u32::try_from(switches.max(1)).unwrap());
        let over = 100.0 * (free / parallel - 1.0);
        let ratio = replay / alone;
        let verdict = |kept: bool| if kept { "kept" } else { "MISSED" };
        let follows = match each < 10.0 {
            true => "more switches",
            false => verdict(ratio <= 2.0),
        };
        println!(
            "| {name} | {parallel:.0} | {alone:.0} | {over:+.0} % | {} | {switches} | \
             {each:.0} | {:.2} | {ratio:.2} | {follows} |",
            verdict(over <= 15.0),
            replay / parallel,
        );
        eprintln!("{name}: {:.0} s", began.elapsed().as_secs_f64());
    }
}
