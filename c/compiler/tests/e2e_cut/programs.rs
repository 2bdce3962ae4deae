//! Programs from Debian's sources.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::stage::{Stage, done, reprise};

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
    let (gzip, bc) = (
        stage.built("gzip", "gzip", ""),
        stage.built("bc", "bc/bc", ""),
    );
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
    pub(crate) fn built(&self, package: &str, program: &str, options: &str) -> String {
        let cc = reprise().display();
        let make = format!("CC='{cc} cc' ./configure -q {options} && make MAKEINFO=true -s",);
        self.source(package, &make);
        format!("./{package}.src/tree/{program}")
    }

    /// A source package of Debian's, fetched by apt and built by a script.
    pub(crate) fn source(&self, package: &str, make: &str) {
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
            "tar xf $(ls *.orig.tar.* | grep -v asc) && mv $(ls -d */ | grep -v lists) tree \
             && cd tree && {make}"
        );
        done(
            Command::new("sh")
                .args(["-c", &script])
                .current_dir(&folder),
        );
    }

    /// Weighs a program with one input, and records and replays it with another.
    pub(crate) fn compare(&self, program: &str, small: &[&str], large: &[&str], target: &[&str]) {
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
        self.replayed();
    }

    /// Replays what was recorded, and says how long the log is.
    pub(crate) fn replayed(&self) {
        let limit = "100000000";
        let (told, _) = self.run(&["show", "x.reprise", "--json", "--limit", limit]);
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        let events = told["last_events"].as_array().unwrap();
        let bytes = events.iter().map(|event| event["bytes"].as_u64().unwrap());
        let bytes: u64 = bytes.sum();
        let started = Instant::now();
        let (_, replayed) = self.run(&["replay", "x.reprise"]);
        let time = started.elapsed().as_millis();
        let file = told["bytes"].as_u64().unwrap();
        println!(
            "recorded   a log of {bytes} bytes in a file of {file}; in {time} ms: {}\n",
            replayed.trim()
        );
        assert!(replayed.contains("to the end; the memory of the inside is the same"));
    }
}
