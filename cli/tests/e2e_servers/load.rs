//! httpd under load, recorded all the time, with a dump on demand every so often: no
//! request fails, memory stays within bounds, and every process of every dump replays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::server::{HTTPD, Server};
use crate::{is_there, reprise};

const MEMORY: u64 = 256 << 20;
const EVERY: Duration = Duration::from_secs(30);

/// How long, if it is to be done at all.
fn seconds() -> Option<u64> {
    std::env::var("LAST_LOAD").ok()?.parse().ok()
}

fn wrk(port: u16, seconds: u64) -> Child {
    Command::new("wrk")
        .args(["-t1", "-c4", "--timeout", "60s"])
        .arg(format!("-d{seconds}s"))
        .arg(format!("http://127.0.0.1:{port}/index.html"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What `wrk` says of itself: requests for each second, and what failed.
fn said(load: Child) -> (String, String) {
    let output = load.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |name: &str| text.lines().find(|line| line.trim().starts_with(name));
    let rate = line("Requests/sec:")
        .unwrap_or("?")
        .replace("Requests/sec:", "");
    let failed = ["Socket errors:", "Non-2xx"].into_iter().filter_map(line);
    let failed: Vec<&str> = failed.map(str::trim).collect();
    (rate.trim().to_owned(), failed.join("; "))
}

/// A number of the recorder's status.
fn status(folder: &Path, field: &str) -> u64 {
    let output = reprise(folder, &["status", "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let rest = text.split(&format!("\"{field}\":")).nth(1).unwrap_or("");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|e| e == "reprise"))
        .collect();
    files.sort();
    files
}

/// Plays every process of a recording, and returns how many there are.
fn replay_all(folder: &Path, file: &Path) -> usize {
    let file = file.to_str().unwrap();
    let mut played = 0;
    for process in 1.. {
        let number = process.to_string();
        let replayed = reprise(folder, &["replay", "--process", &number, file]);
        let said = String::from_utf8_lossy(&replayed.stderr).into_owned();
        if said.contains("processes, and none is") {
            break;
        }
        assert_eq!(replayed.status.code(), Some(0), "{file}, {number}: {said}");
        played += 1;
    }
    played
}

fn under_load(mpm: &str, seconds: u64) {
    let alone = TempDir::new().unwrap();
    let server = Server::start(alone.path(), mpm, None);
    let (free, failed) = said(wrk(server.port, (seconds / 6).clamp(2, 20)));
    assert_eq!(failed, "", "alone");
    server.end(alone.path());

    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let memory = MEMORY.to_string();
    let options = ["--last", "2s", "--memory", &memory, "-o", "%t.reprise"];
    let server = Server::start(folder, mpm, Some(&options));
    let subject = status(folder, "subject").to_string();
    let load = wrk(server.port, seconds);
    let begun = Instant::now();
    let (mut dumps, mut slowest, mut most) = (0, Duration::ZERO, 0);
    while begun.elapsed() + Duration::from_secs(2) < Duration::from_secs(seconds) {
        let next = EVERY.min(Duration::from_secs(seconds) / 4) * (dumps + 1);
        while begun.elapsed() < next {
            sleep(Duration::from_millis(200));
            most = most.max(status(folder, "memory"));
        }
        if begun.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
        let before = Instant::now();
        let dumped = reprise(folder, &["dump", &subject]);
        let said = String::from_utf8_lossy(&dumped.stderr).into_owned()
            + &String::from_utf8_lossy(&dumped.stdout);
        assert_eq!(dumped.status.code(), Some(0), "{said}");
        assert!(!said.contains("unverified"), "{said}");
        slowest = slowest.max(before.elapsed());
        dumps += 1;
    }
    let (rate, failed) = said(load);
    assert_eq!(failed, "", "recorded");
    server.end(folder);
    let files = recordings(folder);
    assert_eq!(files.len(), dumps as usize);
    let lens = files.iter().map(|file| fs::metadata(file).unwrap().len());
    let (least, largest) = lens.fold((u64::MAX, 0), |(a, b), len| (a.min(len), b.max(len)));
    let played: usize = files.iter().map(|file| replay_all(folder, file)).sum();
    assert!(most <= MEMORY, "{most} bytes");
    println!(
        "httpd, {mpm}: {seconds} s of wrk with 4 connections: {free} requests/s alone, {rate} \
         recorded, none failed; {dumps} dumps of {least} to {largest} bytes, the slowest took \
         {:.1} s; at most {most} of {MEMORY} bytes kept; {played} processes in them, all replayed",
        slowest.as_secs_f64(),
    );
}

#[test]
fn httpd_under_load() {
    let Some(seconds) = seconds() else {
        println!("skipped: LAST_LOAD says for how many seconds");
        return;
    };
    if !Path::new(HTTPD).exists() || !is_there("wrk") {
        println!("skipped: httpd or wrk is not there");
        return;
    }
    for mpm in ["prefork", "event"] {
        if std::env::var("LAST_LOAD_MPM").is_ok_and(|only| only != mpm) {
            continue;
        }
        under_load(mpm, seconds);
    }
}
