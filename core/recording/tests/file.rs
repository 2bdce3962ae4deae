//! The file as its users see it: what is written comes back, whatever else
//! happens to the bytes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use reprise_recording::{
    Closing, CutShort, Ending, Event, Manifest, NotRecorded, Recording, Source, StreamId,
    StreamInfo, Timeline, WriteError, Writer, chunk, header, pages,
};
use std::{fs, path::PathBuf};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("x.reprise")
    }
}

fn thread(thread: u64) -> StreamInfo {
    StreamInfo {
        process: 1,
        thread,
        kind: "test".into(),
        version: 1,
        ..StreamInfo::default()
    }
}

fn manifest() -> Manifest {
    Manifest {
        kind: "test".into(),
        subject: "a test".into(),
        ..Manifest::default()
    }
}

type Row = (u32, u64, u64, bool, Vec<u8>);

fn row(event: Event<'_>) -> Row {
    let payload = event.payload.to_vec();
    let (stream, replaced) = (event.stream.0, event.replaced);
    (stream, event.number, event.stamp, replaced, payload)
}

fn timeline(recording: &Recording<impl Source>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut timeline = recording.timeline();
    while let Some(event) = timeline.next().unwrap() {
        rows.push(row(event));
    }
    rows
}

fn by_stream(recording: &Recording<impl Source>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (id, _) in recording.streams() {
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            rows.push(row(event));
        }
    }
    rows
}

/// Writes events of a few streams in an order that stamps record: each switch
/// from one stream to another is a new stamp.
fn write_interleaved(file: &PathBuf, script: &[(u8, bool, Vec<u8>)], finish: bool) -> Vec<Row> {
    let writer = Writer::create(file, &manifest()).unwrap();
    let mut streams: Vec<_> = (0..3).map(|i| writer.stream(&thread(i)).unwrap()).collect();
    let mut expected = Vec::new();
    let mut stamp = 0;
    let mut last = usize::MAX;
    for (which, replaced, payload) in script {
        let i = usize::from(*which) % streams.len();
        if i != last {
            stamp += 1;
            streams[i].stamp(stamp).unwrap();
            last = i;
        }
        let number = streams[i].next_number();
        if *replaced {
            streams[i].append_replaced(payload).unwrap();
        } else {
            streams[i].append(payload).unwrap();
        }
        if payload.len() % 7 == 3 {
            streams[i].flush().unwrap();
        }
        expected.push((streams[i].id().0, number, stamp, *replaced, payload.clone()));
    }
    drop(streams);
    if finish {
        writer.finish(Closing::default()).unwrap();
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_timeline_is_the_order_of_writing(
        script: Vec<(u8, bool, Vec<u8>)>, finish: bool,
    ) {
        let folder = Folder::new();
        let expected = write_interleaved(&folder.file(), &script, finish);
        let recording = Recording::open(folder.file()).unwrap();
        prop_assert_eq!(recording.opened().by_index, finish);
        prop_assert_eq!(&timeline(&recording), &expected);
        let mut sorted = expected;
        sorted.sort_by_key(|row| (row.0, row.1));
        prop_assert_eq!(&by_stream(&recording), &sorted);
        let scanned = Recording::scan(fs::read(folder.file()).unwrap()).unwrap();
        prop_assert_eq!(&by_stream(&scanned), &sorted);
        prop_assert!(scanned.opened().damage.is_empty());
    }
}

/// Cut anywhere, a recording is the events of its complete chunks.
#[test]
fn truncated_at_any_byte() {
    let folder = Folder::new();
    let script: Vec<_> = (0..60u8).map(|i| (i / 4, false, vec![i; 10])).collect();
    let expected = write_interleaved(&folder.file(), &script, true);
    let bytes = fs::read(folder.file()).unwrap();
    let whole = Recording::open(folder.file()).unwrap();
    let mut most = 0;
    for len in 0..bytes.len() {
        let Ok(recording) = Recording::from_source(bytes[..len].to_vec()) else {
            let first_chunk = whole.chunks(StreamId(1))[0].offset as usize;
            assert!(len < first_chunk, "cut at {len} it should open");
            continue;
        };
        assert!(!recording.opened().by_index);
        assert!(recording.opened().damage.is_empty());
        let rows = timeline(&recording);
        assert!(rows.iter().all(|row| expected.contains(row)));
        let complete: u64 = whole
            .streams()
            .flat_map(|(id, _)| whole.chunks(id))
            .filter(|chunk| chunk.offset + chunk.len <= len as u64)
            .map(|chunk| u64::from(chunk.count))
            .sum();
        assert_eq!(rows.len() as u64, complete, "cut at {len}");
        most = most.max(rows.len());
    }
    assert_eq!(most, expected.len());
}

#[test]
fn seeking_unpacks_one_chunk() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    let mut stream = writer.stream(&thread(1)).unwrap();
    for i in 0..400_000u32 {
        stream.append(&i.to_le_bytes()).unwrap();
    }
    let id = stream.id();
    drop(stream);
    writer.finish(Closing::default()).unwrap();

    // With every other chunk's payload overwritten, only a reader that leaves
    // them alone gets there.
    let mut bytes = fs::read(folder.file()).unwrap();
    let recording = Recording::open(folder.file()).unwrap();
    let chunks = recording.chunks(id);
    assert!(chunks.len() > 4);
    for entry in &chunks[..chunks.len() - 1] {
        let payload = entry.offset as usize + chunk::LEN..(entry.offset + entry.len) as usize;
        bytes[payload].fill(0xee);
    }
    let broken = Recording::from_source(bytes).unwrap();
    assert!(broken.opened().by_index);
    let mut events = broken.events(id, 399_999).unwrap();
    let event = events.next().unwrap().unwrap();
    assert_eq!(
        (event.number, event.payload),
        (399_999, &399_999u32.to_le_bytes()[..])
    );
    assert!(events.next().unwrap().is_none());
    assert!(broken.events(id, 0).unwrap().next().is_err());
}

