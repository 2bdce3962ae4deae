//! What the functions of the `scanf` family fill, by their format.

use crate::annotations::Length;

/// One conversion that stores something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scanned {
    /// How many bytes.
    pub length: Length,
    /// The conversions that must have been done, this one included: as many as the
    /// function returns.
    pub behind: u64,
}

/// What a format stores, one for each argument behind it; none if it has something that is
/// not known here.
pub fn read(format: &[u8]) -> Option<Vec<Scanned>> {
    let mut all = Vec::new();
    let mut done = 0;
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let skipped = rest.next_if_eq(&b'*').is_some();
        let mut width = 0_u64;
        while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
            width = width.saturating_mul(10) + u64::from(digit - b'0');
        }
        let mut modifier = Vec::new();
        while let Some(letter) = rest.next_if(|one| b"hlLjzt".contains(one)) {
            modifier.push(letter);
        }
        let conversion = rest.next()?;
        let length = match (conversion, modifier.as_slice()) {
            (b'%', _) => continue,
            (b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n', kind) => Length::Bytes(match kind {
                b"" => 4,
                b"h" => 2,
                b"hh" => 1,
                b"l" | b"ll" | b"L" | b"j" | b"z" | b"t" => 8,
                _ => return None,
            }),
            (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', kind) => {
                Length::Bytes(match kind {
                    b"" => 4,
                    b"l" => 8,
                    b"L" => 16,
                    _ => return None,
                })
            }
            (b's', b"") => Length::Text,
            (b'c', b"") => Length::Bytes(width.max(1)),
            (b'[', b"") => {
                rest.next_if_eq(&b'^');
                // In front, a bracket is one of the letters.
                rest.next_if_eq(&b']');
                while rest.next()? != b']' {}
                Length::Text
            }
            _ => return None,
        };
        if skipped {
            continue;
        }
        // How far it has come is stored, but does not count.
        if conversion != b'n' {
            done += 1;
        }
        all.push(Scanned {
            length,
            behind: done,
        });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(format: &str) -> Option<Vec<Length>> {
        let all = read(format.as_bytes())?;
        Some(all.into_iter().map(|one| one.length).collect())
    }

    #[test]
    fn conversions() {
        use Length::{Bytes, Text};
        for (format, expected) in [
            ("", vec![]),
            ("%d %u", vec![Bytes(4), Bytes(4)]),
            ("%*d,%ld %% %hhx", vec![Bytes(8), Bytes(1)]),
            ("%f%lf%Lg", vec![Bytes(4), Bytes(8), Bytes(16)]),
            ("%20s %3c %c", vec![Text, Bytes(3), Bytes(1)]),
            ("%[^]%d]%d", vec![Text, Bytes(4)]),
            ("%zu", vec![Bytes(8)]),
        ] {
            assert_eq!(lengths(format), Some(expected), "{format}");
        }
        for unknown in ["%p", "%ms", "%ls", "%", "%[abc", "%1$d", "%hf"] {
            assert_eq!(lengths(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn what_is_stored_without_counting() {
        let all = read(b"%d%n%s").unwrap();
        let behind: Vec<u64> = all.iter().map(|one| one.behind).collect();
        assert_eq!(behind, [1, 1, 2]);
    }
}
