//! Programs that nobody here wrote.

use std::path::Path;

use reprise_jvm_testing as testing;

use crate::stage::Stage;

/// A library, instrumented; `Main` is here or that of the agent's tests.
fn check(name: &str, jars: &[&str], observe: &str, arguments: &[&str]) {
    let Some(jars) = testing::maven::jars(env!("CARGO_TARGET_TMPDIR"), jars) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(&jars[0], folder.path().join("in.jar")).unwrap();
    let folders = ["tests/e2e_ahead", "../agent/tests/e2e_observe/programs"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = folders.map(|folder| root.join(folder).join(name));
    let sources = sources.iter().find(|path| path.is_dir()).unwrap();
    let classes = folder.path().join("classes");
    let paths: Vec<String> = jars.iter().map(|jar| jar.display().to_string()).collect();
    testing::compile(&testing::sources(sources), &classes, &paths.join(":"));
    let stage = Stage::of(folder, observe);
    assert!(stage.copied.inside > 0, "{:?}", stage.copied);
    let java = &testing::jdks()[0];
    let more = [&[String::new(), "classes".to_owned()], &paths[1..]].concat();
    let program = [&["Main"], arguments].concat();
    stage.record_both(java, &more.join(":"), &program);
    stage.compare();
    let played = stage.play(java);
    assert_eq!(played.divergences, []);
}

#[test]
fn nanoxml() {
    let jars = ["be.cyberelf.nanoxml:nanoxml:2.2.3"];
    check("nanoxml", &jars, "net.n3.nanoxml.**", &["20"]);
}

/// A larger one, whose maps do not depend on identity hashes.
#[test]
fn commons_text() {
    let jars = [
        "org.apache.commons:commons-text:1.9",
        "org.apache.commons:commons-lang3:3.12.0",
    ];
    check("text", &jars, "org.apache.commons.text.**", &[]);
}
