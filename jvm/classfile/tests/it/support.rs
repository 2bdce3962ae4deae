//! What the tests share: the JDKs of this machine and the classes in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise_classfile::read::ClassFile;

/// The JDKs of this machine, each once: `JAVA_HOME`, the `java` on the path,
/// and what is installed where Linux distributions put them.
pub(crate) fn jdks() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .into_iter()
        .map(Into::into)
        .collect();
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&on_path) {
        if let Ok(java) = fs::canonicalize(folder.join("java"))
            && let Some(home) = java.parent().and_then(Path::parent)
        {
            homes.push(home.to_owned());
        }
    }
    for entry in fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten() {
        homes.push(entry.path());
    }
    let mut homes: Vec<_> = homes
        .into_iter()
        .filter_map(|home| fs::canonicalize(home).ok())
        .filter(|home| home.join("bin/javac").exists() && home.join("lib/modules").exists())
        .collect();
    homes.sort();
    homes.dedup();
    homes
}

/// Whether to test everything instead of a sample: `REPRISE_THOROUGH=1`.
pub(crate) fn thorough() -> bool {
    std::env::var_os("REPRISE_THOROUGH").is_some()
}

/// The `java` of a JDK, set up for a short run.
pub(crate) fn java(jdk: &Path) -> Command {
    let mut command = Command::new(jdk.join("bin/java"));
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
    command
}

/// Says why a test did nothing. CI always has a JDK.
pub(crate) fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Runs `test` with each JDK and the classes of its `java.base`.
pub(crate) fn each_java_base(test: impl Fn(&Path, &[(String, Vec<u8>)])) {
    let jdks = jdks();
    if jdks.is_empty() {
        skipped("no JDK in JAVA_HOME, on PATH or in /usr/lib/jvm");
    }
    for jdk in jdks {
        test(&jdk, &classes_of(&jdk, "java.base"));
    }
}

/// Where files are kept between test runs.
pub(crate) fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The classes of a module of the JDK or of a jar, by file name. They are kept
/// between test runs.
pub(crate) fn classes_of(jdk: &Path, origin: &str) -> Vec<(String, Vec<u8>)> {
    let key: String = format!("{}_{origin}", jdk.display())
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    let kept = kept(&format!("classes_{key}"));
    let modules = fs::metadata(jdk.join("lib/modules")).unwrap();
    let modified = modules.modified().unwrap();
    let fresh = fs::metadata(&kept).is_ok_and(|m| m.modified().is_ok_and(|t| t > modified));
    if !fresh {
        let partial = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        run(java(jdk)
            .arg(source("Dump.java"))
            .arg(partial.path())
            .arg(origin));
        partial.persist(&kept).unwrap();
    }
    let bytes = fs::read(&kept).unwrap();
    let mut classes = Vec::new();
    let mut rest = bytes.as_slice();
    let mut next = || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let (item, tail) = tail.split_at(u32::from_be_bytes(*length) as usize);
        rest = tail;
        Some(item.to_vec())
    };
    while let (Some(name), Some(class)) = (next(), next()) {
        classes.push((String::from_utf8(name).unwrap(), class));
    }
    classes
}

/// A file next to this one.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it")
        .join(name)
}

/// Runs a command that has to succeed and returns what it printed.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success(),
        "{command:?}: {}\n{text}",
        output.status
    );
    text
}

/// Compiles Java source of one top-level class and returns its class files by
/// name; none without a JDK.
pub(crate) fn compile(name: &str, java: &str, options: &[&str]) -> Option<Vec<(String, Vec<u8>)>> {
    let jdk = jdks().into_iter().next()?;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{name}.java"));
    fs::write(&file, java).unwrap();
    run(Command::new(jdk.join("bin/javac"))
        .args(["-encoding", "UTF-8"])
        .args(options)
        .arg("-d")
        .arg(folder.path())
        .arg(&file));
    let mut classes: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "class"))
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    classes.sort();
    Some(classes)
}

/// The class file of that name.
pub(crate) fn parse(bytes: &[u8]) -> ClassFile<'_> {
    ClassFile::parse(bytes).unwrap()
}

/// Has the JVM of each JDK link, and so verify, these classes.
pub(crate) fn jvm_accepts(classes: &[(&str, &[u8])]) -> Result<(), String> {
    let jdks = jdks();
    if jdks.is_empty() {
        skipped("no JDK to verify the result");
    }
    for jdk in jdks {
        let folder = tempfile::tempdir().unwrap();
        let mut names = String::new();
        for (name, bytes) in classes {
            fs::write(folder.path().join(format!("{name}.class")), bytes).unwrap();
            names += name;
            names.push('\n');
        }
        let list = folder.path().join("names");
        fs::write(&list, names).unwrap();
        let path = std::env::join_paths([folder.path(), link_class()]).unwrap();
        let text = run(java(&jdk)
            .args(["-Xverify:all", "-cp"])
            .arg(path)
            .arg("Link")
            .arg(&list));
        if !text.contains(&format!("linked {} skipped 0 failed 0", classes.len())) {
            return Err(format!("{}: {text}", jdk.display()));
        }
    }
    Ok(())
}

/// The folder with the compiled `Link`, which any JVM from 11 on can run. It
/// is kept between test runs.
pub(crate) fn link_class() -> &'static Path {
    static FOLDER: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = kept("link");
        let modified = |file: &Path| fs::metadata(file).and_then(|m| m.modified()).ok();
        if modified(&folder.join("Link.class")) <= modified(&source("Link.java")) {
            run(Command::new(jdks()[0].join("bin/javac"))
                .args(["-encoding", "UTF-8"])
                .args(["--release", "11", "-d"])
                .arg(&folder)
                .arg(source("Link.java")));
        }
        folder
    })
}
