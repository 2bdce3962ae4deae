//! What `reprise show` says of good, damaged, unfinished and foreign files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod missing;
mod refused;
mod views;

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::Expect;
use reprise_recording::manifest::Host;
use reprise_recording::spool::{Drainer, Spool, SpoolConfig, SubjectSpool};
use reprise_recording::{
    Closing, Ending, Failure, Manifest, NotRecorded, Recording, StreamId, StreamInfo, Writer, chunk,
};

/// A folder in which `reprise` is run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command
            .arg("show")
            .args(arguments)
            .current_dir(self.0.path())
            .env("TZ", "UTC");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Compares what is printed, standard error first.
    fn check(&self, arguments: &[&str], status: i32, expected: &Expect) {
        let output = self.run(arguments);
        let mut text = String::from_utf8(output.stderr).unwrap();
        text += &String::from_utf8(output.stdout).unwrap();
        expected.assert_eq(&text);
        assert_eq!(output.status.code(), Some(status));
    }
}

fn manifest() -> Manifest {
    Manifest {
        kind: "test".into(),
        subject: "shop".into(),
        command: vec!["shop".into(), "--name".into(), "Anna's shop".into()],
        host: Host {
            os: "linux".into(),
            arch: "x86_64".into(),
            kernel: "6.1.0".into(),
            cpus: 4,
        },
        started: 1_700_000_000,
        versions: [("reprise".into(), "0.1.0".into())].into(),
        ..Manifest::default()
    }
}

fn closing() -> Closing {
    Closing {
        ending: Ending::Killed { signal: 11 },
        failure: Some(Failure {
            what: "SIGSEGV at 0x0".into(),
            stack: vec!["pay (shop.c:12)".into(), "main (shop.c:40)".into()],
        }),
        not_recorded: vec![
            NotRecorded {
                what: "io_uring_enter".into(),
                why: "its results cannot be seen".into(),
                count: 3,
            },
            NotRecorded {
                what: "thread 7".into(),
                why: "it was there before".into(),
                count: 1,
            },
        ],
        ended: 1_700_000_200,
        ..Closing::default()
    }
}

fn thread(thread: u64, name: &str) -> StreamInfo {
    StreamInfo {
        process: 4711,
        thread,
        kind: "test.calls".into(),
        version: 2,
        name: name.into(),
        ..StreamInfo::default()
    }
}

/// Two threads that take turns, in chunks of ten events.
fn write(file: &Path, closing: Option<Closing>) {
    let writer = Writer::create(file, &manifest()).unwrap();
    let mut streams = [
        writer.stream(&thread(1, "main")).unwrap(),
        writer.stream(&thread(2, "worker")).unwrap(),
    ];
    for i in 0..60u64 {
        let stream = &mut streams[(i / 3 % 2) as usize];
        stream.stamp(i / 3).unwrap();
        match i {
            57 => stream.append(&[0, 1, 0xfe, 0xff]).unwrap(),
            58 => stream.append_replaced(b"card 0000").unwrap(),
            _ => stream.append(format!("call {i}").as_bytes()).unwrap(),
        }
        if stream.next_number().is_multiple_of(10) {
            stream.flush().unwrap();
        }
    }
    drop(streams);
    match closing {
        Some(closing) => drop(writer.finish(closing).unwrap()),
        None => {
            drop(writer);
            until_unlocked(file);
        }
    }
}

/// A child that another test has forked holds our locks until it runs its
/// program: waits until nobody does.
fn until_unlocked(file: &Path) {
    let inode = fs::metadata(file).unwrap().ino().to_string();
    let is_locked = || {
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        let mut words = locks.split_whitespace();
        words.any(|word| word.rsplit_once(':').is_some_and(|(_, at)| at == inode))
    };
    // Some other file system may have a file of the same number.
    for _ in 0..2000 {
        if !is_locked() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Changes a byte in the middle of a chunk of events.
fn damage(file: &Path, stream: u32, which: usize) {
    let recording = Recording::open(file).unwrap();
    let place = recording.chunks(StreamId(stream))[which].offset + chunk::LEN as u64 + 5;
    let file = File::options().read(true).write(true).open(file).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, place).unwrap();
    file.write_all_at(&[!byte[0]], place).unwrap();
}

/// A recording with its spool, and a ring of it.
fn recorded(file: &Path) -> (Drainer, SubjectSpool) {
    let writer = Writer::create(file, &manifest()).unwrap();
    let config = SpoolConfig {
        rings: 2,
        ring_size: 1 << 14,
        kinds: vec![("test.calls".into(), 2)],
        ..SpoolConfig::default()
    };
    let spool = Spool::create(file, &config).unwrap();
    let drainer = Drainer::new(spool, writer).unwrap();
    let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
    (drainer, subject)
}
