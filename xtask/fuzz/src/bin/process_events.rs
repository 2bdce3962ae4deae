//! Any bytes as an event of a recorded process. What is read is written the
//! same way again, and can be put into words.
#![cfg_attr(fuzzing, no_main)]

use reprise_process_events::{describe, wire};

reprise_fuzz::target!(|data| {
    let Ok(event) = wire::read(data) else {
        return;
    };
    let _ = describe(&event);
    let mut bytes = Vec::new();
    wire::write(&event, &mut bytes);
    assert_eq!(
        wire::read(&bytes),
        Ok(event),
        "it is written as it was read"
    );
});
