//! C programs, compiled, weighed, cut, recorded and replayed by the `reprise` command.
//!
//! This needs LLVM, so it is no part of the gate: `cargo xtask study cut-figure2`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The command, with everything that it needs beside it.
fn reprise() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let status = Command::new(env!("CARGO"))
            .args([
                "build",
                "--locked",
                "-p",
                "reprise",
                "-p",
                "reprise-c-runtime",
            ])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .status();
        assert!(status.unwrap().success());
        let part = Path::new(env!("CARGO_BIN_EXE_reprise-cc"));
        part.with_file_name("reprise")
    })
}

/// A folder with a subject, compiled.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(subject: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let source = root.join("subjects").join(subject).join("main.c");
        fs::copy(source, folder.path().join("main.c")).unwrap();
        let stage = Self { folder };
        stage.run(&["cc", "-o", "prog", "main.c"]);
        stage
    }

    fn try_to(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(reprise());
        command.args(arguments).current_dir(self.folder.path());
        command.output().unwrap()
    }

    /// Standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (String, String) {
        let output = self.try_to(arguments);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}\n{out}{err}");
        (out, err)
    }

    /// Cuts, records and replays; returns what `cut` says and the last line of the
    /// replay.
    fn whole_way(&self, how: &[&str]) -> (String, String) {
        for old in ["prog.cut", "x.reprise"] {
            let _ = fs::remove_file(self.folder.path().join(old));
        }
        let cut = [&["cut", "./prog", "-o", "prog.cut"], how].concat();
        let (said, _) = self.run(&cut);
        println!("--- {}\n{said}", how.join(" "));
        let (plain, _) = self.run(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
        assert!(!plain.is_empty());
        // The program is not needed any more.
        fs::rename(
            self.folder.path().join("prog.cut"),
            self.folder.path().join("gone"),
        )
        .unwrap();
        let (_, replayed) = self.run(&["replay", "x.reprise"]);
        fs::rename(
            self.folder.path().join("gone"),
            self.folder.path().join("prog.cut"),
        )
        .unwrap();
        println!("{replayed}");
        assert!(replayed.contains("to the end; the memory of the inside is the same"));
        (said, replayed)
    }
}

fn says(text: &str, line: &str) {
    let is = |one: &str| one.split_whitespace().collect::<Vec<_>>().join(" ") == line;
    assert!(text.lines().any(is), "no line {line:?} in\n{text}");
}

/// The cuts of the paper's Figure 3. The first logs what `rand` returns, the second
/// what `f` finds in `cnt`: two values of four bytes each. In the second, `f` also has
/// to be told where its variable is that an outside function writes to.
#[test]
fn figure_2() {
    let stage = Stage::new("c-figure2");
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    let (first, replayed) = stage.whole_way(&["--target", "main.c:f"]);
    says(&first, "log 8 bytes of data in 5 events (as weighed)");
    says(&first, "naive 16 bytes of data in 8 events");
    says(&first, "8 bytes 2 rand returns to g");
    says(
        &replayed,
        "reprise: replayed 6 events to the end; the memory of the inside is the same",
    );
    let (second, replayed) = stage.whole_way(&["--target", "main.c:f", "--naive"]);
    says(&second, "inside 1 functions, 8 of 11 variables");
    says(&second, "16 bytes 3 f reads a variable of f");
    says(
        &replayed,
        "reprise: replayed 9 events to the end; the memory of the inside is the same",
    );
    let (whole, _) = stage.whole_way(&["--whole-program"]);
    says(&whole, "log 24 bytes of data in 6 events (as weighed)");
}

#[test]
fn under_a_debugger() {
    let stage = Stage::new("c-figure2");
    stage.whole_way(&["--target", "f"]);
    let commands = [
        "break g",
        "continue",
        "continue",
        "backtrace",
        "reverse-continue",
        "finish",
    ];
    let mut arguments = vec!["replay", "--debug", "x.reprise", "--", "-batch"];
    for command in commands {
        arguments.extend(["-ex", command]);
    }
    let (said, _) = stage.run(&arguments);
    assert!(said.contains("in f () at main.c:15"), "{said}");
    // Back in the first of the two calls, and out of it.
    assert!(said.contains("f () at main.c:14"), "{said}");
}

/// Callbacks through the C library, variable arguments, memory that grows and more,
/// with the boundary in different places.
#[test]
fn at_the_boundary() {
    let stage = Stage::new("c-mixed");
    stage.run(&["cut", "./prog", "--weigh", "--", "./prog"]);
    for how in [
        &["--target", "in_*"][..],
        &["--target", "in_*", "--naive"],
        &["--target", "in_compare"],
        &["--target", "in_work"],
        &["--whole-program"],
    ] {
        stage.whole_way(how);
    }
}

