//! Results that are kept: what was measured, when, of which revision, on which
//! machine, by which command. Without these a number cannot be compared with
//! the next one.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, command, table};

/// Appends a result of a revision to `studies/NAME/YYYY-MM-DD.md` and returns that path,
/// relative to `root`. A second result of a day goes below the first.
pub(crate) fn keep(
    root: &Path,
    name: &str,
    revision: &str,
    command: &str,
    output: &str,
) -> Result<PathBuf, Failure> {
    let now = now()?;
    let file = file(name, &now);
    let output = without_root(root, output);
    append(
        &root.join(&file),
        &section(&now, revision, &machine(), command, &output),
    )
    .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(file)
}

/// Where a clone is on some machine is nobody's business: paths begin in it.
fn without_root(root: &Path, output: &str) -> String {
    let inside = format!("{}/", root.display());
    output.replace(&inside, "./").replace("./cli/../", "./")
}

/// Whether a result of today and of this revision is kept that was made by a command.
pub(crate) fn is_kept(root: &Path, name: &str, command: &str) -> Result<bool, Failure> {
    let text = fs::read_to_string(root.join(file(name, &now()?))).unwrap_or_default();
    Ok(has(&text, &revision(root), command))
}

/// Puts the rows that several commands have left today, the last of each, into one table.
pub(crate) fn keep_together(
    root: &Path,
    name: &str,
    command: &str,
    parts: &[String],
) -> Result<Option<PathBuf>, Failure> {
    let now = now()?;
    let file = file(name, &now);
    let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
    let (mut all, mut revisions) = (Vec::new(), Vec::new());
    for part in parts {
        let (revision, rows) = rows_of(&text, part);
        let revision = revision.filter(|one| !rows.is_empty() && !revisions.contains(one));
        revisions.extend(revision);
        all.extend(rows);
    }
    if all.is_empty() {
        return Ok(None);
    }
    let (rows, machine) = (table::rows(&all.join("\n")), machine());
    let section = format!(
        "# {now}, all parts\n\n- revision: {}\n- machine: {machine}\n- command: `{command}`\n\n{}\n",
        revisions.join(", "),
        rows.trim_end()
    );
    append(&root.join(&file), &section)
        .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(Some(file))
}

/// The rows of the last section that a command has left, and of which revision they are.
fn rows_of<'a>(text: &'a str, command: &str) -> (Option<&'a str>, Vec<&'a str>) {
    let (mut found, mut rows) = (None, Vec::new());
    let (mut kept, mut meant) = (None, false);
    for line in text.lines() {
        if let Some(revision) = line.strip_prefix("- revision: ") {
            (kept, meant) = (Some(clean(revision)), false);
        } else if let Some(made) = line.strip_prefix("- command: ") {
            meant = made == format!("`{command}`");
            if meant {
                found = kept;
                rows.clear();
            }
        } else if meant && table::is_row(line) {
            rows.push(line);
        }
    }
    (found, rows)
}

fn clean(revision: &str) -> &str {
    revision.trim_end_matches("-dirty")
}

/// To keep a result changes the tree, so that a revision is not clean any more.
fn has(text: &str, revision: &str, command: &str) -> bool {
    let mut kept = None;
    text.lines().any(|line| {
        if let Some(revision) = line.strip_prefix("- revision: ") {
            kept = Some(clean(revision));
        }
        kept == Some(clean(revision)) && line == format!("- command: `{command}`")
    })
}

fn now() -> Result<String, Failure> {
    let now = command::stdout(Command::new("date").args(["-u", "+%F %H:%M UTC"]))?;
    Ok(now.trim().to_owned())
}

fn file(name: &str, now: &str) -> PathBuf {
    let date = now.split(' ').next().unwrap_or(now);
    Path::new("studies").join(name).join(format!("{date}.md"))
}

/// Of which revision a tree is. To be asked before something is measured that takes long.
pub(crate) fn revision(root: &Path) -> String {
    let mut describe = Command::new("git");
    describe
        .arg("-C")
        .arg(root)
        .args(["describe", "--always", "--dirty"]);
    let revision = command::stdout(&mut describe).unwrap_or_else(|_| "unknown".to_owned());
    revision.trim().to_owned()
}

fn append(file: &Path, section: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(file)?;
    if file.metadata()?.len() > 0 {
        file.write_all(b"\n")?;
    }
    file.write_all(section.as_bytes())
}

