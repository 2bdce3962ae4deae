//! What cannot be played is refused with the way out of it.

use std::fs;
use std::process::Command;

use crate::stage::{CART, Stage, reprise, said};

/// `reprise replay` where there is no JVM but what is named.
fn without_jvms(stage: &Stage) -> Command {
    let mut command = reprise();
    command
        .args(["replay", "x.reprise"])
        .current_dir(stage.folder.path())
        .env("PATH", stage.folder.path())
        .env("REPRISE_JDKS", stage.folder.path())
        .env_remove("JAVA_HOME");
    command
}

#[test]
fn a_file_that_is_not_there_or_damaged() {
    let stage = Stage::record(CART, "Cart");
    let (status, lines) = said(&stage.replay(&["y.reprise"]));
    assert_eq!(status, Some(2));
    let expected = [
        "reprise: cannot replay y.reprise: there is no such file",
        "  try: reprise replay x.reprise",
    ];
    assert_eq!(lines, expected);
    let whole = fs::read(&stage.file).unwrap();
    let damaged = stage.folder.path().join("damaged.reprise");
    for (bytes, expected) in [
        (&whole[..20], "cannot replay damaged.reprise: "),
        (
            &b"PK\x03\x04 and so on"[..],
            "it is a zip or jar file; unpack it first",
        ),
    ] {
        fs::write(&damaged, bytes).unwrap();
        let (status, lines) = said(&stage.replay(&["damaged.reprise"]));
        assert_eq!(status, Some(2), "{lines:?}");
        assert!(lines[0].contains(expected), "{lines:?}");
    }
    // Damage in the middle: what is left is played, or it is said why not.
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 16].fill(0);
    fs::write(&damaged, bytes).unwrap();
    let (status, lines) = said(&stage.replay(&["damaged.reprise"]));
    assert!(matches!(status, Some(2 | 3)), "{lines:?}");
    assert!(lines[0].starts_with("reprise: "), "{lines:?}");
}

#[test]
fn a_machine_without_the_right_jvm() {
    let stage = Stage::record(CART, "Cart");
    let (status, lines) = said(&without_jvms(&stage).output().unwrap());
    assert_eq!(status, Some(1));
    let release = reprise_jvm_player::java::found()[0].release;
    assert!(
        lines[0].contains("and no JDK is in JAVA_HOME, on the PATH and in "),
        "{lines:?}"
    );
    assert!(
        lines[1].ends_with(&format!("openjdk-{release}-jdk-headless")),
        "{lines:?}"
    );
    let hint = format!("JAVA_HOME=FOLDER-OF-JAVA-{release} reprise replay x.reprise");
    assert!(lines[2].ends_with(&hint), "{lines:?}");
    // A JVM of another release, as its folder says.
    let other = stage.folder.path().join("other");
    fs::create_dir_all(other.join("bin")).unwrap();
    fs::write(other.join("bin/java"), "").unwrap();
    fs::write(other.join("release"), "JAVA_VERSION=\"1.8.0_402\"\n").unwrap();
    let output = without_jvms(&stage).env("JAVA_HOME", &other).output();
    let (_, lines) = said(&output.unwrap());
    let expected = format!(
        "it is played by Java {release}, on which it was recorded, and only \
                            Java 8 is in JAVA_HOME"
    );
    assert!(lines[0].contains(&expected), "{lines:?}");
}

/// What is for one kind of recording is refused for another.
#[test]
fn a_recording_of_another_kind() {
    let stage = Stage::record(CART, "Cart");
    let recorded = reprise()
        .args([
            "record",
            "--last",
            "10s",
            "--keep",
            "all",
            "-o",
            "true.reprise",
            "--",
        ])
        .arg("true")
        .current_dir(stage.folder.path())
        .output()
        .unwrap();
    // Where programs may not be traced there is no such recording.
    if !stage.folder.path().join("true.reprise").exists() {
        println!("SKIPPED: nothing could be recorded: {recorded:?}");
        return;
    }
    for option in ["--keep-going", "--classes=."] {
        let (status, lines) = said(&stage.replay(&[option, "true.reprise"]));
        assert_eq!(status, Some(2), "{lines:?}");
        assert!(lines[0].contains("JVM"), "{lines:?}");
    }
    let (status, lines) = said(&stage.replay(&["--output", "o", "x.reprise"]));
    assert_eq!(status, Some(2), "{lines:?}");
}
