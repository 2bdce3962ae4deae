//! Programs that people use, from Debian and from compilers: each is recorded, its last
//! moments are written when it ends or when it is asked to, and every process of them
//! is replayed in a root that has nothing but `reprise`.

mod list;

use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use self::list::{RUNS, Run, SERVERS, Serves};
use crate::server::PATIENCE;
use crate::{is_there, program, reprise};

/// How long a server is asked for something.
const ASKED: Duration = Duration::from_secs(3);

/// Whether it is to be done at all, and for which program if not for all.
fn is_wanted(name: &str) -> bool {
    std::env::var("LAST_PROGRAMS").is_ok_and(|only| only == "1" || only == name)
}

/// A root with `reprise`, what it is linked to, and nothing else or another system.
pub(crate) struct Root {
    folder: PathBuf,
    /// Goes away with it, where it was made for this.
    _made: Option<TempDir>,
}

impl Root {
    /// `None` where this user may make none.
    pub(crate) fn new() -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            return None;
        }
        let made = TempDir::new().unwrap();
        let linked = Command::new("ldd").arg(program()).output().unwrap();
        let linked = String::from_utf8(linked.stdout).unwrap();
        let linked = linked.split_whitespace().filter(|w| w.starts_with('/'));
        for path in linked {
            let copy = made.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(path, copy).unwrap();
        }
        let root = Self::of(made.path().to_owned());
        let _made = Some(made);
        Some(Self { _made, ..root })
    }

    /// The root of another system, whose own libraries `reprise` uses there.
    pub(crate) fn of(folder: PathBuf) -> Self {
        let copied = Command::new("cp")
            .arg(program())
            .arg(folder.join("reprise"))
            .status();
        assert!(copied.unwrap().success());
        let _made = None;
        Self { folder, _made }
    }

    fn replay(&self, process: usize) -> Output {
        let mut command = Command::new("chroot");
        command.arg(&self.folder).args(["/reprise", "replay"]);
        command.args(["--process", &process.to_string(), "/run.reprise"]);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin");
        command.stdin(Stdio::null()).output().unwrap()
    }
}

/// What became of a recording.
pub(crate) struct Replayed {
    bytes: u64,
    pub(crate) processes: usize,
    pub(crate) took: Duration,
    /// What did not go as recorded.
    pub(crate) wrong: Vec<String>,
}

pub(crate) fn replay_all(root: Option<&Root>, folder: &Path, file: &Path) -> Replayed {
    if let Some(root) = root {
        fs::copy(file, root.folder.join("run.reprise")).unwrap();
    }
    let begun = Instant::now();
    let mut wrong = Vec::new();
    let mut processes = 0;
    for process in 1.. {
        let replayed = match root {
            Some(root) => root.replay(process),
            None => {
                let (number, file) = (process.to_string(), file.to_str().unwrap());
                reprise(folder, &["replay", "--process", &number, file])
            }
        };
        let said = String::from_utf8_lossy(&replayed.stderr).into_owned();
        // Where there is one, any number means that one.
        if said.contains("processes, and none is") || said.contains("there is one process") {
            break;
        }
        processes += 1;
        if replayed.status.code() != Some(0) {
            let line = said.lines().find(|line| line.starts_with("reprise: "));
            wrong.push(line.unwrap_or("?").chars().take(200).collect());
        }
    }
    let took = begun.elapsed();
    let bytes = fs::metadata(file).unwrap().len();
    Replayed {
        bytes,
        processes,
        took,
        wrong,
    }
}

/// What a recording says that it does not have.
fn notes(said: &str) -> String {
    let recorded = said.lines().find(|line| line.contains("recorded "));
    let parts = recorded.unwrap_or("nothing was recorded").split("; ");
    let notes = parts.filter(|part| {
        ["not recorded", "unverified", "ended early", "nothing was"]
            .iter()
            .any(|word| part.starts_with(word))
    });
    let notes: Vec<String> = notes.map(|note| note.chars().take(160).collect()).collect();
    notes.join("; ")
}

fn report(name: &str, what: &str, said: &str, replayed: &Replayed) {
    let (seconds, kilobytes) = (replayed.took.as_secs_f64(), replayed.bytes / 1000);
    let good = replayed.processes - replayed.wrong.len();
    let (processes, notes) = (replayed.processes, notes(said));
    let notes = if notes.is_empty() { "" } else { &notes };
    println!(
        "{name:<18} {what}  {kilobytes:>6} kB  replayed {good} of {processes} in {seconds:>5.1} s  {notes}"
    );
    for wrong in &replayed.wrong {
        println!("{:<18}   {wrong}", "");
    }
}

/// A program that ends by itself.
fn run(run: &Run, root: Option<&Root>) {
    if !is_wanted(run.name) || !run.needs.iter().all(|program| is_there(program)) {
        return;
    }
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    for folder in &folders {
        prepare(folder.path(), run.before);
    }
    let time = |command: &mut Command| {
        let begun = Instant::now();
        let output = command.stdin(Stdio::null()).output().unwrap();
        (begun.elapsed().as_secs_f64(), output)
    };
    let mut plain = Command::new("sh");
    plain.args(["-c", run.command]).current_dir(&folders[0]);
    let (alone, _) = time(&mut plain);
    let mut recorded = Command::new(program());
    recorded.args(["record", "--last", "10s", "--keep", "all", "-o"]);
    recorded.args(["run.reprise", "--", "sh", "-c", run.command]);
    recorded.current_dir(&folders[1]);
    let (took, output) = time(&mut recorded);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let file = folders[1].path().join("run.reprise");
    if !file.exists() {
        println!("{:<18} no recording: {said}", run.name);
        return;
    }
    let replayed = replay_all(root, folders[1].path(), &file);
    let what = format!("alone {alone:>5.2} s, recorded and dumped {took:>6.2} s");
    report(run.name, &what, &said, &replayed);
}

