//! What counts as a failure beyond a fatal signal: conditions on the exit status
//! and on what the subject writes.

use std::collections::HashMap;
use std::str::FromStr;

use nix::libc;
use regex::bytes::Regex;

/// The longest line that is kept to be looked at as a whole.
const LINE: usize = 64 << 10;

/// A condition, as in `exit != 0` or `stderr ~ out of memory`.
#[derive(Clone, Debug)]
pub struct Condition(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Exit { equal: bool, status: i32 },
    Output { streams: Streams, pattern: Regex },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Streams {
    Standard,
    Error,
    Both,
}

/// Why a text is no condition.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// It is built in another way.
    #[error("write 'exit != 0', 'exit == 3', 'stderr ~ PATTERN', 'stdout ~ …' or 'output ~ …'")]
    Form,
    /// The status is no number.
    #[error("{0} is no exit status")]
    Status(String),
    /// The pattern is none.
    #[error("{0}")]
    Pattern(String),
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let mut words = text.trim().splitn(3, char::is_whitespace);
        let (Some(what), Some(how), Some(rest)) = (words.next(), words.next(), words.next()) else {
            return Err(ConditionError::Form);
        };
        let rest = rest.trim_start();
        if what == "exit" {
            let equal = match how {
                "==" | "=" => true,
                "!=" => false,
                _ => return Err(ConditionError::Form),
            };
            let status = rest.trim_end().parse().ok();
            let status = status.filter(|status| (0..256).contains(status));
            let status = status.ok_or_else(|| ConditionError::Status(rest.to_owned()))?;
            return Ok(Self(Kind::Exit { equal, status }));
        }
        let streams = match (what, how) {
            ("stdout", "~") => Streams::Standard,
            ("stderr", "~") => Streams::Error,
            ("output", "~") => Streams::Both,
            _ => return Err(ConditionError::Form),
        };
        let pattern = Regex::new(rest);
        let pattern = pattern.map_err(|error| ConditionError::Pattern(error.to_string()))?;
        Ok(Self(Kind::Output { streams, pattern }))
    }
}

/// Holds what happens against the conditions.
#[derive(Debug, Default)]
pub struct Watch {
    conditions: Vec<Condition>,
    /// The unfinished lines on standard output and standard error.
    lines: [Vec<u8>; 2],
    /// The descriptors that are others than their numbers say: a shell that is to write a
    /// line to standard error makes its standard output that for a moment.
    others: HashMap<u64, u64>,
}

impl Watch {
    /// Nothing has happened yet.
    pub fn new(conditions: Vec<Condition>) -> Self {
        Self {
            conditions,
            ..Self::default()
        }
    }

    /// The same for a process that was made by this one: that it exits in some
    /// way is its maker's business.
    pub(crate) fn of_child(&self) -> Self {
        let output = |Condition(kind): &&Condition| matches!(kind, Kind::Output { .. });
        Self {
            others: self.others.clone(),
            ..Self::new(self.conditions.iter().filter(output).cloned().collect())
        }
    }

    /// A call has been made that may have made a descriptor another one.
    pub(crate) fn called(&mut self, number: u64, arguments: &[u64; 6], result: u64) {
        let is_copy = match number.cast_signed() {
            libc::SYS_dup | libc::SYS_dup2 | libc::SYS_dup3 => true,
            libc::SYS_fcntl => {
                [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC].contains(&(arguments[1] as i32))
            }
            libc::SYS_close => false,
            _ => return,
        };
        if self.conditions.is_empty() || reprise_syscalls::is_error(result) {
            return;
        }
        let from = u64::from(arguments[0] as u32);
        let (descriptor, is) = match is_copy {
            true => (result, self.known(from)),
            false => (from, None),
        };
        match is {
            Some(is) if is != descriptor => drop(self.others.insert(descriptor, is)),
            _ => drop(self.others.remove(&descriptor)),
        }
    }

    /// Which of the two a descriptor is.
    fn known(&self, descriptor: u64) -> Option<u64> {
        let is = self.others.get(&descriptor).copied().unwrap_or(descriptor);
        [1, 2].contains(&is).then_some(is)
    }

    /// Whether an exit with this status is a failure.
    pub fn exits(&self, status: i32) -> bool {
        self.conditions.iter().any(|Condition(kind)| match kind {
            Kind::Exit {
                equal,
                status: wanted,
            } => (status == *wanted) == *equal,
            Kind::Output { .. } => false,
        })
    }

    /// Whether anything that is written to this descriptor matters.
    pub fn looks_at(&self, descriptor: u64) -> bool {
        self.patterns(descriptor).next().is_some()
    }