#[test]
fn many_threads_write_at_once() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    std::thread::scope(|scope| {
        for t in 0..8u64 {
            let mut stream = writer.stream(&thread(t)).unwrap();
            scope.spawn(move || {
                for i in 0..20_000u64 {
                    stream.append(&(t << 32 | i).to_le_bytes()).unwrap();
                }
            });
        }
    });
    let finished = writer.finish(Closing::default()).unwrap();
    assert_eq!(finished.events, 160_000);
    let recording = Recording::open(folder.file()).unwrap();
    for (id, info) in recording.streams() {
        let mut events = recording.events(id, 0).unwrap();
        let mut next = 0;
        while let Some(event) = events.next().unwrap() {
            assert_eq!(event.payload, (info.thread << 32 | next).to_le_bytes());
            next += 1;
        }
        assert_eq!(next, 20_000);
    }
}

/// Streams take turns, and their chunks are more than the timeline unpacks at
/// the same time.
#[test]
fn a_timeline_over_many_large_streams() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    let mut streams: Vec<_> = (0..300)
        .map(|i| writer.stream(&thread(i)).unwrap())
        .collect();
    let mut stamp = 0u64;
    for _ in 0..4 {
        for stream in &mut streams {
            stamp += 1;
            stream.stamp(stamp).unwrap();
            let mut event = vec![7; 60_000];
            event[..8].copy_from_slice(&stamp.to_le_bytes());
            stream.append(&event).unwrap();
        }
    }
    drop(streams);
    writer.finish(Closing::default()).unwrap();
    let recording = Recording::open(folder.file()).unwrap();
    let rows = timeline(&recording);
    assert_eq!(rows.len() as u64, stamp);
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row.4[..8], (i as u64 + 1).to_le_bytes());
    }
}

