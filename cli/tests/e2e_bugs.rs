//! Bugs of programs that many have used, made again in small from what is publicly
//! known of them: each is captured at its crash, replayed with the program gone, and
//! its cause found in gdb, backwards. The programs are in `studies/last-bugs/programs`;
//! comments at their beginning say what gdb is told and what it must show, in this
//! order. With `LAST_BUGS=long` it is all of them.
#![allow(
    clippy::unwrap_used,
    reason = "clippy exempts the tests, not the functions they share"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const REPRISE: &str = env!("CARGO_BIN_EXE_reprise");

/// Those that are tried each time.
const ALWAYS: [&str; 3] = ["polymorph", "gzip", "bc"];

/// How often a program runs, at most, whose threads must meet for it to fail.
const RUNS: usize = 20;

struct Bug {
    name: String,
    source: PathBuf,
    text: String,
}

/// What became of it, for a table.
struct Found {
    bytes: u64,
    events: String,
    crash: String,
    cause: String,
    replay: Duration,
    debug: Duration,
}

fn bugs() -> Vec<Bug> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../studies/last-bugs/programs");
    let mut bugs: Vec<Bug> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|source| Bug {
            name: source.file_stem().unwrap().to_str().unwrap().to_owned(),
            text: fs::read_to_string(&source).unwrap(),
            source,
        })
        .collect();
    bugs.sort_by(|one, other| one.name.cmp(&other.name));
    bugs
}

impl Bug {
    fn comments<'a>(&'a self, key: &str) -> Vec<&'a str> {
        let key = format!("// {key}: ");
        let lines = self.text.lines();
        lines.filter_map(|line| line.strip_prefix(&key)).collect()
    }

    fn compile(&self, folder: &Path) {
        let flags = self.comments("cc");
        let compiled = Command::new("gcc")
            .args(["-g", "-O0", "-w"])
            .args(flags.iter().flat_map(|flags| flags.split_whitespace()))
            .arg("-o")
            .arg(folder.join("program"))
            .arg(&self.source)
            .status();
        assert!(compiled.unwrap().success(), "{}", self.name);
    }

    /// Records it until it fails as it should.
    fn record(&self, folder: &Path) {
        let dies: i32 = self.comments("dies")[0].parse().unwrap();
        for _ in 0..RUNS {
            let recorded = Command::new(REPRISE)
                .args(["record", "--last", "10s", "-o", "run.reprise", "--"])
                .arg("./program")
                .args(self.comments("argument"))
                .current_dir(folder)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            if recorded.status.code() == Some(128 + dies) {
                let said = String::from_utf8_lossy(&recorded.stderr);
                assert!(!said.contains("unverified"), "{}: {said}", self.name);
                return;
            }
        }
        panic!("{} did not fail", self.name);
    }

    /// Finds its cause. The program is gone; its symbols are elsewhere.
    fn find(&self) -> Found {
        let folder = TempDir::new().unwrap();
        let folder = folder.path();
        self.compile(folder);
        self.record(folder);
        fs::create_dir(folder.join("symbols")).unwrap();
        fs::rename(folder.join("program"), folder.join("symbols/program")).unwrap();
        let begun = Instant::now();
        let replayed = reprise(folder, &["replay", "run.reprise"]);
        let replay = begun.elapsed();
        let said = String::from_utf8_lossy(&replayed.stderr).into_owned();
        assert_eq!(replayed.status.code(), Some(0), "{}: {said}", self.name);
        assert!(
            said.contains("memory are the same"),
            "{}: {said}",
            self.name
        );
        let mut arguments = vec!["replay", "run.reprise", "--debug", "--symbols", "symbols"];
        arguments.extend(["--", "-batch", "-ex", "set width 0"]);
        for (index, command) in self.comments("gdb").into_iter().enumerate() {
            arguments.extend(["-ex", command]);
            if index == 0 {
                arguments.extend(["-ex", "monitor where"]);
            }
        }
        arguments.extend(["-ex", "monitor where"]);
        let begun = Instant::now();
        let debugged = reprise(folder, &arguments);
        let debug = begun.elapsed();
        let text = String::from_utf8_lossy(&debugged.stdout).into_owned()
            + &String::from_utf8_lossy(&debugged.stderr);
        let mut rest = &text[..];
        for sees in self.comments("sees") {
            let Some((_, after)) = rest.split_once(sees) else {
                panic!("{}: no {sees:?} in the rest of:\n{text}", self.name);
            };
            rest = after;
        }
        let places: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("instructions since"))
            .collect();
        Found {
            bytes: fs::metadata(folder.join("run.reprise")).unwrap().len(),
            events: number_behind(&said, "replayed "),
            crash: short(places.first()),
            cause: short(places.last()),
            replay,
            debug,
        }
    }
}

/// A place, in few words: the event, and the instructions since.
fn short(place: Option<&&str>) -> String {
    let place = place.unwrap_or(&"?");
    let (event, count) = (number_behind(place, "event "), number_behind(place, "and "));
    format!("{event}+{count}")
}

fn number_behind(text: &str, words: &str) -> String {
    let rest = text.split(words).nth(1).unwrap_or("?");
    rest.chars().take_while(char::is_ascii_digit).collect()
}

fn reprise(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(REPRISE)
        .args(arguments)
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn causes_are_found_backwards() {
    let all = std::env::var("LAST_BUGS").is_ok_and(|long| long == "long");
    for bug in bugs() {
        if !all && !ALWAYS.contains(&&*bug.name) {
            continue;
        }
        let found = bug.find();
        println!(
            "{:<10}  file {:>7} bytes, {:>5} events  crash at {:>16}  cause at {:>16}  replay \
             {:>5.2} s  gdb {:>5.2} s",
            bug.name,
            found.bytes,
            found.events,
            found.crash,
            found.cause,
            found.replay.as_secs_f64(),
            found.debug.as_secs_f64(),
        );
    }
}
