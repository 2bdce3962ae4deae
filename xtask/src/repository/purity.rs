//! The core and the pure crates reach for nothing but the bytes handed to them.

use crate::rust_source::{self, Token};

const ALL: &[&str] = &["fs", "net", "process", "thread"];

/// The folders of crates that must be pure, and the modules of the standard
/// library they must not use. The first that fits counts.
const PURE: &[(&str, &[&str])] = &[
    // The recording is a file, so this crate alone touches files.
    ("core/recording/", &["net", "process", "thread"]),
    ("core/", ALL),
    ("c/analysis/", ALL),
    ("c/events/", ALL),
    ("jvm/classfile/", ALL),
    ("jvm/elements/", ALL),
    ("jvm/events/", ALL),
    ("jvm/probes/", ALL),
    ("jvm/program/", ALL),
    ("jvm/turns/", ALL),
    ("process/events/", ALL),
    ("process/syscalls/", ALL),
];

pub(super) fn check(file: &str, source: &str) -> Vec<String> {
    let Some((folder, modules)) = PURE.iter().find(|(folder, _)| file.starts_with(folder)) else {
        return Vec::new();
    };
    if is_for_development(file) {
        return Vec::new();
    }
    let tokens = rust_source::without_tests(&rust_source::tokens(source));
    used(&tokens)
        .into_iter()
        .filter(|token| modules.contains(&token.text))
        .map(|token| {
            format!(
                "{file}:{}: {folder} must not use `std::{}`: let its caller do this and pass the result.",
                token.line, token.text
            )
        })
        .collect()
}

/// Tests, benchmarks and examples may use what they like.
fn is_for_development(file: &str) -> bool {
    let name = |part: &str| {
        matches!(
            part,
            "tests" | "benches" | "examples" | "tests.rs" | "build.rs"
        )
    };
    file.split('/').any(name)
}

/// The modules of `std` that are named, alone or in a group.
fn used<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let [colon, second, first, rest @ ..] = &tokens[at + 1..] else {
            break;
        };
        if token.text != "std" || colon.text != ":" || second.text != ":" {
            continue;
        }
        if first.text != "{" {
            found.push(first.clone());
            continue;
        }
        let mut depth = 1_usize;
        let mut begins = true;
        for token in rest {
            match token.text {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ if depth == 1 && begins => found.push(token.clone()),
                _ => {}
            }
            begins = token.text == ",";
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::check;

    fn modules(file: &str, source: &str) -> Vec<String> {
        let problems = check(file, source);
        let module = |problem: &String| problem.split('`').nth(1).unwrap().to_owned();
        problems.iter().map(module).collect()
    }

    #[test]
    fn each_way_to_name_a_module_is_seen() {
        let file = "core/flow/src/lib.rs";
        assert_eq!(modules(file, "use std::fs::File;"), ["std::fs"]);
        assert_eq!(modules(file, "use std :: fs;"), ["std::fs"]);
        assert_eq!(
            modules(file, "fn f() { std::thread::spawn(g); }"),
            ["std::thread"]
        );
        assert_eq!(
            modules(
                file,
                "use std::{collections::{net, A}, fs::{self}, process};"
            ),
            ["std::fs", "std::process"]
        );
        assert_eq!(
            modules(file, "use std::{\n    net::TcpStream,\n};"),
            ["std::net"]
        );
    }

    #[test]
    fn tests_and_other_crates_are_free() {
        let source = "use std::fs;";
        assert!(check("core/flow/tests/a.rs", source).is_empty());
        assert!(check("core/flow/src/tests.rs", source).is_empty());
        assert!(check("cli/src/main.rs", source).is_empty());
        assert!(
            check(
                "core/flow/src/a.rs",
                "#[cfg(test)]\nmod tests { use std::fs; }"
            )
            .is_empty()
        );
        assert!(check("core/flow/src/a.rs", "// std::fs\nuse std::io;").is_empty());
    }

    #[test]
    fn the_recording_touches_files_and_nothing_else() {
        let file = "core/recording/src/writer.rs";
        assert_eq!(modules(file, "use std::{fs, thread};"), ["std::thread"]);
    }
}
