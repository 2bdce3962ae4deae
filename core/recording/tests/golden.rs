//! Recordings of every version of the format, committed: a reader of version N
//! reads every version up to N.
//!
//! A change of the format gets a new version and new golden files, written
//! with `REPRISE_GOLDEN=write cargo test -p reprise-recording --test golden`;
//! those of older versions stay as they are.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use expect_test::{Expect, expect};
use reprise_recording::{
    Closing, CutShort, Ending, Failure, Manifest, NotRecorded, Packing, Recording, StreamInfo,
    Writer, pages,
    spool::{Drainer, Recovered, Spool, SpoolConfig, SubjectSpool, recover, ring::RingInfo},
};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn writing() -> bool {
    std::env::var_os("REPRISE_GOLDEN").is_some_and(|value| value == "write")
}

/// Everything a reader can get out of a recording, as text.
fn text(recording: &Recording) -> String {
    let mut out = String::new();
    let manifest = serde_json::to_string(recording.manifest()).unwrap();
    writeln!(out, "version {}\n{manifest}", recording.version()).unwrap();
    for (id, info) in recording.streams() {
        let events = recording.event_count(id);
        let info = serde_json::to_string(info).unwrap();
        writeln!(out, "stream {id}: {events} events, {info}").unwrap();
    }
    let mut timeline = recording.timeline();
    while let Some(event) = timeline.next().unwrap() {
        let private = if event.replaced { " private" } else { "" };
        let payload = match event.payload {
            [first, rest @ ..] if rest.len() > 99 && rest.iter().all(|byte| byte == first) => {
                format!("{first} × {}", event.payload.len())
            }
            other => other.escape_ascii().to_string(),
        };
        let (stream, number) = (event.stream, event.number);
        let (stamp, segment) = (event.stamp, event.segment);
        writeln!(
            out,
            "{stream}.{number} @{stamp} s{segment}{private} {payload}"
        )
        .unwrap();
    }
    let mut pages = recording.pages();
    for segment in 0..2 {
        for address in pages.addresses(42, segment).unwrap() {
            let page = pages.get(42, segment, address).unwrap().unwrap();
            let hash = blake3::hash(&page).to_hex();
            writeln!(out, "page {segment} {address:#x} {}", &hash[..8]).unwrap();
        }
    }
    let closing = serde_json::to_string(&recording.closing()).unwrap();
    writeln!(out, "{closing}").unwrap();
    out
}

