//! The views of whole recordings.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use expect_test::expect;
use reprise_recording::manifest::{Host, Text};
use reprise_recording::{
    Closing, CutShort, Failure, Manifest, NotRecorded, Recording, StreamId, StreamInfo, Writer,
};

use super::{Folder, closing, damage, manifest, thread, write};

#[test]
fn a_whole_recording() {
    let folder = Folder::new();
    write(&folder.file("shop.reprise"), Some(closing()));
    folder.check(
        &["shop.reprise"],
        0,
        &expect![[r#"
            recording  shop.reprise, 1.6 kB
            subject    shop
            command    shop --name "Anna's shop"
            recorded   2023-11-14 22:13:20 +00:00, for 3 min 20 s
            on         linux 6.1.0 x86_64, 4 cores
            kind       test; reprise 0.1.0
            ended      killed by SIGSEGV (11)
            events     60 events in 2 streams

            Failure
              SIGSEGV at 0x0
                  pay (shop.c:12)
                  main (shop.c:40)

            Not recorded
              io_uring_enter (3 times): its results cannot be seen
              thread 7: it was there before

            Streams
              stream      events  process    thread  kind          name
              1               30     4711         1  test.calls 2  main
              2               30     4711         2  test.calls 2  worker

            Last events
              stream  event  stamp  segment  private  what
              1          26     16        0           "call 50"
              2          24     17        0           "call 51"
              2          25     17        0           "call 52"
              2          26     17        0           "call 53"
              1          27     18        0           "call 54"
              1          28     18        0           "call 55"
              1          29     18        0           "call 56"
              2          27     19        0           00 01 fe ff
              2          28     19        0  private  "card 0000"
              2          29     19        0           "call 59"

            Next
              reprise show shop.reprise --events    every event
        "#]],
    );
    // The latest is found, and named where it does not disturb.
    folder.check(
        &["--limit", "1", "--stream", "2"],
        0,
        &expect![[r#"
            reprise: showing shop.reprise
            recording  shop.reprise, 1.6 kB
            subject    shop
            command    shop --name "Anna's shop"
            recorded   2023-11-14 22:13:20 +00:00, for 3 min 20 s
            on         linux 6.1.0 x86_64, 4 cores
            kind       test; reprise 0.1.0
            ended      killed by SIGSEGV (11)
            events     60 events in 2 streams

            Failure
              SIGSEGV at 0x0
                  pay (shop.c:12)
                  main (shop.c:40)

            Not recorded
              io_uring_enter (3 times): its results cannot be seen
              thread 7: it was there before

            Streams
              stream      events  process    thread  kind          name
              1               30     4711         1  test.calls 2  main
              2               30     4711         2  test.calls 2  worker

            Last events of stream 2
              stream  event  stamp  segment  what
              2          29     19        0  "call 59"

            Next
              reprise show shop.reprise --events    every event
        "#]],
    );
}

#[test]
fn every_event() {
    let folder = Folder::new();
    write(&folder.file("shop.reprise"), Some(closing()));
    let all = folder.run(&["shop.reprise", "--events"]);
    assert_eq!(all.stderr, b"");
    let all = String::from_utf8(all.stdout).unwrap();
    assert_eq!(all.lines().count(), 60);
    folder.check(
        &["shop.reprise", "--events", "--from", "54"],
        0,
        &expect![[r#"
            1               27          18        0           "call 54"
            1               28          18        0           "call 55"
            1               29          18        0           "call 56"
            2               27          19        0           00 01 fe ff
            2               28          19        0  private  "card 0000"
            2               29          19        0           "call 59"
        "#]],
    );
    folder.check(
        &[
            "shop.reprise",
            "--events",
            "--stream",
            "2",
            "--from",
            "9",
            "--limit",
            "2",
        ],
        0,
        &expect![[r#"
            2                9           7        0           "call 21"
            2               10           7        0           "call 22"
        "#]],
    );
    folder.check(
        &["shop.reprise", "--events", "--json", "--from", "56", "--limit", "3"],
        0,
        &expect![[r#"
            {"stream":1,"number":29,"stamp":18,"segment":0,"private":false,"kind":"test.calls","payload":{"text":"call 56"}}
            {"stream":2,"number":27,"stamp":19,"segment":0,"private":false,"kind":"test.calls","payload":{"hex":"0001feff"}}
            {"stream":2,"number":28,"stamp":19,"segment":0,"private":true,"kind":"test.calls","payload":{"text":"card 0000"}}
        "#]],
    );
}

#[test]
fn json_for_programs() {
    let folder = Folder::new();
    write(&folder.file("shop.reprise"), Some(closing()));
    let output = folder.run(&["shop.reprise", "--json", "--limit", "1"]);
    let mut value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(value["bytes"].as_u64().unwrap() > 1000);
    value["bytes"] = 0.into();
    expect![[r#"
        {
          "build_ids": {},
          "bytes": 0,
          "checked": true,
          "command": [
            "shop",
            "--name",
            "Anna's shop"
          ],
          "damage": [],
          "ended": {
            "cut_short": null,
            "ending": {
              "how": "killed",
              "signal": 11
            },
            "failure": {
              "stack": [
                "pay (shop.c:12)",
                "main (shop.c:40)"
              ],
              "what": "SIGSEGV at 0x0"
            },
            "not_recorded": [
              {
                "count": 3,
                "what": "io_uring_enter",
                "why": "its results cannot be seen"
              },
              {
                "count": 1,
                "what": "thread 7",
                "why": "it was there before"
              }
            ],
            "signal_name": "SIGSEGV",
            "time": "2023-11-14T22:16:40Z"
          },
          "events": 60,
          "file": "shop.reprise",
          "format": 1,
          "host": {
            "arch": "x86_64",
            "cpus": 4,
            "kernel": "6.1.0",
            "os": "linux"
          },
          "kind": "test",
          "last_events": [
            {
              "bytes": 7,
              "number": 29,
              "private": false,
              "segment": 0,
              "stamp": 19,
              "stream": 2,
              "text": "\"call 59\""
            }
          ],
          "memory": null,
          "processes": [],
          "saved_events": 0,
          "started": "2023-11-14T22:13:20Z",
          "state": "whole",
          "streams": [
            {
              "events": 30,
              "kind": "test.calls",
              "name": "main",
              "process": 4711,
              "stream": 1,
              "table": false,
              "thread": 1,
              "version": 2
            },
            {
              "events": 30,
              "kind": "test.calls",
              "name": "worker",
              "process": 4711,
              "stream": 2,
              "table": false,
              "thread": 2,
              "version": 2
            }
          ],
          "subject": "shop",
          "truncated": null,
          "unknown_chunks": 0,
          "version": 1,
          "versions": {
            "reprise": "0.1.0"
          }
        }"#]]
    .assert_eq(&format!("{value:#}"));
}

#[test]
fn text_from_a_recording_cannot_write_to_the_terminal() {
    const EVIL: &str = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}\nx";
    let folder = Folder::new();
    let name = "a\u{1b}[2J b.reprise";
    let evil = || String::from(EVIL);
    let manifest = Manifest {
        kind: evil(),
        subject: evil(),
        command: vec![EVIL.into(), Text::from(&b"\xff\x1b"[..])],
        host: Host {
            os: evil(),
            arch: evil(),
            kernel: evil(),
            cpus: 1,
        },
        versions: [(evil(), evil())].into(),
        build_ids: [(evil(), evil())].into(),
        ..manifest()
    };
    let closing = Closing {
        cut_short: Some(CutShort::Stopped { by: evil() }),
        failure: Some(Failure {
            what: evil(),
            stack: vec![evil()],
        }),
        not_recorded: vec![NotRecorded {
            what: evil(),
            why: evil(),
            count: 2,
        }],
        ..Closing::default()
    };
    let writer = Writer::create(folder.file(name), &manifest).unwrap();
    let info = StreamInfo {
        kind: evil(),
        ..thread(1, EVIL)
    };
    let mut stream = writer.stream(&info).unwrap();
    stream.append(EVIL.as_bytes()).unwrap();
    stream
        .append(&[b"readable, mostly ", EVIL.as_bytes()].concat())
        .unwrap();
    drop(stream);
    writer.finish(closing).unwrap();

    let options: [&[&str]; 5] = [
        &[],
        &[name],
        &[name, "--json"],
        &[name, "--events"],
        &[name, "--events", "--json"],
    ];
    for options in options {
        let output = folder.run(options);
        assert!(output.status.success(), "{output:?}");
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            let bad = |c: &char| c.is_control() && *c != '\n' || *c == '\u{202e}';
            assert_eq!(text.chars().find(bad), None, "{text}");
        }
    }
    let events = folder.run(&[name, "--events", "--json", "--limit", "1"]);
    let event: serde_json::Value = serde_json::from_slice(&events.stdout).unwrap();
    assert_eq!(event["payload"]["text"], EVIL, "nothing is lost");
}

#[test]
fn many_streams_are_summed_up() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file("many.reprise"), &manifest()).unwrap();
    for i in 0..30 {
        let mut stream = writer.stream(&thread(i, "")).unwrap();
        stream.append(b"x").unwrap();
    }
    writer.finish(Closing::default()).unwrap();
    let output = folder.run(&["many.reprise"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\n  and 10 more streams; --json lists all\n"),
        "{text}"
    );
    let output = folder.run(&["many.reprise", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["streams"].as_array().unwrap().len(), 30);
}

/// A reader that has seen enough ends a long listing quietly, and the end of a
/// long recording is shown without the way there.
#[test]
fn a_long_recording() {
    let folder = Folder::new();
    let file = folder.file("long.reprise");
    let writer = Writer::create(&file, &manifest()).unwrap();
    let mut stream = writer.stream(&thread(1, "main")).unwrap();
    for i in 0..300_000u64 {
        stream.append(&i.to_le_bytes()).unwrap();
    }
    drop(stream);
    writer.finish(Closing::default()).unwrap();
    let mut child = folder
        .command(&["long.reprise", "--events"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert!(line.contains("00 00 00 00 00 00 00 00"), "{line}");
    drop(output);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
    assert_eq!(ended.status.code(), Some(0));

    // Damaged everywhere but at its end, it still has an end.
    let recording = Recording::open(&file).unwrap();
    let chunks = recording.chunks(StreamId(1));
    for which in 0..chunks.len() - 1 {
        damage(&file, 1, which);
    }
    let output = folder.run(&["long.reprise", "--limit", "1"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("\n  1       299999      0        0  df 93 04 00 00 00 00 00\n"),
        "{text}"
    );
}
