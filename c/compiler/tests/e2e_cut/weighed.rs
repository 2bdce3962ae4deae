//! What was weighed against what happens: estimates are near, and pointers of a run are among
//! those that were computed.

use std::fs;

use super::stage::Stage;

impl Stage {
    fn weigh_with(&self, arguments: &[&str]) {
        let _ = fs::remove_file(self.folder.path().join("prog.reprise.weights"));
        let weigh = ["cut", "./prog", "--weigh", "--", "./prog"];
        self.run(&[&weigh, arguments].concat());
    }

    /// What `cut` says as JSON.
    fn told(&self, how: &[&str]) -> serde_json::Value {
        let (said, _) = self.run(&[&["cut", "./prog", "--json"], how].concat());
        serde_json::from_str(&said).unwrap()
    }

    /// Bytes and events, as estimated and as recorded.
    fn estimated(&self, how: &[&str]) -> [(u64, u64); 2] {
        let told = self.told(how);
        let flows = told["flows"].as_array().unwrap().iter();
        let sum = |what: &str| flows.clone().map(|one| one[what].as_u64().unwrap()).sum();
        let estimate = (sum("bytes"), sum("events"));
        self.whole_way(how);
        let log = self.log();
        [estimate, (log.bytes, log.events)]
    }
}

/// Whoever reads its own memory by a pointer that may be to a text of the system, reads memory
/// of which it has read a part before, or reads what others have made: there are as many events as
/// was said, for each boundary, but for a factor of two and what every log has. Of bytes there
/// may be fewer: those of a number are in the log without its zeros.
#[test]
fn estimates_are_near() {
    /// What an event has beside its data, and what a log has beside its events.
    const EVENT: u64 = 2;
    const LOG: (u64, u64) = (60, 6);
    for subject in ["c-weighed", "c-mixed", "c-values", "c-lines"] {
        let stage = Stage::linked(subject, &["-lm"]);
        stage.weigh_with(&[]);
        for how in [
            &["--target", "in_*", "--naive"][..],
            &["--target", "in_*"],
            &["--whole-program"],
        ] {
            let [(bytes, events), (recorded_bytes, recorded)] = stage.estimated(how);
            let near = |one: u64, other: u64, more: u64| one <= 2 * other + more;
            let is_less = |one: u64, other: u64| one <= 3 * other + LOG.0;
            let bytes = bytes + EVENT * events;
            let said = format!(
                "{subject} {how:?}: {bytes} bytes and {events} events, recorded {recorded_bytes} \
                 and {recorded}"
            );
            println!("{said}");
            assert!(near(events, recorded, LOG.1), "{said}");
            assert!(near(recorded, events, LOG.1), "{said}");
            assert!(is_less(bytes, recorded_bytes), "{said}");
            assert!(near(recorded_bytes, bytes, LOG.0), "{said}");
        }
    }
}

/// All ways by which pointers get about, compiled in three ways: what they meet was computed.
/// One that goes through a pipe is found out, and is known from there on.
#[test]
fn pointers_are_within_what_was_computed() {
    let stage = Stage::new("c-within");
    for level in ["-O0", "-O1", "-O2"] {
        stage.run(&["cc", level, "-o", "prog", "main.c"]);
        stage.weigh_with(&[]);
        let told = stage.told(&["--whole-program"]);
        assert_eq!(told["missed"], serde_json::json!([]), "{level}");
        for how in [
            &["--target", "by_*", "--naive"][..],
            &["--target", "by_*"],
            &["--whole-program"],
        ] {
            stage.whole_way(how);
        }
        stage.weigh_with(&["through a pipe"]);
        let told = stage.told(&["--whole-program"]);
        let missed = serde_json::json!([{"function": "write_to", "what": "third"}]);
        assert_eq!(told["missed"], missed, "{level}");
    }
}

/// The same of other programs.
#[test]
fn nothing_is_missed() {
    for subject in [
        "c-figure2",
        "c-mixed",
        "c-values",
        "c-pointers",
        "c-stored",
        "c-far",
        "c-passed",
        "c-lent",
        "c-leaps",
        "c-jumps",
        "c-again",
    ] {
        let stage = Stage::linked(subject, &["-lm"]);
        stage.weigh_with(&[]);
        let told = stage.told(&["--whole-program"]);
        assert_eq!(told["missed"], serde_json::json!([]), "{subject}");
    }
}
