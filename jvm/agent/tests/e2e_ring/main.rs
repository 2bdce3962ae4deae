//! The runtime's ring, as a thread of the subject meets it when it is full: it
//! waits only for a drainer that may come, and takes nothing of the subject's.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

fn succeed(command: &mut Command) {
    let output = command.env_remove("JAVA_TOOL_OPTIONS").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
}

#[test]
fn a_thread_that_waits_for_room_is_not_harmed() {
    let folder = tempfile::tempdir().unwrap();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = package.join("tests/e2e_ring/reprise/runtime");
    let internal = ["misc", "vm.annotation"]
        .map(|name| format!("--add-exports=java.base/jdk.internal.{name}=ALL-UNNAMED"));
    succeed(
        Command::new("javac")
            .args(&internal)
            .args(["-encoding", "UTF-8", "-d"])
            .arg(folder.path())
            .arg(package.join("../runtime/reprise/runtime/Ring.java"))
            .args(["Native.java", "Waits.java"].map(|name| tests.join(name))),
    );
    succeed(
        Command::new("java")
            .args(&internal)
            .arg("-cp")
            .arg(folder.path())
            .arg("reprise.runtime.Waits"),
    );
}
