//! Any bytes as a recording: opened both ways, gone through in both orders,
//! its pages read. Nothing may panic, hang or take memory by the gigabyte.
#![cfg_attr(fuzzing, no_main)]

use reprise_recording::Recording;

reprise_fuzz::target!(|data| {
    if let Ok(recording) = Recording::from_source(data.to_vec()) {
        walk(&recording);
    }
    if let Ok(recording) = Recording::scan(data.to_vec()) {
        walk(&recording);
    }
});

fn walk(recording: &Recording<Vec<u8>>) {
    // An error skips a chunk, so there are at most as many as chunks.
    let mut errors = 0;
    let mut timeline = recording.timeline();
    let mut in_order = 0u64;
    loop {
        match timeline.next() {
            Ok(Some(_)) => in_order += 1,
            Ok(None) => break,
            Err(_) => errors += 1,
        }
        assert!(errors <= recording.file_len());
    }
    let mut by_stream = 0u64;
    for (id, _) in recording.streams() {
        let Ok(mut events) = recording.events(id, 0) else {
            continue;
        };
        loop {
            match events.next() {
                Ok(Some(_)) => by_stream += 1,
                Ok(None) => break,
                Err(_) => {}
            }
        }
    }
    assert_eq!(in_order, by_stream, "both orders have the same events");
    let mut pages = recording.pages();
    for process in 0..2 {
        for address in pages.addresses(process, 0).unwrap_or_default() {
            let _ = pages.get(process, 0, address);
        }
    }
}