#[test]
fn appending_goes_on_where_a_writer_stopped() {
    let folder = Folder::new();
    let file = folder.file();
    let first = write_interleaved(&file, &[(0, false, b"one".to_vec())], true);
    let (writer, recording) = Writer::reopen(&file).unwrap();
    let mut stream = writer.resume(StreamId(1), recording.next_number(StreamId(1)));
    stream.stamp(9).unwrap();
    stream.append(b"two").unwrap();
    drop(stream);
    let mut added = writer.stream(&thread(7)).unwrap();
    added.append(b"three").unwrap();
    let id = added.id();
    drop(added);
    let closing = Closing {
        ending: Ending::Killed { signal: 9 },
        ..Closing::default()
    };
    writer.finish(closing.clone()).unwrap();

    let recording = Recording::open(&file).unwrap();
    assert!(recording.opened().by_index);
    assert_eq!(recording.closing(), Some(&closing));
    assert_eq!(id, StreamId(4));
    let rows = by_stream(&recording);
    assert_eq!(rows[0], first[0]);
    assert_eq!(rows[1], (1, 1, 9, false, b"two".to_vec()));
    assert_eq!(rows[2], (4, 0, 0, false, b"three".to_vec()));
    let scanned = Recording::scan(fs::read(&file).unwrap()).unwrap();
    assert_eq!(by_stream(&scanned), rows);
}

#[test]
fn a_torn_end_is_cut_off_before_appending() {
    let folder = Folder::new();
    let file = folder.file();
    let script: Vec<_> = (0..9u8).map(|i| (0, false, vec![i; 3])).collect();
    write_interleaved(&file, &script, false);
    let len = fs::metadata(&file).unwrap().len();
    let cut = fs::OpenOptions::new().write(true).open(&file).unwrap();
    cut.set_len(len - 1).unwrap();
    let (writer, recording) = Writer::reopen(&file).unwrap();
    assert!(recording.opened().truncated.is_some());
    let next = recording.next_number(StreamId(1));
    let mut stream = writer.resume(StreamId(1), next);
    stream.append(b"after").unwrap();
    drop(stream);
    writer.finish(Closing::default()).unwrap();
    let recording = Recording::scan(fs::read(&file).unwrap()).unwrap();
    assert_eq!(recording.opened().damage, []);
    assert_eq!(by_stream(&recording).last().unwrap().4, b"after");
}

#[test]
fn two_writers_do_not_share_a_file() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    assert!(matches!(
        Writer::reopen(folder.file()),
        Err(WriteError::Busy)
    ));
    drop(writer);
    Writer::reopen(folder.file()).unwrap();
}

#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    Writer::create(folder.file(), &manifest()).unwrap();
    let mode = fs::metadata(folder.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn misuse_is_an_error() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    let mut stream = writer.stream(&thread(1)).unwrap();
    stream.stamp(5).unwrap();
    assert!(matches!(
        stream.stamp(4),
        Err(WriteError::StampWentBack { stamp: 4, .. })
    ));
    let too_long = vec![0; reprise_recording::limits::EVENT + 1];
    assert!(matches!(
        stream.append(&too_long),
        Err(WriteError::EventTooLong { .. })
    ));
    assert!(matches!(
        writer.clone().finish(Closing::default()),
        Err(WriteError::StreamsOpen { count: 1 })
    ));
    drop(stream);
    writer.clone().finish(Closing::default()).unwrap();
    assert!(matches!(
        writer.finish(Closing::default()),
        Err(WriteError::Ended)
    ));
}

#[test]
fn a_long_event_has_a_chunk_to_itself() {
    let folder = Folder::new();
    let long: Vec<u8> = (0..3_000_000u32)
        .map(|i| (i.wrapping_mul(i) >> 7) as u8)
        .collect();
    let script = [
        (0, false, b"before".to_vec()),
        (0, true, long.clone()),
        (0, false, b"after".to_vec()),
    ];
    let expected = write_interleaved(&folder.file(), &script, true);
    let recording = Recording::open(folder.file()).unwrap();
    assert_eq!(timeline(&recording), expected);
    assert_eq!(recording.chunks(StreamId(1)).len(), 3);
}

#[test]
fn segments_divide_chunks() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    let mut stream = writer.stream(&thread(1)).unwrap();
    stream.append(b"a").unwrap();
    stream.segment(4).unwrap();
    stream.append(b"b").unwrap();
    stream.skip_to(10).unwrap();
    stream.segment(6).unwrap();
    stream.append(b"c").unwrap();
    let id = stream.id();
    drop(stream);
    writer.finish(Closing::default()).unwrap();
    let recording = Recording::open(folder.file()).unwrap();
    let mut events = recording.events(id, 0).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = events.next().unwrap() {
        seen.push((event.segment, event.number, event.payload.to_vec()));
    }
    assert_eq!(
        seen,
        [
            (0, 0, b"a".to_vec()),
            (4, 1, b"b".to_vec()),
            (6, 10, b"c".to_vec())
        ]
    );
    assert_eq!(
        (recording.event_count(id), recording.next_number(id)),
        (3, 11)
    );
}

