//! The jar's manifest: names the runtime, and loses what is no longer true.
//!
//! It is a list of sections with an empty line between them; a line that begins
//! with a space goes on with the one before, and no line is longer than 72
//! bytes.

/// The longest line, with its end.
const LINE: usize = 70;

/// The manifest of the instrumented jar.
pub(crate) fn rewrite(text: &str, runtime: &str) -> String {
    let unfolded = text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace("\n ", "");
    let mut sections = unfolded.split("\n\n");
    let mut out = String::new();
    let mut named = false;
    for line in sections.next().unwrap_or_default().lines() {
        match line.split_once(':') {
            Some((name, paths)) if name.eq_ignore_ascii_case("Class-Path") => {
                named = true;
                put(&mut out, &format!("Class-Path: {runtime} {}", paths.trim()));
            }
            Some((name, _)) if name.eq_ignore_ascii_case("Manifest-Version") => {
                out.insert_str(0, &format!("{line}\r\n"));
            }
            Some(_) => put(&mut out, line),
            None => {}
        }
    }
    if !out.starts_with("Manifest-Version") {
        out.insert_str(0, "Manifest-Version: 1.0\r\n");
    }
    if !named {
        put(&mut out, &format!("Class-Path: {runtime}"));
    }
    out += "\r\n";
    for section in sections {
        // What a section of a signed jar says of a file is its digest.
        let kept: Vec<&str> = section.lines().filter(|line| !is_digest(line)).collect();
        if kept.len() > 1 {
            kept.iter().for_each(|line| put(&mut out, line));
            out += "\r\n";
        }
    }
    out
}

/// Whether a jar's manifest says that it has versions for newer releases.
pub(crate) fn is_for_releases(text: &str) -> bool {
    text.lines().any(|line| {
        line.split_once(':').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
        })
    })
}

fn is_digest(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    name.contains("-Digest") || name.eq_ignore_ascii_case("Magic")
}

/// Writes a line, in pieces when it is too long.
fn put(out: &mut String, line: &str) {
    let mut length = 0;
    for character in line.chars() {
        if length + character.len_utf8() > LINE {
            *out += "\r\n ";
            length = 1;
        }
        out.push(character);
        length += character.len_utf8();
    }
    *out += "\r\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_named_once() {
        let text = "Manifest-Version: 1.0\r\nMain-Class: a.Main\r\n\r\n";
        let expected = "Manifest-Version: 1.0\r\nMain-Class: a.Main\r\nClass-Path: r.jar\r\n\r\n";
        assert_eq!(rewrite(text, "r.jar"), expected);
        let text = "Manifest-Version: 1.0\nClass-Path: lib/a.jar li\n b/b.jar\n";
        let expected = "Manifest-Version: 1.0\r\nClass-Path: r.jar lib/a.jar lib/b.jar\r\n\r\n";
        assert_eq!(rewrite(text, "r.jar"), expected);
        let expected = "Manifest-Version: 1.0\r\nClass-Path: r.jar\r\n\r\n";
        assert_eq!(rewrite("", "r.jar"), expected);
    }

    #[test]
    fn long_lines_are_folded() {
        let long = format!("Main-Class: {}\n", "a".repeat(100));
        let text = rewrite(&long, "r.jar");
        assert!(text.lines().all(|line| line.len() <= LINE), "{text}");
        assert!(text.replace("\r\n ", "").contains(&"a".repeat(100)));
    }

    #[test]
    fn digests_are_gone_and_the_rest_is_kept() {
        let text = "Manifest-Version: 1.0\n\nName: a.class\nSHA-256-Digest: x\n\n\
                    Name: p/\nSealed: true\n\n";
        let expected = "Manifest-Version: 1.0\r\nClass-Path: r.jar\r\n\r\n\
                        Name: p/\r\nSealed: true\r\n\r\n";
        assert_eq!(rewrite(text, "r.jar"), expected);
    }

    #[test]
    fn versions_for_releases() {
        assert!(is_for_releases("A: b\r\nMulti-Release: true\r\n"));
        assert!(!is_for_releases("Multi-Release: false\n"));
    }
}
