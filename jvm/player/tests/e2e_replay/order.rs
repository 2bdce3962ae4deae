//! Threads that race inside: however the replay's own threads are scheduled, it
//! gives what was recorded.

use std::fs;
use std::path::Path;

use crate::support;

#[test]
fn a_race_ends_as_it_did() {
    let subject = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects/jvm-race");
    let folder = tempfile::tempdir().unwrap();
    support::compile(&support::sources(&subject), folder.path(), ".");
    for java in support::jdks() {
        for (options, times) in [("observe=Race", 25), ("observe=Race,no-oracle", 5)] {
            let program = ["-cp", ".", "Main"];
            let (file, _) = support::record(&java, folder.path(), options, &program);
            let mut jvm = support::jvm(&java);
            for time in 0..times {
                let played = support::play(&mut jvm, &file).unwrap();
                assert!(played.events > 1000, "{played:?}");
                assert!(played.divergences.is_empty(), "{time}: {played:?}");
            }
            fs::remove_file(file).unwrap();
        }
    }
}