fn prepare(folder: &Path, before: &str) {
    let lines: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    fs::write(folder.join("text"), lines).unwrap();
    let status = Command::new("sh")
        .args(["-c", before])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{before}");
}

/// A group of processes that ends with this.
pub(crate) struct Group(pub(crate) Child);

impl Drop for Group {
    fn drop(&mut self) {
        let group = Pid::from_raw(self.0.id().cast_signed());
        // Most have ended by themselves.
        let _ = killpg(group, Signal::SIGTERM);
        let begun = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) {
            if begun.elapsed() > Duration::from_secs(20) {
                let _ = killpg(group, Signal::SIGKILL);
                let _ = self.0.wait();
                break;
            }
            sleep(Duration::from_millis(20));
        }
    }
}

/// A program that is asked for something until it is asked for its last moments.
fn serve(server: &Serves, root: Option<&Root>) {
    if !is_wanted(server.name) {
        return;
    }
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let Some((what, said)) = dumped(server, folder, &[]) else {
        return;
    };
    let file: PathBuf = folder.join("run.reprise");
    if !file.exists() {
        println!("{:<18} no recording: {said}", server.name);
        return;
    }
    let replayed = replay_all(root, folder, &file);
    report(server.name, &what, &said, &replayed);
}

/// The last moments of one of these servers, in a folder, for smaller processors, too; `None`
/// if it is not installed.
pub(crate) fn moments_of(name: &str, folder: &Path) -> Option<PathBuf> {
    let server = SERVERS.iter().find(|server| server.name == name);
    dumped(server.unwrap(), folder, &["--portable"])?;
    Some(folder.join("run.reprise")).filter(|file| file.exists())
}

/// Asks a server for something, then for its last moments. Returns what came of the first
/// and what was said to the second.
fn dumped(server: &Serves, folder: &Path, options: &[&str]) -> Option<(String, String)> {
    if !server.needs.iter().all(|program| is_there(program)) {
        return None;
    }
    prepare(folder, server.before);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let root_of = folder.display().to_string();
    let fill = |text: &str| text.replace("PORT", &port).replace("ROOT", &root_of);
    fs::write(folder.join("conf"), fill(server.configuration)).unwrap();
    let ask = || {
        let command = format!("timeout 20 {}", fill(server.asked));
        let asked = Command::new("bash")
            .args(["-c", &command])
            .stdin(Stdio::null())
            .output();
        asked.unwrap().status.success()
    };
    let command = fill(server.command);
    let child = as_user(server.user, program())
        .args(["record", "--last", "2s", "-o", "run.reprise"])
        .args(options)
        .arg("--")
        .args(command.split_whitespace())
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.join("said")).unwrap())
        .spawn()
        .unwrap();
    let group = Group(child);
    let begun = Instant::now();
    while !ask() {
        let said = fs::read_to_string(folder.join("said")).unwrap();
        assert!(begun.elapsed() < PATIENCE, "{}: {said}", server.name);
        sleep(Duration::from_millis(100));
    }
    let begun = Instant::now();
    let (mut good, mut bad) = (0, 0);
    while begun.elapsed() < ASKED {
        if ask() {
            good += 1;
        } else {
            bad += 1;
        }
    }
    let before = Instant::now();
    let dumped = as_user(server.user, program())
        .args(["dump", &subject(folder, server.user)])
        .env("XDG_RUNTIME_DIR", folder)
        .current_dir(folder)
        .output()
        .unwrap();
    let dump = before.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&dumped.stdout).into_owned()
        + &String::from_utf8_lossy(&dumped.stderr);
    drop(group);
    let what = format!("{good:>3} requests, {bad} failed, dumped in {dump:>5.2} s       ");
    Some((what, said))
}

/// A command, by another user if there is one.
fn as_user(user: Option<&str>, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let Some(user) = user else {
        return Command::new(program);
    };
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", user, "--clear-groups"])
        .arg(program);
    command
}

/// The number of the process that is recorded.
fn subject(folder: &Path, user: Option<&str>) -> String {
    let mut status = as_user(user, program());
    status.args(["status", "--json"]).current_dir(folder);
    let output = status.env("XDG_RUNTIME_DIR", folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rest = text.split("\"subject\":").nth(1).unwrap_or("");
    rest.chars().take_while(char::is_ascii_digit).collect()
}

#[test]
fn programs() {
    if std::env::var_os("LAST_PROGRAMS").is_none() {
        println!("skipped: LAST_PROGRAMS=1 runs all of them, a name one");
        return;
    }
    let root = Root::new();
    if root.is_none() {
        println!("without root: replayed beside the program's files");
    }
    for one in RUNS {
        run(one, root.as_ref());
    }
    for one in SERVERS {
        serve(one, root.as_ref());
    }
}
