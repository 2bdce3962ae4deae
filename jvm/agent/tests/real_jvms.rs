//! Loads the agent into every JDK of this machine.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use reprise_jvm_testing::jdks;
use serde_json::Value;

#[test]
fn every_jdk_answers_the_probe_and_grants_what_a_recording_needs() {
    for java in jdks() {
        let dir = tempfile::tempdir().unwrap();
        let output = run(&java, "=probe=answer.json", dir.path());
        assert!(output.status.success(), "{}: {output:?}", java.display());

        let answer = fs::read(dir.path().join("answer.json")).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["refused"], Value::Null, "{}", java.display());
        assert!(answer["vm_name"].as_str().unwrap().contains("VM"));
        let banner = String::from_utf8(output.stderr).unwrap();
        let version = answer["vm_version"].as_str().unwrap();
        assert!(banner.contains(version), "{version} is not in {banner}");
        let potential = answer["potential"].as_array().unwrap();
        assert!(potential.contains(&"can_generate_early_class_hook_events".into()));
        assert!(potential.len() > 20, "{potential:?}");
    }
}

#[test]
fn a_mistake_in_the_options_is_said_and_the_program_runs() {
    for java in jdks() {
        let dir = tempfile::tempdir().unwrap();
        for (options, expected) in [
            ("", "the agent was given no option"),
            ("=porbe=x", "no option 'porbe' (the nearest is probe=FILE)"),
            (
                "=obsrve=Main,out=x.reprise",
                "no option 'obsrve' (the nearest is observe=PATTERN)",
            ),
            (
                "=observe=Main,uot=x.reprise",
                "no option 'uot' (the nearest is out=FILE)",
            ),
            ("=probe=no/such/folder/x", "cannot write the probe's answer"),
        ] {
            let output = run(&java, options, dir.path());
            assert!(output.status.success(), "{options}: {output:?}");
            let stderr = String::from_utf8(output.stderr).unwrap();
            let line = stderr.lines().find(|line| line.starts_with("reprise: "));
            let line = line.unwrap_or_else(|| panic!("nothing said: {stderr}"));
            assert!(line.contains(expected), "{line}");
            assert!(line.ends_with("; this JVM runs unrecorded"), "{line}");
        }
    }
}

fn run(java: &Path, options: &str, dir: &Path) -> Output {
    // Cargo puts the library beside this test's own executable.
    let library = reprise_jvm_testing::agent_library();
    Command::new(java)
        .arg(format!("-agentpath:{}{options}", library.display()))
        .arg("-version")
        .env_remove("JAVA_TOOL_OPTIONS")
        .current_dir(dir)
        .output()
        .unwrap()
}
