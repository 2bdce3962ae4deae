//! Values to text and back, text to values and back.

use proptest::prelude::*;
use reprise_schedule::{parse, parse_bytes, parse_lines};

use crate::values;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_printed_is_read_back(schedule in values::schedule()) {
        let text = schedule.to_string();
        let back = parse(&text);
        prop_assert_eq!(back.as_ref(), Ok(&schedule), "{}", text);
    }

    #[test]
    fn what_is_read_is_printed_in_one_form(schedule in values::schedule(), noise in any::<u64>()) {
        let normal = schedule.to_string();
        let text = with_noise(&normal, noise);
        let back = parse(&text).unwrap();
        prop_assert_eq!(back.to_string(), normal, "{}", text);
    }

    #[test]
    fn every_command_has_its_line(schedule in values::schedule()) {
        let text = schedule.to_string();
        let parsed = parse_lines(&text).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        let commands = lines
            .iter()
            .filter(|line| !(line.is_empty() || line.starts_with("thread ") || line.starts_with("loopend ")));
        let found: Vec<&str> = parsed.lines.iter().map(|line| lines[*line as usize - 1]).collect();
        let expected: Vec<&str> = commands.copied().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn any_bytes_are_read_or_refused_with_a_place(bytes in any::<Vec<u8>>()) {
        if let Err(errors) = parse_bytes(&bytes) {
            for error in errors.iter() {
                prop_assert!(error.position.line >= 1 && error.position.column >= 1);
                prop_assert!(!error.hint().is_empty());
            }
        }
    }

    /// Words of the language in any order get further than bytes do.
    #[test]
    fn any_words_are_read_or_refused_with_a_place(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "before", "in", "switch", "notify", "timeout", "die", "terminate", "log", "loopbegin",
                "loopend", "thread", "send", "receive", "none", "inf", "0", "1", "0.1", "-1", "A",
                "run()V", "A.java:3", "#", "\n", "\n", "\n", "\\u{41}", "\\u{", "(", ":1", "/",
            ]),
            0..60,
        )
    ) {
        let text = words.join(" ");
        match parse(&text) {
            Ok(schedule) => prop_assert_eq!(parse(&schedule.to_string()), Ok(schedule)),
            Err(errors) => for error in errors.iter() {
                prop_assert!(!error.hint().is_empty() && !error.to_string().is_empty());
            }
        }
    }
}

/// Blank lines, comments, more blanks and tabs: none of them means anything.
fn with_noise(text: &str, noise: u64) -> String {
    let mut noisy = String::from("\u{feff}");
    for (index, line) in text.lines().enumerate() {
        let bits = noise.rotate_right(u32::try_from(index % 64).unwrap());
        if bits & 1 != 0 {
            noisy.push_str("\t # switch 7\r\n\n");
        }
        let line = if bits & 2 == 0 {
            line.to_owned()
        } else {
            line.replace(' ', " \t ")
        };
        noisy.push_str(&line);
        noisy.push_str(if bits & 4 == 0 { "\n" } else { "  # note\r\n" });
    }
    noisy
}
