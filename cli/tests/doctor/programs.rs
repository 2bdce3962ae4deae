//! Programs that are missing or broken.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::{allows, assert_probe, doctor, report};

/// A folder of scripts to be the whole `PATH`.
fn scripts(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in scripts {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn with_path(folder: &Path) -> Value {
    report(doctor().env("PATH", folder))
}

#[test]
fn gdb_may_be_missing_or_broken() {
    let nothing = scripts(&[]);
    let report = with_path(nothing.path());
    assert_probe(&report, "gdb", "fails", "not installed", "apt install gdb");
    assert_eq!(allows(&report, "last", "replay"), "but");

    let broken = scripts(&[("gdb", "echo GNU gdb 99; echo no libpython >&2; exit 127")]);
    let report = with_path(broken.path());
    let detail = "does not work: exit status 127, no libpython";
    assert_probe(&report, "gdb", "fails", detail, "--reinstall gdb");
}

#[test]
fn llvm_of_another_release_is_named_and_not_taken() {
    let other = scripts(&[
        ("clang-14", "echo clang version 14.0.6"),
        ("llvm-config", "echo 14.0.6"),
    ]);
    let report = with_path(other.path());
    let detail = "clang-19, ld.lld-19, llvm-config-19 not found \
                  (found: clang-14: clang version 14.0.6, llvm-config: 14.0.6)";
    assert_probe(
        &report,
        "llvm",
        "fails",
        detail,
        "clang-19 lld-19 llvm-19-dev",
    );
    assert_eq!(allows(&report, "cut", "record"), "no");
    assert_eq!(allows(&report, "cut", "replay"), "but");
}

#[test]
fn llvm_must_build_a_program_that_runs() {
    let tools = |clang| {
        scripts(&[
            ("clang-19", clang),
            ("ld.lld", "echo LLD 19.1.7"),
            ("llvm-config-19", "echo 19.1.7"),
        ])
    };
    let broken = tools("echo \"fatal error: 'stdio.h' file not found\" >&2; exit 1");
    let report = with_path(broken.path());
    let detail = "exit status 1, fatal error: 'stdio.h' file not found";
    assert_probe(&report, "llvm", "fails", detail, "libc6-dev");

    let builds = "[ $1 = --version ] && { echo clang 19.1.7; exit; }
                  printf '#!/bin/sh\\necho cut\\n' > cut; /bin/chmod +x cut";
    let report = with_path(tools(builds).path());
    assert_probe(&report, "llvm", "works", "clang 19.1.7", "");
    // The rest of what cutting takes is built only where LLVM is.
    let cc = report["probes"]["reprise-cc"]["state"] == "works";
    assert_eq!(
        allows(&report, "cut", "record"),
        if cc { "yes" } else { "no" }
    );
}

#[test]
fn a_java_home_that_leads_nowhere_is_said() {
    let report = report(doctor().env("JAVA_HOME", "/no/such/jdk"));
    let detail = "JAVA_HOME is /no/such/jdk, which has no bin/java";
    assert_probe(&report, "jdk", "limited", detail, "unset JAVA_HOME");
    assert_eq!(allows(&report, "observe", "record"), "but");
}

#[test]
fn a_jvm_that_does_not_start_is_said() {
    let home = scripts(&[]);
    fs::create_dir(home.path().join("bin")).unwrap();
    let java = home.path().join("bin/java");
    fs::write(&java, "#!/bin/sh\necho Could not reserve memory; exit 1\n").unwrap();
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).unwrap();
    let report = report(doctor().env("JAVA_HOME", home.path()));
    let detail = "does not load the agent: exit status 1, Could not reserve memory";
    assert_probe(&report, "jdk", "limited", detail, "");
}

#[test]
fn the_agent_may_be_missing_or_no_library() {
    let missing = report(doctor().env("REPRISE_AGENT", "/no/such/agent.so"));
    let detail = "REPRISE_AGENT is /no/such/agent.so: No such file or directory";
    assert_probe(&missing, "jdk", "fails", detail, "REPRISE_AGENT");
    assert_eq!(allows(&missing, "observe", "record"), "no");
    assert_eq!(allows(&missing, "last", "record"), "yes");

    let garbage = report(doctor().env("REPRISE_AGENT", "/etc/passwd"));
    let detail = "does not load the agent: exit status 1, Could not find agent library";
    assert_probe(&garbage, "jdk", "fails", detail, "");
}

#[test]
fn the_options_of_the_subjects_jvm_do_not_disturb() {
    let report = report(
        doctor()
            .env("JAVA_TOOL_OPTIONS", "-XX:NoSuchFlag")
            .env("JDK_JAVA_OPTIONS", "-XX:NoSuchFlag")
            .env("_JAVA_OPTIONS", "-XX:NoSuchFlag"),
    );
    assert_probe(&report, "jdk", "works", "VM", "");
}
