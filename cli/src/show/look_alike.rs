//! What a file is that is not a recording, and which recordings have a name
//! like one that is not there.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use reprise_recording::spool::layout;

/// How many names are offered.
const OFFERED: usize = 3;

/// What the first bytes of a file look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Empty,
    Program,
    Core,
    Gzip,
    Zip,
    Zstd,
    Xz,
    Spool,
    /// A recording whose line ends somebody has converted.
    ConvertedRecording,
    Text,
    Other,
}

impl Look {
    pub(super) fn at(start: &[u8]) -> Self {
        // The type of an ELF file; 4 is a core.
        let core = start.get(16..18) == Some(&[4, 0]);
        match start {
            [] => Self::Empty,
            [0x7f, b'E', b'L', b'F', ..] if core => Self::Core,
            [0x7f, b'E', b'L', b'F', ..] => Self::Program,
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', ..] => Self::Xz,
            _ if start.starts_with(&layout::MAGIC) => Self::Spool,
            [0x89, b'R', b'P', b'R', ..] => Self::ConvertedRecording,
            _ if is_text(start) => Self::Text,
            _ => Self::Other,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Empty => {
                "it is empty: a recorder took this name and has not written yet, or never did"
            }
            Self::Program => "it is a program (ELF), not a recording",
            Self::Core => "it is a core dump (ELF), not a recording",
            Self::Gzip => "it is compressed (gzip); unpack it first",
            Self::Zip => "it is a zip or jar file; unpack it first",
            Self::Zstd => "it is compressed (zstd); unpack it first",
            Self::Xz => "it is compressed (xz); unpack it first",
            Self::Spool => "it is a spool; its events are shown with the recording beside it",
            Self::ConvertedRecording => {
                "it was a recording, but it was copied as text, which has destroyed it"
            }
            Self::Text => "it is a text file, not a recording",
            Self::Other => "it does not start like a recording",
        }
    }
}

fn is_text(start: &[u8]) -> bool {
    let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // The last character may be cut off.
    let whole = start.len() - text.len() < 4;
    let plain = |c: char| !c.is_control() || c.is_ascii_whitespace();
    whole && !text.is_empty() && text.chars().all(plain)
}

/// Recordings that the user may have meant: nearest names first.
pub(super) fn near(path: &Path) -> Vec<PathBuf> {
    let mut folder = path.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() {
        folder = Path::new(".");
    }
    let Some(wanted) = path.file_name().map(OsStr::to_string_lossy) else {
        return Vec::new();
    };
    let wanted = wanted
        .strip_suffix(".reprise")
        .unwrap_or(&wanted)
        .to_owned();
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<(usize, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension() == Some(OsStr::new("reprise")) && path.is_file())
        .map(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let shown = path.strip_prefix(".").map(Into::into);
            (distance(&wanted, &stem), shown.unwrap_or(path.clone()))
        })
        .collect();
    found.sort();
    found.truncate(OFFERED);
    found.into_iter().map(|(_, path)| path).collect()
}

/// How many letters must be added, removed or changed to get from one to the
/// other. Names are short, so nothing faster is needed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_look_like() {
        let check = |start: &[u8], expected| assert_eq!(Look::at(start), expected, "{start:?}");
        check(b"", Look::Empty);
        check(
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0",
            Look::Program,
        );
        check(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x04\0", Look::Core);
        check(b"\x1f\x8b\x08", Look::Gzip);
        check(b"PK\x03\x04", Look::Zip);
        check(b"RPRSPOOL\x01", Look::Spool);
        check(b"\x89RPR\n\x1a\n", Look::ConvertedRecording);
        check("größer\n".as_bytes(), Look::Text);
        check(&"ä".as_bytes()[..1], Look::Other);
        check(b"\0\x01\x02", Look::Other);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
