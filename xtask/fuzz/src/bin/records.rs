//! Any bytes as what a subject left in a ring of its spool.
#![cfg_attr(fuzzing, no_main)]

reprise_fuzz::target!(|data| {
    let Some((position, bytes)) = data.split_first_chunk::<4>() else {
        return;
    };
    let position = u64::from(u32::from_le_bytes(*position));
    let records = reprise_recording::spool::read_records(bytes, position);
    assert!(records <= bytes.len() as u64);
});
