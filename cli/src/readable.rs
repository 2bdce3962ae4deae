//! Values as people read them: sizes, times, signals, command lines, text.

use std::borrow::Cow;
use std::ffi::OsString;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use nix::sys::signal::Signal;

/// A number of bytes: `512 bytes`, `12.3 MB`, `345 MB`.
pub fn size(bytes: u64) -> String {
    let units = [("GB", 1u64 << 30), ("MB", 1 << 20), ("kB", 1 << 10)];
    for (name, unit) in units {
        if bytes >= 100 * unit {
            return format!("{} {name}", bytes / unit);
        }
        if bytes >= unit {
            return format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit);
        }
    }
    count(bytes, "byte")
}

/// A number of things: `1 event`, `2 events`, `3 switches`.
pub fn count(number: u64, thing: &str) -> String {
    match (number, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "switch" | "class") => format!("{number} {thing}es"),
        _ => format!("{number} {thing}s"),
    }
}

/// A command as it is repeated in a message.
pub fn command(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// A time in the reader's own time zone, or `None` for one that was not written
/// down or cannot be.
pub fn time(seconds: u64) -> Option<String> {
    let timestamp = timestamp(seconds)?.to_zoned(TimeZone::system());
    Some(timestamp.strftime("%Y-%m-%d %H:%M:%S %:z").to_string())
}

/// The same for programs: ISO 8601 in UTC.
pub fn utc(seconds: u64) -> Option<String> {
    timestamp(seconds).map(|time| time.to_string())
}

fn timestamp(seconds: u64) -> Option<Timestamp> {
    let seconds = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    Timestamp::from_second(seconds).ok()
}

/// A stretch of time: `12 s`, `3 min 20 s`, `5 h 7 min`.
pub fn duration(seconds: u64) -> String {
    match seconds {
        0 => "less than a second".into(),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// A signal by name and number: `SIGSEGV (11)`.
pub fn signal(number: i32) -> String {
    match Signal::try_from(number) {
        Ok(signal) => format!("{signal} ({number})"),
        Err(_) => format!("signal {number}"),
    }
}

/// An argument as it would be typed into a shell.
pub fn quoted(argument: &[u8]) -> Cow<'_, [u8]> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./=:,+@%^".contains(byte);
    if !argument.is_empty() && argument.iter().all(|byte| plain(byte) || *byte >= 0x80) {
        return argument.into();
    }
    // No backslash is used: escaping for a terminal would double it, and the
    // command could not be copied.
    if !argument.iter().any(|byte| b"\"$`\\!".contains(byte)) && argument.contains(&b'\'') {
        return [b"\"", argument, b"\""].concat().into();
    }
    let pieces: Vec<&[u8]> = argument.split(|byte| *byte == b'\'').collect();
    let inner = pieces.join(&b"'\"'\"'"[..]);
    [b"'", &inner[..], b"'"].concat().into()
}

/// Breaks text into lines at spaces. A word longer than a line stays whole.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let length = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && length > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1.0 kB"),
            (12_900_000, "12.3 MB"),
            (345 << 20, "345 MB"),
            (u64::MAX, "17179869183 GB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn times_that_make_no_sense_are_none() {
        assert_eq!(time(0), None);
        assert_eq!(time(u64::MAX), None);
        assert_eq!(utc(1_700_000_000).unwrap(), "2023-11-14T22:13:20Z");
    }

    #[test]
    fn durations() {
        for (seconds, text) in [
            (0, "less than a second"),
            (59, "59 s"),
            (200, "3 min 20 s"),
            (18_430, "5 h 7 min"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn signals_have_names() {
        assert_eq!(signal(11), "SIGSEGV (11)");
        assert_eq!(signal(40), "signal 40");
        assert_eq!(signal(-1), "signal -1");
    }

    #[test]
    fn arguments_are_quoted_where_a_shell_needs_it() {
        let check = |argument: &str, expected: &str| {
            assert_eq!(quoted(argument.as_bytes()), expected.as_bytes());
        };
        check("--port=80", "--port=80");
        check("grün", "grün");
        check("", "''");
        check("a b", "'a b'");
        check("Anna's shop", "\"Anna's shop\"");
        check("it's $HOME", "'it'\"'\"'s $HOME'");
    }
}
