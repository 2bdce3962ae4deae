//! ARCHITECTURE.md knows every crate and every dependency. A map that misses a
//! place is worse than none, so a crate or a dependency lands with its line.

use std::io;

pub(super) const FILE: &str = "ARCHITECTURE.md";

/// The problem when the file is not there.
pub(super) fn missing(error: &io::Error) -> String {
    format!(
        "{FILE}: cannot be read ({error}): write it, with a section \"Code map\" that names every \
         workspace member's folder and a table with a line \"| `name` | …\" for every dependency."
    )
}

pub(super) fn check(architecture: &str, manifest: &str, members: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    for name in dependencies(manifest) {
        let cell = format!("| `{name}` |");
        if !architecture
            .lines()
            .any(|line| line.trim_start().starts_with(&cell))
        {
            problems.push(format!(
                "{FILE}: the dependency {name} is not explained: add a line \"{cell} what it is for |\" to the table."
            ));
        }
    }
    let map = code_map(architecture);
    if map.is_empty() {
        problems.push(format!(
            "{FILE}: there is no section with the heading \"Code map\": write it."
        ));
        return problems;
    }
    for member in members {
        if !names(&map, member) {
            problems.push(format!(
                "{FILE}: the code map does not name `{member}`: say what it is for."
            ));
        }
    }
    problems
}

/// The names in `[workspace.dependencies]`, but for our own crates, which the
/// code map explains.
fn dependencies(manifest: &str) -> Vec<&str> {
    const SECTION: &str = "workspace.dependencies";
    let mut names = Vec::new();
    let mut section = "";
    for line in manifest.lines() {
        if let Some(header) = line
            .trim()
            .strip_prefix('[')
            .and_then(|l| l.split(']').next())
        {
            section = header;
            // A dependency may have a table of its own.
            names.extend(
                header
                    .strip_prefix(SECTION)
                    .and_then(|rest| rest.strip_prefix('.')),
            );
        } else if section == SECTION
            && let Some((name, value)) = line.split_once('=')
            && line.starts_with(|first: char| first.is_ascii_alphanumeric())
            && !value.contains("path =")
        {
            // `name.version = "1"` is another way to write it.
            names.push(name.split('.').next().unwrap_or(name).trim());
        }
    }
    names
}

/// The text below the heading "Code map", up to the next heading of its level.
fn code_map(architecture: &str) -> String {
    let level = |line: &str| line.chars().take_while(|&c| c == '#').count();
    let mut within = 0;
    let mut fenced = false;
    let mut map = String::new();
    for line in architecture.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let depth = if fenced { 0 } else { level(line) };
        if depth > 0 && (within == 0 || depth <= within) {
            let heading = line.trim_start_matches('#').trim();
            within = if heading.eq_ignore_ascii_case("code map") {
                depth
            } else {
                0
            };
        } else if within > 0 {
            map.push_str(line);
            map.push('\n');
        }
    }
    map
}

/// Whether `folder` stands in the text as a whole path, not as a part of another.
fn names(text: &str, folder: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    text.match_indices(folder).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + folder.len()..];
        let mut after = after.strip_prefix('/').unwrap_or(after).chars();
        // A full stop may end the sentence as well.
        !before.is_some_and(joins) && !after.next().is_some_and(|c| joins(c) && c != '.')
    })
}

#[cfg(test)]
mod tests {
    use super::{check, code_map, dependencies, names};

    #[test]
    fn dependencies_are_found_in_every_form() {
        let manifest = "[workspace]\nmembers = [\"a\"]\n[workspace.dependencies] # one version\n\
            ours = { path = \"core/ours\" }\n# a comment = 1\nzstd = { version = \"1\" }\n\
            nix.version = \"1\"\n\n[workspace.dependencies.clap]\nversion = \"4\"\n\
            [profile.dev]\ndebug = 1\n";
        assert_eq!(dependencies(manifest), ["zstd", "nix", "clap"]);
    }

    #[test]
    fn the_code_map_ends_with_its_section() {
        let text = "# A\n## Code Map\none\n### core\ntwo\n```\n# no heading\n```\n## Next\nthree\n";
        assert_eq!(
            code_map(text),
            "one\n### core\ntwo\n```\n# no heading\n```\n"
        );
        assert_eq!(code_map("# A\ncode map\n"), "");
    }

    #[test]
    fn a_folder_is_named_as_a_whole() {
        assert!(names("- `core/recording`: the file", "core/recording"));
        assert!(names("core/recording/  the file", "core/recording"));
        assert!(names("It is in xtask.", "xtask"));
        assert!(!names("`xtask/fuzz`", "xtask"));
        assert!(!names("`core/recordings`", "core/recording"));
        assert!(!names("`old/xtask`", "xtask"));
    }

    #[test]
    fn what_is_missing_is_named_with_what_to_do() {
        let manifest = "[workspace.dependencies]\nzstd = \"1\"\nnix = \"1\"\n";
        let text = "## Code map\n- `cli`: commands\n\n## Dependencies\n| `zstd` | compression |\n";
        let problems = check(text, manifest, &["cli", "xtask"]);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0].contains("\"| `nix` | what it is for |\""),
            "{}",
            problems[0]
        );
        assert!(problems[1].contains("`xtask`"), "{}", problems[1]);
        assert_eq!(check("", "", &["cli"]).len(), 1);
    }
}
