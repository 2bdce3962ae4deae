//! Round trips, refusals, and the bytes of version 1.

use proptest::prelude::*;

use super::*;

fn program(spes: u32) -> Program {
    Program {
        name: "bank".to_owned(),
        version: [7; 16],
        spes,
    }
}

/// Two threads, `0` and `0.0`; SPE 1 accessed by 0, 0, 1, SPE 3 by nobody.
fn small() -> PartialLog {
    let mut threads = ThreadMap::default();
    let (parent, order) = (None, 0);
    let first = threads.add(Birth { parent, order }).unwrap();
    let parent = Some(first);
    let second = threads.add(Birth { parent, order }).unwrap();
    let failure = Failure {
        what: "E".to_owned(),
        place: "m:1".to_owned(),
    };
    let outcome = Outcome::Failed(failure);
    let mut log = PartialLog::new(program(4), RunId([9; 16]), outcome, threads);
    let mut vector = AccessVector::default();
    vector.push(first, 2).unwrap();
    vector.push(second, 1).unwrap();
    log.insert(Spe(1), vector).unwrap();
    log.insert(Spe(3), AccessVector::default()).unwrap();
    log
}

fn bytes(log: &PartialLog) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(log, &mut bytes);
    bytes
}

#[test]
fn version_1_stays_readable() {
    let mut expected = vec![1, 4];
    expected.extend(b"bank");
    expected.extend([7; 16]);
    expected.push(4);
    expected.extend([9; 16]);
    expected.extend(b"\x01\x01E\x03m:1");
    expected.push(2);
    expected.push(1);
    expected.extend(0xf514_1220_84b7_559b_a2ae_419e_bbdf_c0a4_u128.to_be_bytes());
    expected.push(1);
    expected.extend(0xbeb2_02fa_d109_4233_47b2_aa99_b332_012e_u128.to_be_bytes());
    expected.extend([2, 0, 0, 1, 0]);
    expected.extend([2, 2, 1, 0]);
    let log = small();
    assert_eq!(bytes(&log), expected, "{:02x?}", bytes(&log));
    assert_eq!(read(&expected), Ok(log));
}

#[test]
fn a_log_cut_anywhere_is_refused() {
    let bytes = bytes(&small());
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "cut at {end}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(read(&longer), Err(ReadError::Long(1)));
}

#[test]
fn a_vector_is_held_against_its_hash() {
    let mut bytes = bytes(&small());
    let end = bytes.len();
    // The second stretch of SPE 1 becomes three accesses instead of one.
    bytes[end - 2] = 5;
    assert_eq!(read(&bytes), Err(ReadError::Hash { spe: 1 }));
    // Its thread becomes the one before: no vector is written like that.
    bytes[end - 2] = 0;
    assert_eq!(read(&bytes), Err(ReadError::Stretch { spe: 1 }));
    // The statistics need no vectors.
    assert_eq!(read_summary(&bytes), Ok(small().summary()));
    assert_eq!(read_summary(&bytes[..end - 8]), Ok(small().summary()));
}

#[test]
fn long_lengths_allocate_nothing() {
    let mut bytes = Vec::new();
    write(
        &PartialLog::new(
            program(limits::SPES),
            RunId([0; 16]),
            Outcome::Passed,
            ThreadMap::default(),
        ),
        &mut bytes,
    );
    bytes.truncate(bytes.len() - 2);
    put_number(&mut bytes, u64::from(limits::SPES));
    assert_eq!(read(&bytes), Err(ReadError::Short));
}

#[test]
fn long_texts_are_cut_at_a_character() {
    let mut program = program(1);
    program.name = format!("a{}", "ü".repeat(limits::TEXT));
    let log = PartialLog::new(
        program,
        RunId([0; 16]),
        Outcome::Passed,
        ThreadMap::default(),
    );
    let name = read(&bytes(&log)).unwrap().program.name;
    assert_eq!(name.len(), limits::TEXT - 1);
}

#[test]
fn an_access_takes_about_a_byte() {
    let mut log = small();
    let before = bytes(&log).len();
    let mut vector = AccessVector::default();
    for turn in 0..1000 {
        vector
            .push(ThreadId(turn % 2), 1 + u64::from(turn % 50))
            .unwrap();
    }
    assert_eq!(vector.accesses(), 25_500);
    log.insert(Spe(0), vector).unwrap();
    // 1,000 stretches, a hash, the SPE, and two bytes for the length.
    assert_eq!(bytes(&log).len() - before, 1000 + 16 + 1 + 2);
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>(), 0..8).prop_map(|chars| chars.into_iter().collect())
}

prop_compose! {
    fn any_log()(
        name in text(),
        version: [u8; 16],
        run: [u8; 16],
        failure in proptest::option::of((text(), text())),
        births in proptest::collection::vec((any::<u32>(), any::<u32>()), 1..6),
        shares in proptest::collection::btree_map(0..300_u32, proptest::collection::vec((any::<u32>(), 0..1000_u64), 0..6), 0..6),
    ) -> PartialLog {
        let program = Program { name, version, spes: 300 };
        let outcome = failure.map_or(Outcome::Passed, |(what, place)| Outcome::Failed(Failure { what, place }));
        let mut threads = ThreadMap::default();
        for (at, (parent, order)) in births.iter().enumerate() {
            let parent = (at > 0).then(|| ThreadId(parent % at as u32));
            threads.add(Birth { parent, order: *order }).unwrap();
        }
        let count = threads.len() as u32;
        let mut log = PartialLog::new(program, RunId(run), outcome, threads);
        for (spe, stretches) in shares {
            let mut vector = AccessVector::default();
            for (thread, accesses) in stretches {
                vector.push(ThreadId(thread % count), accesses).unwrap();
            }
            log.insert(Spe(spe), vector).unwrap();
        }
        log
    }
}

proptest! {
    #[test]
    fn what_was_written_is_read(log in any_log()) {
        let bytes = bytes(&log);
        prop_assert_eq!(read_summary(&bytes), Ok(log.summary()));
        prop_assert_eq!(read(&bytes), Ok(log));
    }

    #[test]
    fn altered_bytes_never_panic(log in any_log(), at: prop::sample::Index, byte: u8) {
        let mut bytes = bytes(&log);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = read(&bytes);
        let _ = read_summary(&bytes);
    }

    #[test]
    fn any_bytes_never_panic(bytes: Vec<u8>) {
        let _ = read(&bytes);
    }
}