fn section(now: &str, revision: &str, machine: &str, command: &str, output: &str) -> String {
    // A fence longer than any in the output, so that the output cannot end it.
    let longest = output
        .lines()
        .map(|line| line.trim_start().chars().take_while(|&c| c == '`').count())
        .max();
    let fence = "`".repeat(longest.map_or(3, |longest| longest.max(2) + 1));
    let rows = table::rows(output);
    let mut rest =
        output
            .lines()
            .filter(|line| !table::is_row(line))
            .fold(String::new(), |mut text, line| {
                text.push_str(line);
                text.push('\n');
                text
            });
    rest.truncate(rest.trim_end().len());
    format!(
        "# {now}\n\n- revision: {revision}\n- machine: {machine}\n- command: `{command}`\n\n{rows}{fence}text\n{rest}\n{fence}\n"
    )
}

/// The processor, its cores, the memory and the kernel.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    describe(
        &read("/proc/cpuinfo"),
        cores,
        &read("/proc/meminfo"),
        &read("/proc/sys/kernel/osrelease"),
    )
}

fn describe(cpuinfo: &str, cores: usize, meminfo: &str, kernel: &str) -> String {
    let field = |text: &str, name| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = field(cpuinfo, "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let memory = field(meminfo, "MemTotal")
        .and_then(|total| total.strip_suffix(" kB")?.parse::<u64>().ok())
        .map_or_else(
            || "unknown memory".to_owned(),
            |kib| format!("{} GiB", (kib + (1 << 19)) >> 20),
        );
    format!(
        "{processor}, {cores} cores, {memory}, Linux {}",
        kernel.trim()
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{append, describe, has, section, without_root};

    #[test]
    fn results_do_not_say_where_the_clone_is() {
        let said = "at /home/me/reprise/cli/../studies/a.c:26, /home/me/reprised";
        assert_eq!(
            without_root(Path::new("/home/me/reprise"), said),
            "at ./studies/a.c:26, /home/me/reprised"
        );
    }

    #[test]
    fn a_part_that_is_kept_is_found_by_its_command_and_revision() {
        let text = section("now", "abc", "m", "cargo xtask study x one", "1\n")
            + &section("now", "abc-dirty", "m", "cargo xtask study x two", "2\n");
        for (revision, command, expected) in [
            ("abc", "cargo xtask study x one", true),
            ("abc-dirty", "cargo xtask study x two", true),
            ("abc", "cargo xtask study x three", false),
            ("abd", "cargo xtask study x one", false),
        ] {
            assert_eq!(
                has(&text, revision, command),
                expected,
                "{revision} {command}"
            );
        }
    }

    #[test]
    fn a_machine_is_described_in_one_line() {
        assert_eq!(
            describe(
                "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n",
                2,
                "MemTotal:        8131516 kB\n",
                "6.1.0\n"
            ),
            "Some CPU @ 2 GHz, 2 cores, 8 GiB, Linux 6.1.0"
        );
        assert_eq!(
            describe("", 4, "", "6.1.0"),
            "unknown processor, 4 cores, unknown memory, Linux 6.1.0"
        );
    }

    #[test]
    fn the_output_cannot_end_its_own_fence() {
        assert!(section("", "", "", "", "a\n").ends_with("\n```text\na\n```\n"));
        assert!(
            section("", "", "", "", "````\na\n````\n")
                .contains("\n`````text\n````\na\n````\n`````\n")
        );
    }

    #[test]
    fn rows_stand_before_the_text_and_parts_make_one_table() {
        let output = "said\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nmore\n";
        let one = section("now", "abc", "m", "x one", output);
        assert!(
            one.contains("| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```text\nsaid\n\nmore\n```"),
            "{one}"
        );
        let other = output.replace("| 1 | 2 |", "| 3 | 4 |");
        let text = one + &section("now", "abc-dirty", "m", "x two", &other);
        let rows = |command| super::rows_of(&text, command).1.join("\n");
        let all = rows("x one") + "\n" + &rows("x two");
        assert_eq!(
            crate::table::rows(&all),
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n"
        );
        assert_eq!(super::rows_of(&text, "x two").0, Some("abc"));
        assert_eq!(rows("x three"), "");
    }

    #[test]
    fn results_of_one_day_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("studies/bench/2026-01-02.md");
        append(&file, "one\n").unwrap();
        append(&file, "two\n").unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "one\n\ntwo\n");
    }
}
