//! Any bytes as a schedule: read, printed the same way again, checked, converted
//! there and back. Any bytes as a trace.
#![cfg_attr(fuzzing, no_main)]

use reprise_schedule::{Schedule, check, parse, parse_bytes, schedule_from_trace};

reprise_fuzz::target!(|data| {
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(switches) = schedule_from_trace(text)
    {
        let schedule = Schedule::from(switches);
        assert_eq!(parse(&schedule.to_string()), Ok(schedule));
    }
    let schedule = match parse_bytes(data) {
        Ok(parsed) => parsed.schedule,
        Err(errors) => {
            assert!(errors.iter().all(|error| !error.hint().is_empty()));
            return;
        }
    };
    assert_eq!(parse(&schedule.to_string()).as_ref(), Ok(&schedule));
    let _ = check(&schedule, None);
    // Loops may be longer than a fuzzer has time for.
    let text = schedule.to_string();
    let mut loops = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("loopend "));
    if loops.clone().count() > 2 || loops.any(|times| times.len() > 1 && times != "inf") {
        return;
    }
    if let Ok(messages) = schedule.to_messages() {
        let messages = Schedule::from(messages);
        assert_eq!(parse(&messages.to_string()).as_ref(), Ok(&messages));
        let _ = messages.to_switches();
    }
});
