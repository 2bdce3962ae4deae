//! Which functions a pattern means.
//!
//! `file.c:*` are all functions of a file, `file.c:name` is one, `name` is one of
//! any file; `*` stands for any characters. A file is named by the end of its path.

use crate::model::{FunctionId, Program};

/// The defined functions that a pattern means.
pub fn find(program: &Program, pattern: &str) -> Vec<FunctionId> {
    let (file, name) = match pattern.rsplit_once(':') {
        Some((file, name)) => (Some(file), name),
        None => (None, pattern),
    };
    let means =
        |file: &str, actual: &str| matches(file, actual) || matches(&format!("*/{file}"), actual);
    (0..)
        .zip(&program.functions)
        .filter(|(_, function)| function.defined && matches(name, &function.name))
        .filter(|(_, function)| file.is_none_or(|file| means(file, &function.place.file)))
        .map(|(index, _)| index)
        .collect()
}

/// All that a pattern could have meant, for whoever looks for the nearest.
pub fn names(program: &Program) -> Vec<String> {
    let mut all = Vec::new();
    for function in program.functions.iter().filter(|one| one.defined) {
        let file = function.place.file.rsplit('/').next().unwrap_or("");
        all.push(function.name.clone());
        all.push(format!("{file}:{}", function.name));
        all.push(format!("{file}:*"));
    }
    all.sort();
    all.dedup();
    all
}

fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abde", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
