//! `unsafe` only where the design allows it. The compiler's own lint could be
//! silenced in any file; the list below cannot.

use crate::rust_source;

/// What the path of a file with unsafe code begins with.
const ALLOWED: &[&str] = &["jvm/agent/", "process/", "c/", "core/recording/src/spool"];

pub(super) fn check(file: &str, source: &str) -> Vec<String> {
    if ALLOWED.iter().any(|prefix| file.starts_with(prefix)) {
        return Vec::new();
    }
    rust_source::tokens(source)
        .iter()
        .filter(|token| token.text == "unsafe")
        .map(|token| {
            format!(
                "{file}:{}: `unsafe` may only be used in {}: move the code there.",
                token.line,
                ALLOWED.join(", ")
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn unsafe_code_is_found_with_its_line() {
        let problems = check(
            "cli/src/main.rs",
            "fn f() {\n    unsafe { g() }\n}\nunsafe impl Send for T {}",
        );
        assert_eq!(problems.len(), 2);
        assert!(
            problems[0].starts_with("cli/src/main.rs:2: "),
            "{}",
            problems[0]
        );
        assert!(
            problems[1].starts_with("cli/src/main.rs:4: "),
            "{}",
            problems[1]
        );
    }

    #[test]
    fn attributes_and_tests_are_no_exception() {
        assert_eq!(
            check("cli/src/a.rs", "#[unsafe(no_mangle)] fn f() {}").len(),
            1
        );
        assert_eq!(check("cli/tests/a.rs", "unsafe fn f() {}").len(), 1);
    }

    #[test]
    fn where_it_is_allowed_and_where_it_is_only_a_word_it_passes() {
        assert!(check("core/recording/src/spool/map.rs", "unsafe {}").is_empty());
        assert!(check("core/recording/src/spool.rs", "unsafe {}").is_empty());
        assert!(!check("core/recording/src/reader.rs", "unsafe {}").is_empty());
        assert!(
            check(
                "cli/src/a.rs",
                "// unsafe {}\nconst A: &str = \"unsafe fn\";"
            )
            .is_empty()
        );
        assert!(check("cli/src/a.rs", "#![deny(unsafe_code)]").is_empty());
    }
}