#[test]
fn a_chunk_of_an_unknown_kind_is_skipped() {
    let folder = Folder::new();
    let script = [(0, false, b"a".to_vec())];
    let expected = write_interleaved(&folder.file(), &script, false);
    let mut bytes = fs::read(folder.file()).unwrap();
    let id = header::FileHeader::read(&bytes).unwrap().id;
    let payload = b"from the future";
    let future = chunk::ChunkHeader {
        kind: 200,
        codec: 77,
        stored: payload.len() as u32,
        payload_crc: crc32c::crc32c(payload),
        ..chunk::ChunkHeader::default()
    };
    let at = Recording::from_source(bytes.clone())
        .unwrap()
        .chunks(StreamId(1))[0]
        .offset as usize;
    let rest = bytes.split_off(at);
    bytes.extend(future.write(id));
    bytes.extend(payload);
    bytes.extend(rest);
    let recording = Recording::from_source(bytes).unwrap();
    assert_eq!(recording.opened().unknown_chunks, 1);
    assert_eq!(recording.opened().damage, []);
    assert_eq!(timeline(&recording), expected);
}

/// A recording of a program that copies recordings: the inner one's chunks
/// must not surface when the outer one is damaged in front of them.
#[test]
fn a_recording_inside_a_recording_stays_there() {
    let inner = Folder::new();
    write_interleaved(&inner.file(), &[(0, false, b"inner".to_vec())], true);
    let inner = fs::read(inner.file()).unwrap();
    let outer = Folder::new();
    write_interleaved(&outer.file(), &[(0, false, inner)], false);
    let mut bytes = fs::read(outer.file()).unwrap();
    let entry = Recording::from_source(bytes.clone())
        .unwrap()
        .chunks(StreamId(1))[0];
    bytes[entry.offset as usize + 20] ^= 1;
    let damaged = Recording::from_source(bytes).unwrap();
    assert_eq!(damaged.opened().damage.len(), 1);
    assert_eq!(timeline(&damaged), []);
}

#[test]
fn pages_are_stored_once() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    let page = |seed: u32| -> pages::Page {
        let mut page = [0x5a; pages::LEN];
        page[1000..1004].copy_from_slice(&seed.to_le_bytes());
        page
    };
    let base = 0x7f00_0000_0000u64;
    for segment in 0..3 {
        let mut map = writer.page_map(42, segment);
        for i in 0..100u32 {
            // Zero pages, pages equal across addresses, and pages that differ
            // from segment to segment.
            let content = match i % 4 {
                0 => [0; pages::LEN],
                1 => page(7),
                2 => page(1000 + i),
                _ => page(5000 + i + segment * 1000),
            };
            map.insert(base + u64::from(i) * 3 * pages::LEN as u64, &content)
                .unwrap();
        }
        map.finish().unwrap();
    }
    writer.finish(Closing::default()).unwrap();

    let recording = Recording::open(folder.file()).unwrap();
    assert_eq!(recording.page_count(), 1 + 25 + 75);
    let mut pages = recording.pages();
    for segment in 0..3 {
        for i in 0..100u32 {
            let address = base + u64::from(i) * 3 * pages::LEN as u64;
            let expected = match i % 4 {
                0 => [0; pages::LEN],
                1 => page(7),
                2 => page(1000 + i),
                _ => page(5000 + i + segment * 1000),
            };
            let found = pages.get(42, segment, address + 17).unwrap();
            assert!(found == Some(expected), "segment {segment} page {i}");
            let between = address + pages::LEN as u64;
            assert!(pages.get(42, segment, between).unwrap().is_none());
        }
        assert_eq!(pages.addresses(42, segment).unwrap().len(), 100);
    }
    assert!(pages.get(42, 3, base).unwrap().is_none());
    assert!(pages.get(41, 0, base).unwrap().is_none());
}