    /// The subject has written this. Returns the line that is a failure, if one
    /// is; a line that is written in pieces is looked at as a whole.
    pub fn wrote(&mut self, descriptor: u64, bytes: &[u8]) -> Option<String> {
        let at = usize::from(self.known(descriptor) == Some(2));
        let mut line = std::mem::take(&mut self.lines[at]);
        let mut found = None;
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            line.extend(piece.iter().take(LINE.saturating_sub(line.len())));
            let whole = piece.last() == Some(&b'\n');
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let fails = self.patterns(descriptor).any(|p| p.is_match(text));
            if fails {
                found.get_or_insert_with(|| String::from_utf8_lossy(text).into_owned());
            }
            // A line that has been found is not found again when it goes on.
            if whole || fails {
                line.clear();
            }
        }
        self.lines[at] = line;
        found
    }

    fn patterns(&self, descriptor: u64) -> impl Iterator<Item = &Regex> {
        let is = self.known(descriptor);
        let matters = move |streams: Streams| match is {
            Some(1) => streams != Streams::Error,
            Some(2) => streams != Streams::Standard,
            _ => false,
        };
        self.conditions
            .iter()
            .filter_map(move |Condition(kind)| match kind {
                Kind::Output { streams, pattern } if matters(*streams) => Some(pattern),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(text: &str) -> Watch {
        Watch::new(vec![text.parse().unwrap()])
    }

    #[test]
    fn an_exit_status_is_compared() {
        assert!(watch("exit != 0").exits(1));
        assert!(!watch("exit != 0").exits(0));
        assert!(watch("exit == 3").exits(3));
        assert!(!watch("exit == 3").exits(4));
        assert!(!watch("stderr ~ x").exits(1));
        assert!(!watch("exit != 0").of_child().exits(1));
        assert!(watch("stderr ~ x").of_child().looks_at(2));
    }

    #[test]
    fn a_line_is_found_in_its_stream() {
        let mut stderr = watch("stderr ~ out of (memory|disk)$");
        assert_eq!(stderr.wrote(1, b"out of memory\n"), None);
        assert_eq!(stderr.wrote(2, b"fine\n"), None);
        let found = stderr.wrote(2, b"one\n7: out of disk\ntwo\n");
        assert_eq!(found.as_deref(), Some("7: out of disk"));
        assert!(stderr.looks_at(2) && !stderr.looks_at(1) && !stderr.looks_at(3));
        assert!(watch("output ~ x").looks_at(1));
    }

    #[test]
    fn a_stream_is_what_it_is_whatever_its_number() {
        let mut stderr = watch("stderr ~ x");
        let mut call = |number: i64, arguments: [u64; 2], result| {
            let [first, second] = arguments;
            let arguments = [first, second, 0, 0, 0, 0];
            stderr.called(number.cast_unsigned(), &arguments, result);
            [1, 2, 10].map(|descriptor| stderr.looks_at(descriptor))
        };
        let copy = libc::F_DUPFD as u64;
        // As a shell does for a line to standard error.
        let was = [false, true, false];
        assert_eq!(call(libc::SYS_fcntl, [1, copy], 10), was);
        assert_eq!(call(libc::SYS_dup2, [2, 1], 1), [true, true, false]);
        assert_eq!(call(libc::SYS_dup2, [10, 1], 1), was);
        assert_eq!(call(libc::SYS_close, [10, 0], 0), was);
        // Exchanged; and what failed has changed nothing.
        assert_eq!(call(libc::SYS_dup, [2, 0], 10), [false, true, true]);
        assert_eq!(call(libc::SYS_dup3, [1, 2], 2), [false, false, true]);
        assert_eq!(
            call(libc::SYS_dup2, [10, 1], -9i64 as u64),
            [false, false, true]
        );
        // A file of its own in its place is what its number says.
        assert_eq!(call(libc::SYS_dup2, [7, 2], 2), [false, true, true]);
        assert_eq!(call(libc::SYS_close, [10, 0], 0), was);
        assert!(stderr.of_child().looks_at(2));
    }

    #[test]
    fn a_line_in_pieces_is_found_once() {
        let mut output = watch("output ~ ^panic");
        assert_eq!(output.wrote(1, b"a\npan"), None);
        assert_eq!(output.wrote(1, b"ic: b"), Some("panic: b".to_owned()));
        assert_eq!(output.wrote(1, b"ad\n"), None);
        assert_eq!(output.wrote(1, b"panic\n"), Some("panic".to_owned()));
    }

    #[test]
    fn other_texts_are_no_conditions() {
        let check = |text: &str, expected| {
            assert_eq!(text.parse::<Condition>().unwrap_err(), expected, "{text}");
        };
        check("", ConditionError::Form);
        check("exit", ConditionError::Form);
        check("exit ~ 3", ConditionError::Form);
        check("stdin ~ x", ConditionError::Form);
        check("exit != 300", ConditionError::Status("300".to_owned()));
        assert!("stderr ~ (".parse::<Condition>().is_err());
    }
}
