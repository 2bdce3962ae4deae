//! Only the last moments are kept, and they replay from where they begin.

use crate::stage::{Stage, check_end};
use crate::subjects::{compile, subjects};

#[test]
fn what_is_older_is_dropped() {
    let stage = Stage::new();
    let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo $i; done; kill -SEGV $$";
    let options = ["--last", "60ms", "--interval", "15ms"];
    let recorded = stage.record_last(&options, &["sh", "-c", script]);
    assert_eq!(recorded.status.code(), Some(139));
    let short = check_end("a loop", &recorded, &stage.replay());
    assert!(short, "all of the run was kept");
}

#[test]
fn little_memory_keeps_less() {
    let stage = Stage::new();
    let program = stage.path("program");
    let subject = subjects().into_iter().find(|s| s.name == "process-service");
    compile(&subject.unwrap(), &program);
    let options = ["--last", "1h", "--interval", "30ms", "--memory", "24M"];
    let recorded = stage.record_last(&options, &["./program"]);
    let short = check_end("a service", &recorded, &stage.replay());
    assert!(short, "all of the run was kept");
}

#[test]
fn every_subject_replays_from_the_middle() {
    for subject in subjects() {
        let stage = Stage::new();
        compile(&subject, &stage.path("program"));
        let options = ["--last", "20ms", "--interval", "2ms"];
        let recorded = stage.record_last(&options, &["./program"]);
        check_end(&subject.name, &recorded, &stage.replay());
    }
}