#[test]
fn a_crash_is_reached() {
    let stage = Stage::new("c-crash");
    stage.run(&[
        "cut",
        "./prog",
        "--target",
        "first_letter",
        "-o",
        "prog.cut",
    ]);
    let recorded = stage.try_to(&["record", "-o", "x.reprise", "--", "./prog.cut"]);
    assert_eq!(recorded.status.code(), Some(139), "{recorded:?}");
    let (_, replayed) = stage.run(&["replay", "x.reprise"]);
    assert!(
        replayed.contains("replayed 101 events to the end, signal 11"),
        "{replayed}"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let stage = Stage::new("c-figure2");
    let wrong = |arguments: &[&str]| {
        let output = stage.try_to(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = wrong(&["cut", "./prog", "--target", "main.c:ff"]);
    assert!(said.contains("no function is meant by main.c:ff"), "{said}");
    assert!(said.contains("--target main.c:f"), "{said}");
    let said = wrong(&["cut", "./main.c", "--target", "f"]);
    assert!(said.contains("was not built by `reprise cc`"), "{said}");
    let said = wrong(&["record", "--", "./prog"]);
    assert!(said.contains("was not built by `reprise cut`"), "{said}");
    let said = wrong(&["cut", "./prog"]);
    assert!(said.contains("nothing says which functions"), "{said}");
    let said = wrong(&["cut", "./prog", "--weigh", "--", "true"]);
    assert!(said.contains("does not run this program itself"), "{said}");
    fs::write(stage.folder.path().join("prog.reprise.weights"), [0; 16]).unwrap();
    let said = wrong(&["cut", "./prog", "--target", "f"]);
    assert!(said.contains("is of another build: weigh again"), "{said}");
    fs::write(stage.folder.path().join("prog.reprise.bc"), "other").unwrap();
    let said = wrong(&["cut", "./prog", "--target", "f"]);
    assert!(said.contains("belongs to another build"), "{said}");
}

/// Two programs of Debian, from their sources: what each boundary costs, and that what
/// is recorded with another input than was weighed replays. Takes minutes.
#[test]
fn debian_programs() {
    if std::env::var_os("REPRISE_STUDY").is_none() {
        return;
    }
    let stage = Stage {
        folder: tempfile::tempdir().unwrap(),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let small = fs::read(root.join("README.md")).unwrap();
    fs::write(stage.folder.path().join("small"), &small).unwrap();
    let large: Vec<u8> = small.iter().cycle().take(4 << 20).copied().collect();
    fs::write(stage.folder.path().join("large"), large).unwrap();
    fs::write(
        stage.folder.path().join("small.bc"),
        "scale=50; 4*a(1)\nsqrt(2)\n",
    )
    .unwrap();
    fs::write(
        stage.folder.path().join("large.bc"),
        "scale=400; 4*a(1)\nsqrt(2)\n",
    )
    .unwrap();
    let (gzip, bc) = (stage.built("gzip", "gzip"), stage.built("bc", "bc/bc"));
    let compress = |input: &'static str| vec!["-c", input];
    for target in [
        &["--target", "deflate.c:*"][..],
        &["--target", "trees.c:*"],
        &["--whole-program"],
    ] {
        stage.compare(&gzip, &compress("small"), &compress("large"), target);
    }
    let compute = |input: &'static str| vec!["-l", input];
    for target in [
        &["--target", "number.c:*"][..],
        &["--target", "number.c:bc_divide"],
        &["--whole-program"],
    ] {
        stage.compare(&bc, &compute("small.bc"), &compute("large.bc"), target);
    }
}

impl Stage {
    /// A program from Debian's sources, fetched by apt and built by `reprise cc`.
    fn built(&self, package: &str, program: &str) -> String {
        let folder = self.folder.path().join(format!("{package}.src"));
        fs::create_dir_all(folder.join("lists/partial")).unwrap();
        let release = fs::read_to_string("/etc/os-release").unwrap();
        let name = release
            .lines()
            .find_map(|line| line.strip_prefix("VERSION_CODENAME="));
        let list = format!(
            "deb-src http://deb.debian.org/debian {} main\n",
            name.unwrap()
        );
        fs::write(folder.join("list"), list).unwrap();
        let apt = |what: &[&str]| {
            let mut command = Command::new("apt-get");
            let at = folder.display();
            for option in [
                format!("Dir::Etc::SourceList={at}/list"),
                "Dir::Etc::SourceParts=/dev/null".to_owned(),
                format!("Dir::State::Lists={at}/lists"),
                format!("Dir::Cache={at}"),
                "APT::Sandbox::User=root".to_owned(),
            ] {
                command.args(["-o", &option]);
            }
            done(command.args(what).current_dir(&folder));
        };
        apt(&["-q", "update"]);
        apt(&["-q", "source", "--download-only", package]);
        let script = format!(
            "tar xf $(ls {package}_*.orig.tar.* | grep -v asc) && cd {package}-* && CC='{} cc' ./configure -q \
             && make MAKEINFO=true -s && cd .. && ln -s {package}-*/ tree",
            reprise().display()
        );
        done(
            Command::new("sh")
                .args(["-c", &script])
                .current_dir(&folder),
        );
        format!("./{package}.src/tree/{program}")
    }

    /// Weighs a program with one input, and records and replays it with another.
    fn compare(&self, program: &str, small: &[&str], large: &[&str], target: &[&str]) {
        let weights = self
            .folder
            .path()
            .join(format!("{program}.reprise.weights"));
        if !weights.exists() {
            self.run(&[&["cut", program, "--weigh", "--", program], small].concat());
        }
        for old in ["prog.cut", "x.reprise"] {
            let _ = fs::remove_file(self.folder.path().join(old));
        }
        let (said, _) = self.run(&[&["cut", program, "-o", "prog.cut"], target].concat());
        let said: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).collect();
        println!("--- {program} {}\n{}", target.join(" "), said.join("\n"));
        let plain = Command::new(program)
            .args(large)
            .current_dir(self.folder.path())
            .output();
        let recorded = [&["record", "-o", "x.reprise", "--", "./prog.cut"], large].concat();
        let recorded = self.try_to(&recorded);
        assert!(recorded.status.success(), "{recorded:?}");
        assert!(
            plain.unwrap().stdout == recorded.stdout,
            "{program} says something else"
        );
        let bytes = fs::metadata(self.folder.path().join("x.reprise"))
            .unwrap()
            .len();
        let (_, replayed) = self.run(&["replay", "x.reprise"]);
        println!("large      a file of {bytes} bytes; {replayed}");
        assert!(replayed.contains("to the end; the memory of the inside is the same"));
    }
}

fn done(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{output:?}");
}
