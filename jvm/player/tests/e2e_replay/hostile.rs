//! Recordings that were changed: a divergence or an error, never anything else.

use std::fs;
use std::path::Path;

use reprise_jvm_player::{Jvm, Launch, Plan, PlayError};
use reprise_recording::{Recording, Source, Writer};

use crate::support;

const PROGRAM: &str = r#"
public class Main {
    public static void main(String[] args) {
        System.out.println(new Inside().twice(21));
    }
}
class Inside {
    int twice(int i) { return Math.multiplyExact(2, i) + Integer.getInteger("none", 0); }
}
"#;

#[test]
fn a_recording_cut_anywhere_is_played_as_far_as_it_goes_or_refused() {
    let java = &support::jdks()[0];
    let (_folder, file) = support::recorded(java, PROGRAM, "Inside");
    let bytes = fs::read(&file).unwrap();
    let mut jvm = support::jvm(java);
    for cut in (0..bytes.len()).rev().step_by(bytes.len() / 40) {
        let part = bytes[..cut].to_vec();
        let Ok(recording) = Recording::from_source(part) else {
            continue;
        };
        check(&mut jvm, java, &recording);
    }
}

/// What has no events of a JVM is not taken for one in which nothing happened.
#[test]
fn a_recording_of_another_kind_is_refused() {
    let java = &support::jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    let manifest = reprise_recording::Manifest {
        kind: "process.last".to_owned(),
        ..reprise_recording::Manifest::default()
    };
    let writer = Writer::create(&file, &manifest).unwrap();
    writer
        .finish(reprise_recording::Closing::default())
        .unwrap();
    let refused = support::play(&mut support::jvm(java), &file).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it is a recording of the kind \"process.last\", and those of the kind \"jvm-observe\" \
         are played here"
    );
}

fn check<S: Source>(jvm: &mut Jvm, java: &Path, recording: &Recording<S>) {
    match jvm.play(recording, &Plan::default()) {
        Ok(played) => assert_eq!(played.divergences, []),
        Err(PlayError::Start { .. } | PlayError::Limit(_)) => panic!("the JVM failed"),
        Err(_) => *jvm = support::jvm(java),
    }
}

/// Copies a recording, each payload as `edit` leaves it. Checksums are made
/// anew, so that only the player can notice.
fn rewrite(from: &Path, to: &Path, mut edit: impl FnMut(&str, &mut Vec<u8>)) {
    let recording = Recording::open(from).unwrap();
    let writer = Writer::create(to, recording.manifest()).unwrap();
    for (id, info) in recording.streams() {
        let mut stream = writer.stream(info).unwrap();
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            let mut bytes = event.payload.to_vec();
            edit(&info.kind, &mut bytes);
            stream.stamp(event.stamp).unwrap();
            stream.append(&bytes).unwrap();
        }
    }
    writer
        .finish(recording.closing().cloned().unwrap_or_default())
        .unwrap();
}

const WAITING: &str = r#"
import java.util.concurrent.CountDownLatch;

public class Main {
    public static void main(String[] args) throws Exception {
        Inside inside = new Inside();
        Thread thread = new Thread(() -> inside.second(), "second");
        thread.start();
        inside.first();
        thread.join();
    }
}
class Inside {
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private int count;

    synchronized int next() { return ++count; }

    void first() throws InterruptedException {
        entered.await();
        next();
        left.countDown();
    }

    void second() {
        next();
        entered.countDown();
        try {
            left.await();
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
        next();
    }
}
"#;

/// One thread waits for what the other never does, and that one for the first: it is said where
/// they are, and not only that time is up.
#[test]
fn a_replay_in_which_nothing_goes_on_says_so() {
    let java = &support::jdks()[0];
    let (folder, file) = support::recorded(java, WAITING, "Inside");
    let changed = folder.path().join("changed.reprise");
    let mut changes = 0;
    rewrite(&file, &changed, |kind, bytes| {
        // ORDER: how many since, after whom, and how many that one has had by then.
        if let (true, [0xf3, _, _, had]) = (kind == "jvm.calls", bytes.as_mut_slice()) {
            *had = 0x7f;
            changes += 1;
        }
    });
    assert!(changes > 0);
    let launch = Launch {
        java: java.clone(),
        seconds: 60,
        standstill: 1,
        ..Launch::default()
    };
    let refused = support::play(&mut Jvm::start(&launch).unwrap(), &changed).unwrap_err();
    let PlayError::Unplayable { why, .. } = refused else {
        panic!("{refused}");
    };
    let (said, standing) = why.split_once("; ").unwrap_or((&why, ""));
    assert_eq!(said, "nothing goes on");
    assert!(standing.contains("is at event"), "{why}");
    assert!(standing.contains("waiting"), "{why}");
}

/// Every byte of every event is changed in turn: the replay diverges, is
/// refused, or does what the changed event says, and in any case it ends.
#[test]
fn a_changed_event_never_hangs_or_breaks_the_player() {
    let java = &support::jdks()[0];
    let (folder, file) = support::recorded(java, PROGRAM, "Inside");
    let changed = folder.path().join("changed.reprise");
    let mut jvm = support::jvm(java);
    let mut total = 0;
    rewrite(&file, &changed, |kind, bytes| {
        total += if kind == "jvm.calls" { bytes.len() } else { 0 };
    });
    assert!(total > 10);
    let mut noticed = 0;
    for target in 0..total {
        for new in [0_u8, 1, 3, 0x7f, 0xff] {
            fs::remove_file(&changed).unwrap();
            let mut at = 0;
            rewrite(&file, &changed, |kind, bytes| {
                if kind == "jvm.calls" {
                    if let Some(byte) = target.checked_sub(at).and_then(|at| bytes.get_mut(at)) {
                        *byte = new;
                    }
                    at += bytes.len();
                }
            });
            match support::play(&mut jvm, &changed) {
                Ok(played) => noticed += usize::from(played.diverged > 0),
                Err(PlayError::Start { .. } | PlayError::Limit(_)) => panic!("byte {target}"),
                Err(error) => {
                    noticed += 1;
                    if matches!(error, PlayError::Unplayable { .. } | PlayError::Gone(_)) {
                        jvm = support::jvm(java);
                    }
                }
            }
        }
    }
    assert!(
        noticed > total,
        "only {noticed} of {} were noticed",
        total * 5
    );
}