fn check(name: &str, expected: &Expect) {
    let path = golden(name);
    expected.assert_eq(&text(&Recording::open(&path).unwrap()));
    // The same by a scan, which does not look at the index.
    let scanned = Recording::scan(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(text(&scanned), text(&Recording::open(&path).unwrap()));
}

fn manifest() -> Manifest {
    Manifest {
        kind: "golden".into(),
        subject: "a program".into(),
        command: vec!["./program".into(), (&b"caf\xe9"[..]).into()],
        started: 1_700_000_000,
        ..Manifest::default()
    }
}

fn write_finished(path: &Path) {
    let writer = Writer::create(path, &manifest()).unwrap();
    let info = |thread, table| StreamInfo {
        process: 42,
        thread,
        kind: "golden.events".into(),
        version: 5,
        table,
        name: format!("thread {thread}"),
    };
    let mut one = writer.stream(&info(1, false)).unwrap();
    let mut two = writer.stream(&info(2, true)).unwrap();
    one.stamp(1).unwrap();
    one.append(b"first").unwrap();
    two.stamp(2).unwrap();
    two.append(b"").unwrap();
    two.append_replaced(b"stand-in").unwrap();
    one.stamp(3).unwrap();
    one.segment(1).unwrap();
    one.append(&[7; 300]).unwrap();
    one.skip_to(10).unwrap();
    one.append(b"after a gap").unwrap();
    drop((one, two));
    for segment in 0..2 {
        let mut map = writer.page_map(42, segment);
        map.insert(0x1000, &[0; pages::LEN]).unwrap();
        map.insert(0x2000, &[1; pages::LEN]).unwrap();
        map.insert(0x7f00_0000_0000, &[segment as u8 + 1; pages::LEN])
            .unwrap();
        map.finish().unwrap();
    }
    writer
        .finish(Closing {
            ending: Ending::Killed { signal: 11 },
            cut_short: Some(CutShort::Stopped {
                by: "the author".into(),
            }),
            failure: Some(Failure {
                what: "SIGSEGV at 0x0".into(),
                stack: vec!["main".into()],
            }),
            not_recorded: vec![NotRecorded {
                what: "io_uring_setup".into(),
                why: "not supported".into(),
                count: 2,
            }],
            ended: 1_700_000_001,
        })
        .unwrap();
}

#[test]
fn version_1_finished() {
    if writing() {
        let _ = fs::remove_file(golden("v1-finished.reprise"));
        write_finished(&golden("v1-finished.reprise"));
    }
    check(
        "v1-finished.reprise",
        &expect![[r#"
        version 1
        {"kind":"golden","subject":"a program","command":["./program",{"bytes":[99,97,102,233]}],"host":{"os":"","arch":"","kernel":"","cpus":0},"started":1700000000,"versions":{},"build_ids":{}}
        stream 1: 3 events, {"process":42,"thread":1,"kind":"golden.events","version":5,"name":"thread 1"}
        stream 2: 2 events, {"process":42,"thread":2,"kind":"golden.events","version":5,"table":true,"name":"thread 2"}
        1.0 @1 s0 first
        2.0 @2 s0 
        2.1 @2 s0 private stand-in
        1.1 @3 s1 7 × 300
        1.10 @3 s1 after a gap
        page 0 0x1000 b6fb73fc
        page 0 0x2000 ed6fa966
        page 0 0x7f0000000000 ed6fa966
        page 1 0x1000 b6fb73fc
        page 1 0x2000 ed6fa966
        page 1 0x7f0000000000 adf157fb
        {"ending":{"how":"killed","signal":11},"cut_short":{"why":"stopped","by":"the author"},"failure":{"what":"SIGSEGV at 0x0","stack":["main"]},"not_recorded":[{"what":"io_uring_setup","why":"not supported","count":2}],"ended":1700000001}
    "#]],
    );
}

/// Chunks that are longer than version 1 has them.
fn write_dense(path: &Path) {
    let file = fs::OpenOptions::new();
    let file = { file }.read(true).write(true).create_new(true).open(path);
    let writer = Writer::start_with(file.unwrap(), &manifest(), Packing::DENSE).unwrap();
    let info = StreamInfo {
        process: 42,
        thread: 1,
        kind: "golden.events".into(),
        version: 5,
        ..StreamInfo::default()
    };
    let mut stream = writer.stream(&info).unwrap();
    for byte in b'a'..=b'f' {
        stream.append(&vec![byte; 200_000]).unwrap();
    }
    drop(stream);
    writer.finish(Closing::default()).unwrap();
}

#[test]
fn version_2_dense() {
    if writing() {
        let _ = fs::remove_file(golden("v2-dense.reprise"));
        write_dense(&golden("v2-dense.reprise"));
    }
    check(
        "v2-dense.reprise",
        &expect![[r#"
            version 2
            {"kind":"golden","subject":"a program","command":["./program",{"bytes":[99,97,102,233]}],"host":{"os":"","arch":"","kernel":"","cpus":0},"started":1700000000,"versions":{},"build_ids":{}}
            stream 1: 6 events, {"process":42,"thread":1,"kind":"golden.events","version":5}
            1.0 @0 s0 97 × 200000
            1.1 @0 s0 98 × 200000
            1.2 @0 s0 99 × 200000
            1.3 @0 s0 100 × 200000
            1.4 @0 s0 101 × 200000
            1.5 @0 s0 102 × 200000
            {"ending":{"how":"unknown"},"not_recorded":[],"ended":0}
        "#]],
    );
}

/// A recorder and its subject that were killed: the recording and its spool.
fn write_killed(path: &Path) {
    let writer = Writer::create(path, &manifest()).unwrap();
    let config = SpoolConfig {
        rings: 2,
        ring_size: 1 << 16,
        dead_after_ms: 100,
        kinds: vec![("golden.events".into(), 5)],
    };
    let spool = Spool::create(path, &config).unwrap();
    let mut drainer = Drainer::new(spool, writer).unwrap();
    let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
    let info = RingInfo {
        process: 42,
        thread: 3,
        name: "Straße",
        ..RingInfo::default()
    };
    let mut ring = subject.ring(info).unwrap();
    ring.append(b"drained");
    drainer.run(|| true).unwrap();
    ring.stamp();
    ring.append(b"in the spool");
    ring.append_replaced(b"private");
    ring.append(&[9; 9000]);
    ring.begin_segment(1);
    ring.append(b"last");
    // Neither closes anything, as if killed.
    std::mem::forget(ring);
}

#[test]
fn version_1_killed() {
    let name = "v1-killed.reprise";
    if writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_killed(&path);
        fs::copy(&path, golden(name)).unwrap();
        let spool = fs::read(folder.path().join("v1-killed.reprise.spool")).unwrap();
        let packed = zstd::encode_all(&spool[..], 19).unwrap();
        fs::write(golden("v1-killed.spool.zst"), packed).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::copy(golden(name), &path).unwrap();
    let packed = fs::read(golden("v1-killed.spool.zst")).unwrap();
    let spool = zstd::decode_all(&packed[..]).unwrap();
    fs::write(folder.path().join("v1-killed.reprise.spool"), spool).unwrap();
    assert!(matches!(recover(&path), Ok(Recovered::Added(_))));
    let recovered = Recording::open(&path).unwrap();
    expect![[r#"
        version 1
        {"kind":"golden","subject":"a program","command":["./program",{"bytes":[99,97,102,233]}],"host":{"os":"","arch":"","kernel":"","cpus":0},"started":1700000000,"versions":{},"build_ids":{}}
        stream 1: 5 events, {"process":42,"thread":3,"kind":"golden.events","version":5,"name":"Straße"}
        1.0 @0 s0 drained
        1.1 @1 s0 in the spool
        1.2 @1 s0 private private
        1.3 @1 s0 9 × 9000
        1.4 @1 s1 last
        {"ending":{"how":"unknown"},"cut_short":{"why":"recorder-died"},"not_recorded":[],"ended":0}
    "#]].assert_eq(&text(&recovered));
}
