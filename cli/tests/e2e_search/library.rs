//! A library from Maven Central with a known bug, of whose runs many users record a quarter
//! each: a part of `cargo xtask study share-bugs`.

use std::path::Path;
use std::process::{Command, Output};

use reprise_jvm_testing::{agent_library, compile, jdks, limited, maven, sources};

use crate::stage::said;

const LIBRARY: &str = "commons-lang:commons-lang:2.4";
const USERS: usize = 60;
const RANGES: &str = "30000";

#[test]
fn how_often_shares_of_a_library_are_put_together() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let Some(jar) = maven::jar(env!("CARGO_TARGET_TMPDIR"), LIBRARY) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let subject = Path::new(env!("CARGO_MANIFEST_DIR")).join("../subjects/share-lang");
    let jar = jar.to_str().unwrap();
    compile(&sources(&subject), folder.path(), jar);
    let class_path = format!(".:{jar}");
    let reprise = |arguments: &[&str]| -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .env("REPRISE_AGENT", agent_library())
            .current_dir(folder.path())
            .args(arguments)
            .arg("--")
            .arg(&jdks()[0])
            .args(["-cp", &class_path, "Main", RANGES]);
        limited::output(&mut command)
    };
    let mut shares = Vec::new();
    for user in 1..=USERS {
        let (name, seed) = (format!("{user}.share"), user.to_string());
        let words = ["record", "--share", "0.25", "--seed", &seed, "-o", &name];
        reprise(&words);
        shares.push(name);
    }
    let mut arguments = vec!["merge", "--attempts", "200", "-o", "bug.sched"];
    arguments.extend(shares.iter().map(String::as_str));
    let merged = reprise(&arguments);
    println!("{LIBRARY}, {USERS} users, a quarter each:\n");
    println!(
        "{}{}",
        String::from_utf8_lossy(&merged.stdout),
        said(&merged)
    );
    if merged.status.success() {
        let minimized = reprise(&["schedule", "minimize", "bug.sched"]);
        println!("{}", said(&minimized));
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .current_dir(folder.path())
            .args(["show", "bug.min.sched"]);
        let shown = limited::output(&mut command);
        println!("{}", String::from_utf8_lossy(&shown.stdout));
    }
}
