//! Compiling Java: a compiler for each JDK goes on running, since most of what
//! `javac` takes for a small program is its own start. It ends with the test, when its
//! input does.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

static COMPILERS: Mutex<Option<HashMap<PathBuf, Child>>> = Mutex::new(None);

/// Compiles with the compiler of a `java`. What it said, if it failed.
pub fn javac<S: AsRef<OsStr>>(
    java: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> Result<(), String> {
    let mut request = String::new();
    let mut count = 0;
    for argument in arguments {
        let argument = argument.as_ref().to_str().unwrap();
        assert!(!argument.contains('\n'), "{argument:?}");
        request += &format!("{argument}\n");
        count += 1;
    }
    let mut compilers = COMPILERS.lock().unwrap_or_else(PoisonError::into_inner);
    let compilers = compilers.get_or_insert_default();
    let compiler = compilers
        .entry(java.to_owned())
        .or_insert_with(|| start(java));
    let input = compiler.stdin.as_mut().unwrap();
    input
        .write_all(format!("{count}\n{request}").as_bytes())
        .unwrap();
    input.flush().unwrap();
    let output = compiler.stdout.as_mut().unwrap();
    let mut header = [0; 8];
    output.read_exact(&mut header).unwrap();
    let [status, length] = [0, 4].map(|at| {
        let bytes = header[at..at + 4].try_into().unwrap();
        u32::from_be_bytes(bytes)
    });
    let mut said = vec![0; length as usize];
    output.read_exact(&mut said).unwrap();
    match status {
        0 => Ok(()),
        _ => Err(String::from_utf8_lossy(&said).into_owned()),
    }
}

fn start(java: &Path) -> Child {
    Command::new(java)
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Javac.java"))
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;

    use super::javac;
    use crate::jdks;

    #[test]
    fn one_compiler_compiles_and_refuses() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("A.java");
        for java in jdks() {
            let compile = |text: &str| {
                fs::write(&source, text).unwrap();
                javac(
                    &java,
                    [
                        OsStr::new("-d"),
                        folder.path().as_os_str(),
                        source.as_os_str(),
                    ],
                )
            };
            assert_eq!(compile("class A {}"), Ok(()));
            assert!(folder.path().join("A.class").is_file());
            let said = compile("class A { int a = \"ä\"; }").unwrap_err();
            assert!(
                said.contains("A.java:1: error: incompatible types"),
                "{said}"
            );
            assert_eq!(compile("class A { }"), Ok(()));
        }
    }
}
