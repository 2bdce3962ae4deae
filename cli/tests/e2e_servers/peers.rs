//! What other tools make of the same program: CRIU's copy of it, gdb's own record, rr.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::apt::Apt;
use crate::{is_there, program, reprise};

/// So much memory is in use, and so many times around it goes where it is to end.
const MEGABYTES: &str = "100";
const ROUNDS: &str = "3000";
const FEW_ROUNDS: &str = "3";

const SERVICE: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
        size_t size = (size_t)atol(arguments[1]) << 20;
        long rounds = atol(arguments[2]);
        unsigned char *memory = malloc(size);
        for (size_t at = 0; at < size; at += 512)
            memory[at] = (unsigned char)at;
        puts("ready");
        fflush(stdout);
        unsigned long x = 1;
        for (long round = 0; rounds == 0 || round < rounds; round++) {
            for (int i = 0; i < 20000; i++) {
                x = x * 6364136223846793005ul + 1442695040888963407ul;
                memory[(x >> 33) % (1 << 20)] ^= (unsigned char)x;
            }
            if (getppid() == 0)
                return 1;
        }
        printf("%lx\n", x);
        return 0;
    }"#;

fn size(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

/// Starts the service, to run for ever, and waits until its memory is in use.
fn start(folder: &Path, command: &[&str]) -> Child {
    let out = folder.join("out");
    let child = Command::new(command[0])
        .args(&command[1..])
        .args(["./service", MEGABYTES, "0"])
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !fs::read_to_string(&out).unwrap().contains("ready") {
        sleep(Duration::from_millis(20));
    }
    child
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("").chars().take(160).collect()
}

/// All that is said to be an error: the last line often says only that there was one.
fn errors(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let errors = text.lines().filter(|line| line.contains("Error"));
    errors.collect::<Vec<_>>().join("; ")
}

fn timed(command: &mut Command) -> (Duration, Output) {
    let begun = Instant::now();
    let output = command.stdin(Stdio::null()).output().unwrap();
    (begun.elapsed(), output)
}

fn with_reprise(folder: &Path) {
    let program = program();
    let record = [
        &program[..],
        "record",
        "--last",
        "1s",
        "-o",
        "a.reprise",
        "--",
    ];
    let mut recorder = start(folder, &record);
    sleep(Duration::from_secs(3));
    let status = reprise(folder, &["status", "--json"]);
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    let rest = text.split("\"subject\":").nth(1).unwrap();
    let subject: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let begun = Instant::now();
    let dumped = reprise(folder, &["dump", &subject]);
    let took = begun.elapsed();
    assert!(dumped.status.success(), "{}", last_line(&dumped));
    let killed = Command::new("kill").args(["-TERM", &subject]).status();
    assert!(killed.unwrap().success());
    recorder.wait().unwrap();
    let begun = Instant::now();
    let replayed = reprise(folder, &["replay", "a.reprise"]);
    println!(
        "reprise dump, the last second: {:.2} s, with its verification; {} bytes; replayed in {:.2} \
         s: {}",
        took.as_secs_f64(),
        fs::metadata(folder.join("a.reprise")).unwrap().len(),
        begun.elapsed().as_secs_f64(),
        last_line(&replayed)
    );
}

/// A release of Debian whose CRIU knows newer kernels than one of this system may.
const NEWER: &str = "trixie";

/// CRIU, of this system or of a newer one: which, and how it is called.
fn criu() -> Option<(String, Vec<PathBuf>)> {
    let checks = |call: &[PathBuf]| {
        let check = Command::new(&call[0])
            .args(&call[1..])
            .arg("check")
            .output();
        check.is_ok_and(|check| check.status.success())
    };
    let ours = vec![PathBuf::from("criu")];
    if is_there("criu") && checks(&ours) {
        return Some(("criu".to_owned(), ours));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("criu");
    let root = Apt::new(NEWER, &folder)?.with_all_it_needs("criu")?;
    let libraries = root.join("usr/lib/x86_64-linux-gnu");
    let call = vec![
        libraries.join("ld-linux-x86-64.so.2"),
        PathBuf::from("--library-path"),
        libraries,
        root.join("usr/sbin/criu"),
    ];
    let name = format!("criu of Debian {NEWER}");
    checks(&call).then_some((name, call))
}

fn with_criu(folder: &Path) {
    let Some((name, call)) = criu() else {
        println!("criu: neither this system's nor that of Debian {NEWER} works here");
        return;
    };
    // It refuses pipes whose other end it does not see, as that of a build's jobserver.
    let alone = "for n in 3 4 5 6 7 8 9; do eval \"exec $n>&-\"; done; exec \"$@\"";
    let mut service = start(folder, &["sh", "-c", alone, "sh"]);
    let images = folder.join("images");
    fs::create_dir(&images).unwrap();
    let (took, output) = timed(
        Command::new(&call[0])
            .args(&call[1..])
            .args(["dump", "--leave-running", "--shell-job", "-t"])
            .arg(service.id().to_string())
            .arg("-D")
            .arg(&images),
    );
    println!(
        "{name}, dump of one moment: {:.2} s; {} bytes; {}",
        took.as_secs_f64(),
        size(&images),
        if output.status.success() {
            "done".to_owned()
        } else {
            format!("failed: {}", errors(&output))
        }
    );
    service.kill().unwrap();
    service.wait().unwrap();
}

fn service(folder: &Path, rounds: &str) -> Command {
    let mut command = Command::new("./service");
    command.args(["1", rounds]).current_dir(folder);
    command
}

/// How long a few rounds take alone, recorded, and with what gdb has for that.
fn forwards(folder: &Path) {
    let (alone, _) = timed(&mut service(folder, ROUNDS));
    let mut recorded = Command::new(program());
    recorded
        .args(["record", "--last", "1s", "--", "./service", "1", ROUNDS])
        .current_dir(folder);
    let (with_reprise, _) = timed(&mut recorded);
    println!(
        "{ROUNDS} rounds: {:.2} s alone, {:.2} s under reprise record --last 1s",
        alone.as_secs_f64(),
        with_reprise.as_secs_f64()
    );
    let (few, _) = timed(&mut service(folder, FEW_ROUNDS));
    // Its record knows few of the processor's newer instructions, which the C library
    // uses, so only the rounds themselves are recorded.
    let mut gdb = Command::new("timeout");
    let skip = format!("ignore 1 {FEW_ROUNDS}");
    gdb.args([
        "300",
        "gdb",
        "-nx",
        "-batch",
        "-ex",
        "set record full insn-number-max unlimited",
    ])
    .args([
        "-ex",
        "break getppid",
        "-ex",
        "run",
        "-ex",
        "record full",
        "-ex",
        &skip,
    ])
    .args(["-ex", "continue", "-ex", "info record"])
    .args(["--args", "./service", "1", "0"])
    .current_dir(folder);
    let (with_gdb, output) = timed(&mut gdb);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let logged = text.lines().find(|line| line.contains("Log contains"));
    println!(
        "{FEW_ROUNDS} rounds: {:.3} s alone, {:.1} s under gdb's record full: {}",
        few.as_secs_f64(),
        with_gdb.as_secs_f64(),
        logged.map_or_else(|| last_line(&output), str::to_owned),
    );
    if is_there("rr") {
        let mut rr = Command::new("rr");
        rr.args(["record", "./service", "1", FEW_ROUNDS])
            .current_dir(folder)
            .env("_RR_TRACE_DIR", folder);
        let (took, output) = timed(&mut rr);
        let (status, said) = (output.status.code(), last_line(&output));
        println!(
            "rr record: {:.2} s, status {status:?}: {said}",
            took.as_secs_f64()
        );
    }
}

#[test]
fn other_tools_on_the_same_program() {
    if std::env::var("LAST_PEERS").is_err() {
        println!("skipped: LAST_PEERS is not set");
        return;
    }
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("service.c"), SERVICE).unwrap();
    let compiled = Command::new("gcc")
        .args(["-O1", "-g", "-o", "service", "service.c"])
        .current_dir(folder)
        .status();
    assert!(compiled.unwrap().success());
    println!("a program with {MEGABYTES} MB in use:");
    with_reprise(folder);
    with_criu(folder);
    forwards(folder);
}