#[test]
fn stopping_early_is_written_down() {
    let folder = Folder::new();
    let writer = Writer::create(folder.file(), &manifest()).unwrap();
    let mut stream = writer.stream(&thread(1)).unwrap();
    stream.append(b"kept").unwrap();
    stream.flush().unwrap();
    let why = CutShort::Stopped {
        by: "the test".into(),
    };
    writer.cut_short(why.clone());
    stream.append(b"lost").unwrap();
    assert!(matches!(stream.flush(), Err(WriteError::Ended)));
    drop(stream);
    let finished = writer.finish(Closing::default()).unwrap();
    assert_eq!(finished.cut_short, Some(why.clone()));
    let recording = Recording::open(folder.file()).unwrap();
    assert_eq!(recording.closing().unwrap().cut_short, Some(why));
    assert_eq!(timeline(&recording).len(), 1);
}

#[test]
fn nothing_is_appended_to_a_finished_recording() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    let clone = writer.clone();
    let mut map = writer.page_map(1, 0);
    map.insert(0, &[1; 4096]).unwrap();
    writer.finish(Closing::default()).unwrap();
    assert!(map.finish().is_err());
    assert!(clone.stream(&StreamInfo::default()).is_err());
    assert!(Recording::open(&file).unwrap().opened().by_index);
}

#[test]
fn the_lock_goes_with_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    writer.finish(Closing::default()).unwrap();
    let (writer, _reader) = Writer::reopen(&file).unwrap();
    writer.finish(Closing::default()).unwrap();
    assert!(Writer::reopen(&file).is_ok());
}

/// Streams with stamps that mesh, over several chunks each.
fn meshed(folder: &tempfile::TempDir) -> Recording {
    let file = folder.path().join("meshed");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    let mut streams: Vec<_> = (0..3)
        .map(|thread| {
            let info = StreamInfo {
                thread,
                ..StreamInfo::default()
            };
            writer.stream(&info).unwrap()
        })
        .collect();
    for stamp in 1..=300u64 {
        let stream = &mut streams[(stamp * stamp % 3) as usize];
        stream.segment((stamp / 100) as u32).unwrap();
        stream.stamp(stamp).unwrap();
        for part in 0..stamp % 4 {
            stream.append(&(stamp * 10 + part).to_le_bytes()).unwrap();
        }
        if stamp % 17 == 0 {
            stream.flush().unwrap();
        }
    }
    drop(streams);
    writer.finish(Closing::default()).unwrap();
    Recording::open(&file).unwrap()
}

fn all(mut timeline: Timeline<'_>) -> Vec<(u64, u32, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(event) = timeline.next().unwrap() {
        all.push((event.stamp, event.segment, event.payload.to_vec()));
    }
    all
}

#[test]
fn a_timeline_starts_at_a_stamp_or_a_segment() {
    let folder = tempfile::tempdir().unwrap();
    let recording = meshed(&folder);
    let whole = all(recording.timeline());
    assert_eq!(whole.len(), 75 * 6);
    for stamp in 0..=302 {
        let expected: Vec<_> = whole
            .iter()
            .filter(|event| event.0 >= stamp)
            .cloned()
            .collect();
        assert_eq!(
            all(recording.timeline_from_stamp(stamp)),
            expected,
            "{stamp}"
        );
    }
    for segment in 0..=4 {
        let expected: Vec<_> = whole
            .iter()
            .filter(|event| event.1 >= segment)
            .cloned()
            .collect();
        assert_eq!(all(recording.timeline_from_segment(segment)), expected);
    }
}

#[test]
fn a_list_that_is_too_long_is_shortened() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x");
    let writer = Writer::create(&file, &Manifest::default()).unwrap();
    let note = NotRecorded {
        what: "x".repeat(1 << 10),
        why: "y".repeat(1 << 10),
        count: 1,
    };
    let closing = Closing {
        not_recorded: vec![note; 10_000],
        ..Closing::default()
    };
    writer.finish(closing).unwrap();
    let recording = Recording::open(&file).unwrap();
    let notes = &recording.closing().unwrap().not_recorded;
    assert_eq!(notes.len(), 5000);
    assert_eq!(notes.last().unwrap().count, 5001);
}
