//! What `reprise` says beside the output of a command.

use std::io::{self, Write as _};

use crate::escape::{Lines, escape};

/// Says something on standard error. It may come out of a recording, and nothing here
/// may change how the subject's own output looks, so it is one line, escaped.
pub(crate) fn say(line: &str) {
    let line = escape(line.as_bytes(), Lines::One);
    let _ = writeln!(io::stderr(), "reprise: {line}");
}
