//! Recordings that were changed: a divergence or an error, never anything else.

use reprise_jvm_player::{Plan, PlayError};
use reprise_recording::{Recording, Source};

use crate::support;

const PROGRAM: &str = r#"
public class Main {
    public static void main(String[] args) {
        System.out.println(new Inside().twice(21));
    }
}
class Inside {
    int twice(int i) { return Math.multiplyExact(2, i) + Integer.getInteger("none", 0); }
}
"#;

#[test]
fn a_recording_cut_anywhere_is_played_as_far_as_it_goes_or_refused() {
    let java = &support::jdks()[0];
    let (_folder, file) = support::recorded(java, PROGRAM, "Inside");
    let bytes = std::fs::read(&file).unwrap();
    let mut jvm = support::jvm(java);
    for cut in (0..bytes.len()).rev().step_by(bytes.len() / 40) {
        let part = bytes[..cut].to_vec();
        let Ok(recording) = Recording::from_source(part) else {
            continue;
        };
        check(&mut jvm, java, &recording);
    }
}

fn check<S: Source>(
    jvm: &mut reprise_jvm_player::Jvm,
    java: &std::path::Path,
    recording: &Recording<S>,
) {
    match jvm.play(recording, &Plan::default()) {
        Ok(played) => assert_eq!(played.divergences, []),
        Err(PlayError::Start { .. } | PlayError::Limit(_)) => panic!("the JVM failed"),
        Err(_) => *jvm = support::jvm(java),
    }
}
