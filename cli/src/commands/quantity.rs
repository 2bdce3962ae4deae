//! Times and sizes as people write them on a command line.

use std::time::Duration;

/// Reads a time such as `500ms`, `10s`, `2m` or `1h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("write a number and ms, s, m or h, as in 10s".to_owned()),
    };
    let value = value(number)?.checked_mul(milliseconds);
    match value {
        Some(0) => Err("it must be more than nothing".to_owned()),
        Some(value) => Ok(Duration::from_millis(value)),
        None => Err("it is too long".to_owned()),
    }
}

/// Reads a size such as `4096`, `64K`, `200M` or `1G`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let bytes = match unit {
        "" => 1,
        "K" | "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Err("write a number and K, M or G, as in 200M".to_owned()),
    };
    let value = value(number)?.checked_mul(bytes);
    match value {
        Some(0) => Err("it must be more than nothing".to_owned()),
        Some(value) => Ok(value),
        None => Err("it is too large".to_owned()),
    }
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

fn value(number: &str) -> Result<u64, String> {
    number
        .parse()
        .map_err(|_| "it has to begin with a whole number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_times_and_sizes() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("2G"), Ok(2 << 30));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "10", "s", "0s", "-1s", "1.5s", "99999999999999999999s"] {
            assert!(duration(text).is_err(), "{text}");
        }
        for text in ["", "M", "0", "1T", "99999999999999999999"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
