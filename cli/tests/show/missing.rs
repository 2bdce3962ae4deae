//! Recordings that are damaged, cut off, unfinished or being written: what there
//! is, is shown.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use expect_test::expect;
use reprise_recording::chunk::ChunkHeader;
use reprise_recording::header::FileHeader;
use reprise_recording::spool::ring::RingInfo;
use reprise_recording::{Closing, Manifest, Recording, StreamId, Writer};

use super::{Folder, closing, damage, recorded, until_unlocked, write};

#[test]
fn a_damaged_recording_is_shown_with_what_is_missing() {
    let folder = Folder::new();
    let file = folder.file("shop.reprise");
    write(&file, Some(Closing::default()));
    damage(&file, 1, 1);
    damage(&file, 2, 2);
    folder.check(
        &["shop.reprise", "--limit", "4"],
        0,
        &expect![[r#"
            recording  shop.reprise, 1.4 kB
            subject    shop
            command    shop --name "Anna's shop"
            recorded   2023-11-14 22:13:20 +00:00
            on         linux 6.1.0 x86_64, 4 cores
            kind       test; reprise 0.1.0
            ended      not known
            events     40 events in 2 streams
            damage     20 events are lost, see below

            Damage
              bytes 725 to 839: the bytes are not as they were written
                lost: events 10 to 19 of stream 1
              bytes 1066 to 1188: the bytes are not as they were written
                lost: events 20 to 29 of stream 2
              Everything else was checked and is as it was written.

            Streams
              stream      events  process    thread  kind          name
              1               20     4711         1  test.calls 2  main
              2               20     4711         2  test.calls 2  worker

            Last events
              stream  event  stamp  segment  what
              1          26     16        0  "call 50"
              1          27     18        0  "call 54"
              1          28     18        0  "call 55"
              1          29     18        0  "call 56"

            Next
              reprise show shop.reprise --events    every event
        "#]],
    );
    folder.check(&["shop.reprise", "--events", "--stream", "2", "--from", "18"], 0, &expect![[r#"
        reprise: damage at byte 1066: the bytes are not as they were written; the events that stood there are lost
        2               18          13        0           "call 39"
        2               19          13        0           "call 40"
    "#]]);
    let output = folder.run(&["shop.reprise", "--events", "--json"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let with = |what| lines.lines().filter(|line| line.contains(what)).count();
    assert_eq!((with("\"damaged_at\":"), with("\"payload\":")), (2, 40));
    let output = folder.run(&["shop.reprise", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["events"], 40);
    assert_eq!(value["damage"][0]["lost"]["first"], 10);
    assert_eq!(value["damage"][1]["lost"]["stream"], 2);
}

#[test]
fn a_truncated_recording_is_shown_as_far_as_it_goes() {
    let folder = Folder::new();
    let file = folder.file("shop.reprise");
    write(&file, Some(closing()));
    let chunk = Recording::open(&file).unwrap().chunks(StreamId(1))[2];
    let cut = File::options().write(true).open(&file).unwrap();
    cut.set_len(chunk.offset + chunk.len / 2).unwrap();
    folder.check(&["shop.reprise", "--limit", "2"], 0, &expect![[r#"
        recording  shop.reprise, 1009 bytes
        subject    shop
        command    shop --name "Anna's shop"
        recorded   2023-11-14 22:13:20 +00:00
        on         linux 6.1.0 x86_64, 4 cores
        kind       test; reprise 0.1.0
        ended      not known: the recording stops before its end
        events     40 events in 2 streams
        damage     the file is cut off, see below

        Damage
          the file ends at byte 1009, inside a part that starts at byte 952: what came after is not in it
          Everything else was checked and is as it was written.

        Streams
          stream      events  process    thread  kind          name
          1               20     4711         1  test.calls 2  main
          2               20     4711         2  test.calls 2  worker

        Last events
          stream  event  stamp  segment  what
          2          18     13        0  "call 39"
          2          19     13        0  "call 40"

        Next
          reprise show shop.reprise --events    every event
    "#]]);
    let output = folder.run(&["shop.reprise", "--events"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("reprise: the file is cut off inside a part that starts at byte "));
}

#[test]
fn a_recorder_that_died_between_two_chunks() {
    let folder = Folder::new();
    write(&folder.file("shop.reprise"), None);
    folder.check(
        &["shop.reprise", "--limit", "1"],
        0,
        &expect![[r#"
            recording  shop.reprise, 1.1 kB
            subject    shop
            command    shop --name "Anna's shop"
            recorded   2023-11-14 22:13:20 +00:00
            on         linux 6.1.0 x86_64, 4 cores
            kind       test; reprise 0.1.0
            ended      not known: the recording stops before its end
            events     60 events in 2 streams

            Streams
              stream      events  process    thread  kind          name
              1               30     4711         1  test.calls 2  main
              2               30     4711         2  test.calls 2  worker

            Last events
              stream  event  stamp  segment  what
              2          29     19        0  "call 59"

            Next
              reprise show shop.reprise --events    every event
        "#]],
    );
}

/// A later version may write parts that this one does not know.
#[test]
fn parts_of_a_later_version_are_counted() {
    let folder = Folder::new();
    let file = folder.file("shop.reprise");
    write(&file, None);
    let mut bytes = fs::read(&file).unwrap();
    let id = FileHeader::read(&bytes).unwrap().id;
    let chunk = ChunkHeader {
        kind: 200,
        ..ChunkHeader::default()
    };
    bytes.extend(chunk.write(id));
    fs::write(&file, bytes).unwrap();
    let output = folder.run(&["shop.reprise"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "\n  1 part of a kind that only a later reprise can read\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_dead_recorders_spool_is_saved_by_looking() {
    let folder = Folder::new();
    let file = folder.file("shop.reprise");
    let (mut drainer, subject) = recorded(&file);
    let mut ring = subject.ring(RingInfo::default()).unwrap();
    for i in 0..5 {
        ring.append(format!("call {i}").as_bytes());
    }
    drainer.run(|| true).unwrap();
    folder.check(
        &["shop.reprise", "--limit", "1"],
        0,
        &expect![[r#"
            reprise: shop.reprise is still being recorded; this is what has been written so far
            recording  shop.reprise, 443 bytes
            subject    shop
            command    shop --name "Anna's shop"
            recorded   2023-11-14 22:13:20 +00:00
            on         linux 6.1.0 x86_64, 4 cores
            kind       test; reprise 0.1.0
            ended      not yet: it is being recorded
            events     5 events in 1 stream

            Streams
              stream      events  process    thread  kind          name
              1                5        0         0  test.calls 2

            Last events
              stream  event  stamp  segment  what
              1           4      0        0  "call 4"

            Next
              reprise show shop.reprise --events    every event
        "#]],
    );
    for i in 5..8 {
        ring.append(format!("call {i}").as_bytes());
    }
    // As if it were killed: nothing is finished.
    drop((ring, drainer));
    until_unlocked(&file);
    until_unlocked(&folder.file("shop.reprise.spool"));
    folder.check(
        &["shop.reprise", "--limit", "2"],
        0,
        &expect![[r#"
            reprise: the recorder had died; 3 events were saved from its spool into shop.reprise
            recording  shop.reprise, 816 bytes
            subject    shop
            command    shop --name "Anna's shop"
            recorded   2023-11-14 22:13:20 +00:00
            on         linux 6.1.0 x86_64, 4 cores
            kind       test; reprise 0.1.0
            ended      not known: the recorder died first
            cut short  the recorder died; what was in its spool has been saved
            events     8 events in 1 stream

            Streams
              stream      events  process    thread  kind          name
              1                8        0         0  test.calls 2

            Last events
              stream  event  stamp  segment  what
              1           6      0        0  "call 6"
              1           7      0        0  "call 7"

            Next
              reprise show shop.reprise --events    every event
        "#]],
    );
    assert!(!folder.file("shop.reprise.spool").exists());
    let again = folder.run(&["shop.reprise"]);
    assert_eq!(again.stderr, b"", "it is said once");
}

#[test]
fn a_spool_that_cannot_be_used_is_a_warning() {
    let folder = Folder::new();
    let file = folder.file("shop.reprise");
    write(&file, Some(closing()));
    fs::write(folder.file("shop.reprise.spool"), "something else").unwrap();
    let output = folder.run(&["shop.reprise"]);
    assert!(output.status.success());
    expect![[r#"
        reprise: shop.reprise could not be completed: its spool cannot be read: it is not a spool of version 1; it is shown without what its spool holds
    "#]].assert_eq(&String::from_utf8(output.stderr).unwrap());
    folder.check(
        &["shop.reprise.spool"],
        2,
        &expect![[r#"
        reprise: cannot show shop.reprise.spool: it is a text file, not a recording
    "#]],
    );
}

/// Runs it as a user who may not do everything.
fn unprivileged(folder: &Folder, arguments: &[&str]) -> Command {
    let inner = folder.command(arguments);
    if !nix::unistd::geteuid().is_root() {
        return inner;
    }
    // The program itself may be where only root can read.
    let program = folder.file("program");
    // Not with `fs::copy`: a child that another test starts meanwhile would hold
    // the copy open for writing, and nobody can execute it then.
    let copied = Command::new("cp")
        .arg(inner.get_program())
        .arg(&program)
        .status();
    assert!(copied.unwrap().success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(program)
        .args(inner.get_args())
        .current_dir(folder.0.path());
    command
}

#[test]
fn a_folder_that_may_not_be_written() {
    let folder = Folder::new();
    let file = folder.file("shop.reprise");
    let (mut drainer, subject) = recorded(&file);
    let mut ring = subject.ring(RingInfo::default()).unwrap();
    ring.append(b"call 0");
    drainer.run(|| true).unwrap();
    ring.append(b"call 1");
    drop((ring, drainer));
    for name in ["shop.reprise", "shop.reprise.spool"] {
        fs::set_permissions(folder.file(name), fs::Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(folder.0.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let output = unprivileged(&folder, &["shop.reprise"]).output().unwrap();
    fs::set_permissions(folder.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
    expect![[r#"
        reprise: shop.reprise could not be completed: its spool cannot be read: Permission denied; it is shown without what its spool holds
    "#]].assert_eq(&String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("call 0") && !text.contains("call 1"),
        "{text}"
    );

    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(folder.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = unprivileged(&folder, &["shop.reprise"]).output().unwrap();
    expect![[r#"
        reprise: cannot show shop.reprise: Permission denied
          try: show it as the user who recorded it: only its owner may read a recording
    "#]]
    .assert_eq(&String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(2));
}

/// A replay refuses what is damaged, and what has no event to begin with.
#[test]
fn a_replay_is_offered_where_there_is_something_to_play() {
    let folder = Folder::new();
    let offered = |name: &str| {
        let output = folder.run(&[name]);
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("reprise replay")
    };
    for (name, events, expected) in [("empty.reprise", 0, false), ("some.reprise", 3, true)] {
        let manifest = Manifest {
            kind: reprise_process_events::RECORDING.into(),
            ..super::manifest()
        };
        let writer = Writer::create(folder.file(name), &manifest).unwrap();
        let mut stream = writer.stream(&super::thread(1, "main")).unwrap();
        for _ in 0..events {
            stream.append(b"event").unwrap();
        }
        drop(stream);
        writer.finish(Closing::default()).unwrap();
        assert_eq!(offered(name), expected, "{name}");
    }
    damage(&folder.file("some.reprise"), 1, 0);
    assert!(!offered("some.reprise"));
}
