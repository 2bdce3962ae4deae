//! The budgets of the recording, measured. `cargo xtask bench` collects the
//! lines that start with `BUDGET`.
#![allow(clippy::unwrap_used, reason = "a failed benchmark may panic")]
#![allow(missing_docs, reason = "a program")]

#[path = "../tests/random/mod.rs"]
mod random;

use random::Random;
use reprise_recording::{
    Closing, Manifest, Recording, StreamId, StreamInfo, Writer,
    spool::{Drainer, Spool, SpoolConfig, StdEnvironment, SubjectSpool, ring, ring::RingInfo},
};
use std::{
    hint::black_box,
    path::Path,
    sync::Barrier,
    time::{Duration, Instant},
};

const ROUNDS: usize = 201;
const RING: u64 = 1 << 20;
/// Six bytes and the two of a record's head, with room for a few slices.
const EVENTS: u64 = RING / 8 - 1024;

fn main() {
    let names: Vec<_> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| name.contains(n.as_str()));
    if wanted("spool") {
        spool();
    }
    if wanted("file") {
        file();
    }
}

fn budget(name: &str, measured: f64, unit: &str, limit: f64, at_least: bool) {
    let ok = if at_least {
        measured >= limit
    } else {
        measured <= limit
    };
    let sign = if at_least { "≥" } else { "≤" };
    let verdict = if ok { "ok" } else { "over" };
    println!("BUDGET\t{name}\t{measured:.2} {unit}\t{sign} {limit} {unit}\t{verdict}");
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

type Ring = ring::RingWriter<StdEnvironment>;

/// Events as a recorder of calls writes them: a program goes round in loops,
/// and each event has a place (two bytes) and an object or number (four), most
/// of which were there before or are one more than last time.
fn calls() -> Vec<[u8; 6]> {
    let mut random = Random(1);
    let bodies: Vec<Vec<u16>> = (0..40)
        .map(|_| {
            (0..3 + random.below(25))
                .map(|_| random.below(3000) as u16)
                .collect()
        })
        .collect();
    let mut events = Vec::new();
    let mut fresh = 1000;
    while events.len() < EVENTS as usize {
        let body = &bodies[random.below(40) as usize];
        let receiver = random.below(500) as u32;
        for _ in 0..1 + random.below(30) {
            fresh += 1;
            for (i, site) in body.iter().enumerate() {
                let value = match i % 4 {
                    0 | 1 => receiver,
                    2 => fresh,
                    _ => random.below(10) as u32,
                };
                events.push(event(*site, value));
            }
        }
    }
    events.truncate(EVENTS as usize);
    events
}

/// Events that hardly compress: each has twelve random bits.
fn noise() -> Vec<[u8; 6]> {
    let mut random = Random(1);
    (0..EVENTS)
        .map(|i| event((i % 13 * 7) as u16, random.below(4096) as u32))
        .collect()
}

fn event(site: u16, value: u32) -> [u8; 6] {
    let mut event = [0; 6];
    event[..2].copy_from_slice(&site.to_le_bytes());
    event[2..].copy_from_slice(&value.to_le_bytes());
    event
}

fn fill(ring: &mut Ring, events: &[[u8; 6]]) -> Duration {
    let start = Instant::now();
    for event in events {
        black_box(ring.append(event));
    }
    start.elapsed()
}

fn spool() {
    let calls = measure_spool(&calls());
    let (one, two) = (calls.one, calls.two);
    budget("spool append, 6 bytes, one thread", one, "ns", 3.0, false);
    budget(
        "spool append, 6 bytes, per thread of two",
        two,
        "ns",
        3.0,
        false,
    );
    // Two threads on two cores of a shared machine: a tenth is noise.
    budget(
        "spool append, two threads against one",
        two / one,
        "×",
        1.1,
        false,
    );
    budget("drain at zstd level 1", calls.drain, "MB/s", 300.0, true);
    println!(
        "(these events took {:.2} bytes each in the file)",
        calls.bytes
    );
    let noise = measure_spool(&noise());
    println!(
        "(events with 12 random bits each: drained at {:.0} MB/s, {:.2} bytes each)",
        noise.drain, noise.bytes
    );
}

struct SpoolFigures {
    one: f64,
    two: f64,
    drain: f64,
    bytes: f64,
}

fn measure_spool(events: &[[u8; 6]]) -> SpoolFigures {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.reprise");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    let config = SpoolConfig {
        rings: 2,
        ring_size: RING,
        ..SpoolConfig::default()
    };
    let spool = Spool::create(&file, &config).unwrap();
    let mut drainer = Drainer::new(spool, writer).unwrap();
    let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
    let mut rings = [1, 2].map(|thread| {
        let info = RingInfo {
            thread,
            ..RingInfo::default()
        };
        subject.ring(info).unwrap()
    });

    // The first round touches every page of the rings and is not counted.
    let (mut one, mut two, mut drain) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let time = fill(&mut rings[0], events);
        let start = Instant::now();
        drainer.run(|| true).unwrap();
        let drained = start.elapsed();

        let barrier = Barrier::new(2);
        let both = std::thread::scope(|scope| {
            let threads = rings.each_mut().map(|ring| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    fill(ring, events)
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        drainer.run(|| true).unwrap();
        if round > 0 {
            one.push(time.as_nanos() as f64 / EVENTS as f64);
            two.extend(both.map(|time| time.as_nanos() as f64 / EVENTS as f64));
            drain.push(EVENTS as f64 * 8.0 / 1e6 / drained.as_secs_f64());
        }
    }
    drop(rings);
    let finished = drainer.finish(Closing::default()).unwrap();
    SpoolFigures {
        one: median(one),
        two: median(two),
        drain: median(drain),
        bytes: finished.bytes as f64 / finished.events as f64,
    }
}

/// About 1 GB: small events as a recorder of calls has, and long ones.
fn large_recording(file: &Path) -> [(StreamId, u64); 2] {
    let writer = Writer::create(file, &Manifest::default()).unwrap();
    let mut small = writer.stream(&StreamInfo::default()).unwrap();
    let mut long = writer.stream(&StreamInfo::default()).unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut noise = [0; 4096];
    let (mut smalls, mut longs) = (0u64, 0u64);
    while writer.file_len() < 1 << 30 {
        for word in noise.chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        long.append(&noise).unwrap();
        longs += 1;
        for _ in 0..20 {
            let event = event((smalls % 13) as u16, smalls as u32);
            small.append(&event).unwrap();
            smalls += 1;
        }
    }
    let ids = [(small.id(), smalls), (long.id(), longs)];
    drop((small, long));
    writer.finish(Closing::default()).unwrap();
    ids
}

fn file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.reprise");
    let streams = large_recording(&path);

    let open = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let recording = black_box(Recording::open(&path).unwrap());
        assert!(recording.opened().by_index);
        start.elapsed().as_secs_f64() * 1e3
    });
    budget(
        "open 1 GB with an index",
        median(open.collect()),
        "ms",
        10.0,
        false,
    );

    let scan = (0..ROUNDS).map(|_| {
        let source = std::fs::File::open(&path).unwrap();
        let start = Instant::now();
        let recording = black_box(Recording::scan(source).unwrap());
        recording.file_len() as f64 / 1e9 / start.elapsed().as_secs_f64()
    });
    budget(
        "scan 1 GB without an index",
        median(scan.collect()),
        "GB/s",
        1.0,
        true,
    );

    let recording = Recording::open(&path).unwrap();
    let mut random = Random(12345);
    let mut seek = Vec::new();
    for i in 0..1000 {
        let (id, count) = streams[i % 2];
        let number = random.below(count);
        let start = Instant::now();
        let mut events = recording.events(id, number).unwrap();
        assert_eq!(events.next().unwrap().unwrap().number, number);
        seek.push(start.elapsed().as_secs_f64() * 1e3);
    }
    seek.sort_by(f64::total_cmp);
    budget("seek to a random event", seek[500], "ms", 1.0, false);
    println!("(99 of 100 seeks took at most {:.2} ms)", seek[990]);
}
