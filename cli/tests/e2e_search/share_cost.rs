//! What recording a quarter costs against recording all: `cargo xtask study share-cost`.

use std::path::Path;
use std::process::Output;

use reprise_jvm_testing::jdks;

use crate::cost::{KERNELS, plain};
use crate::processor;
use crate::stage::{Stage, said};

/// How often each is run; the least counts.
const RUNS: usize = 3;

/// A quarter of the elements is another quarter with each seed; the mean of these counts.
const SEEDS: u32 = 4;

fn record(stage: &Stage, java: &Path, arguments: &[&str], share: &str, seed: u32) -> Output {
    let _ = std::fs::remove_file(stage.folder.path().join("x.share"));
    let seed = seed.to_string();
    let words = ["record", "--share", share, "--seed", &seed, "-o", "x.share"];
    let output = stage.reprise_with(java, &words.map(AsRef::as_ref), arguments);
    assert!(said(&output).contains("recorded x.share"), "{output:?}");
    output
}

/// The least processor time of several runs, in milliseconds; what they print is the same.
fn least(expected: &[u8], mut run: impl FnMut() -> Output) -> f64 {
    let times = (0..RUNS).map(|_| {
        let began = processor::of_children();
        let output = run();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(output.stdout, expected, "{output:?}");
        (processor::of_children() - began) * 1000.0
    });
    times.fold(f64::MAX, f64::min)
}

#[test]
fn what_shares_cost() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let stage = Stage::new("schedule-kernels");
    let java = jdks().remove(0);
    // Reading the class files and starting the agent, which has to be done once.
    let nothing = ["synchronized", "1"];
    let first = plain(&stage, &java, &nothing, false).stdout;
    let start = least(&first, || plain(&stage, &java, &nothing, false));
    let recorded = least(&first, || record(&stage, &java, &nothing, "1", 1));
    println!(
        "Processor time, the least of {RUNS} runs. To start takes {start:.0} ms, recorded \
         {recorded:.0} ms, which is not counted below.\n"
    );
    println!(
        "| kernel | plain, ms | 25 %, ms | 100 %, ms | 25 % costs | 100 % costs | times less |"
    );
    println!("|{}", " --- |".repeat(7));
    // Single ratios say little where an element is hardly accessed, so all together count.
    let mut added = (0.0, 0.0);
    for (name, size, _) in KERNELS {
        let size = size.to_string();
        let arguments = [*name, size.as_str()];
        let expected = plain(&stage, &java, &arguments, false).stdout;
        let of = |start: f64, time: f64| (time - start).max(1.0);
        let parallel = least(&expected, || plain(&stage, &java, &arguments, false));
        let parallel = of(start, parallel);
        let all = of(
            recorded,
            least(&expected, || record(&stage, &java, &arguments, "1", 1)),
        );
        let quarters = (1..=SEEDS).map(|seed| {
            let least = least(&expected, || {
                record(&stage, &java, &arguments, "0.25", seed)
            });
            of(recorded, least)
        });
        let quarter = quarters.sum::<f64>() / f64::from(SEEDS);
        let (less, more) = ((quarter - parallel).max(1.0), (all - parallel).max(1.0));
        added.0 += quarter - parallel;
        added.1 += all - parallel;
        println!(
            "| {name} | {parallel:.0} | {quarter:.0} | {all:.0} | {:+.0} % | {:+.0} % | {:.1} |",
            100.0 * (quarter / parallel - 1.0),
            100.0 * (all / parallel - 1.0),
            more / less
        );
    }
    println!(
        "\nTogether, a quarter adds {:.0} ms and all of it {:.0} ms: {:.1} times less.",
        added.0,
        added.1,
        added.1 / added.0
    );
}
