//! The programs in `subjects/jvm-*`.
//!
//! A folder has Java files and `observe` (the patterns of the classes inside,
//! one a line). It may have `native.c` (a library for its native methods),
//! `release` (the first Java release it can do with), `arguments` (those of `java`,
//! where they are not `-cp . Main`), `compile` (more arguments of `javac`), and
//! `options` (more of the agent's).
//! `REPRISE_SUBJECT` chooses those whose names contain it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::javac::javac;
use crate::{jdks, sources};

/// One of them.
pub struct Subject {
    /// Its folder.
    pub folder: PathBuf,
}

impl Subject {
    /// All there are, by name.
    pub fn all() -> Vec<Self> {
        let chosen = std::env::var("REPRISE_SUBJECT").unwrap_or_default();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../subjects");
        let entries = fs::read_dir(root).unwrap();
        let mut folders: Vec<PathBuf> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.join("observe").is_file())
            .collect();
        folders.sort();
        assert!(!folders.is_empty());
        let all = folders.into_iter().map(|folder| Self { folder });
        all.filter(|subject| subject.name().contains(&chosen))
            .collect()
    }

    /// The name of its folder.
    pub fn name(&self) -> String {
        let name = self.folder.file_name().unwrap();
        name.to_str().unwrap().to_owned()
    }

    fn words(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// What the agent is to record: the classes inside, and how.
    pub fn options(&self) -> String {
        let mut options = vec![format!("observe={}", self.words("observe").join(":"))];
        options.extend(self.words("options"));
        options.join(",")
    }

    /// The arguments of `java` that run it in the folder of its classes.
    pub fn arguments(&self) -> Vec<String> {
        match self.words("arguments") {
            none if none.is_empty() => ["-cp", ".", "Main"].map(str::to_owned).to_vec(),
            own => own,
        }
    }

    /// The first release that it can be run on, if it says so.
    pub fn release(&self) -> Option<u32> {
        self.words("release").first()?.parse().ok()
    }

    /// Whether a JVM is new enough for it.
    pub fn runs_on(&self, java: &Path) -> bool {
        self.release().is_none_or(|needed| needed <= release(java))
    }

    /// Compiles it: with the oldest JDK that can, so that every later one can
    /// run it. False when none can.
    pub fn compile(&self, classes: &Path) -> bool {
        let release = self.release();
        let jdk = jdks().into_iter().find(|java| self.runs_on(java));
        jdk.is_some_and(|java| self.compile_with(&java, release, classes))
    }

    /// Compiles it for a release, or for that of the JDK itself; false when that
    /// has not all it needs.
    pub fn compile_with(&self, java: &Path, release: Option<u32>, classes: &Path) -> bool {
        let options = ["-encoding", "UTF-8", "-g", "-nowarn", "-Xlint:-options"];
        let mut arguments: Vec<OsString> = options.map(OsString::from).to_vec();
        if let Some(release) = release {
            arguments.extend(["--release".into(), release.to_string().into()]);
        }
        arguments.extend(self.words("compile").into_iter().map(OsString::from));
        arguments.extend(["-d".into(), classes.into()]);
        arguments.extend(sources(&self.folder).into_iter().map(OsString::from));
        let compiled = javac(java, arguments);
        let done = compiled.is_ok();
        assert!(done || release.is_some(), "{compiled:?}");
        self.compile_native(java, classes);
        if done && self.folder.join("frameless").is_file() {
            take_frames(classes);
        }
        done
    }

    /// Compiles what is written in C, to a library beside the classes.
    fn compile_native(&self, java: &Path, classes: &Path) {
        let source = self.folder.join("native.c");
        if !source.is_file() {
            return;
        }
        let headers = java
            .parent()
            .and_then(Path::parent)
            .unwrap()
            .join("include");
        let output = Command::new("gcc")
            .args(["-shared", "-fPIC", "-Wall", "-O1", "-I"])
            .arg(&headers)
            .arg("-I")
            .arg(headers.join("linux"))
            .arg("-o")
            .arg(classes.join("libnative.so"))
            .arg(source)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

/// The release of a `java`.
pub fn release(java: &Path) -> u32 {
    let home = java.parent().and_then(Path::parent).unwrap();
    let text = fs::read_to_string(home.join("release")).unwrap();
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("JAVA_VERSION="));
    let version = version.unwrap().trim_matches('"');
    version.split('.').next().unwrap().parse().unwrap()
}

/// Makes class files of version 50 without frames, as some generators write them;
/// what they need of later versions they must not use.
fn take_frames(classes: &Path) {
    const TABLE: &[u8] = b"StackMapTable";
    for entry in fs::read_dir(classes).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|name| name != "class") {
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes[7] = 50;
        let named = bytes.windows(TABLE.len()).position(|name| name == TABLE);
        if let Some(at) = named {
            // An attribute that nobody knows.
            bytes[at] = b's';
        }
        fs::write(&path, bytes).unwrap();
    }
}
