//! Starting other programs, so that what runs can be shown as it would be typed.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::Failure;

/// The cargo that runs this task, with the environment it had before `cargo
/// run` added the description of this package to it: what a build script reads
/// must not depend on who started the build.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments);
    for (name, _) in env::vars_os() {
        let of_this_package = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if of_this_package {
            command.env_remove(name);
        }
    }
    command
}

/// The command as one would type it, for messages.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!(
                "{}={}",
                name.display(),
                quoted(&value.to_string_lossy())
            ));
        }
    }
    let program = command.get_program().to_string_lossy();
    let is_cargo = program.rsplit('/').next() == Some("cargo");
    words.push(if is_cargo {
        "cargo".to_owned()
    } else {
        quoted(&program)
    });
    words.extend(command.get_args().map(|a| quoted(&a.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Runs the command with this program's own input and output.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    command
        .status()
        .map_err(|error| cannot_run(command, &error))
}

/// Runs the command and fails when it does.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = status(command)?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status})", shown(command)))
    }
}

/// Runs the command, silent, and returns what it wrote to its standard output.
pub(crate) fn stdout(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .output()
        .map_err(|error| cannot_run(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{}` failed: {}", shown(command), said.trim()))
    }
}

/// Runs the command and hands each line of its standard output to `line` as it
/// comes; bytes that are not text are replaced.
pub(crate) fn lines(command: &mut Command, line: impl FnMut(&str)) -> Result<ExitStatus, Failure> {
    let mut child = spawn(command.stdout(Stdio::piped()))?;
    let stdout = child.stdout.take();
    follow(command, &mut child, stdout, line)
}

/// Like [`lines`], for the lines of its standard error.
pub(crate) fn error_lines(
    command: &mut Command,
    line: impl FnMut(&str),
) -> Result<ExitStatus, Failure> {
    let mut child = spawn(command.stderr(Stdio::piped()))?;
    let stderr = child.stderr.take();
    follow(command, &mut child, stderr, line)
}

fn spawn(command: &mut Command) -> Result<Child, Failure> {
    command.spawn().map_err(|error| cannot_run(command, &error))
}

fn follow(
    command: &Command,
    child: &mut Child,
    output: Option<impl Read>,
    mut line: impl FnMut(&str),
) -> Result<ExitStatus, Failure> {
    if let Some(output) = output {
        for bytes in BufReader::new(output).split(b'\n') {
            let bytes = bytes.map_err(|error| cannot_run(command, &error))?;
            line(&String::from_utf8_lossy(&bytes));
        }
    }
    child.wait().map_err(|error| cannot_run(command, &error))
}

/// Whether a program of this name is on the search path.
pub(crate) fn on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn cannot_run(command: &Command, error: &std::io::Error) -> Failure {
    format!("cannot run `{}`: {error}", shown(command))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{lines, shown};

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["test", "--test", "e2e*", "it's"]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            shown(&command),
            r"RUSTDOCFLAGS='-D warnings' cargo test --test 'e2e*' 'it'\''s'"
        );
    }

    #[test]
    fn lines_arrive_one_by_one_with_the_status_after_them() {
        let mut seen = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; printf two; exit 3"]);
        let status = lines(&mut command, |line| seen.push(line.to_owned())).unwrap();
        assert_eq!(seen, ["one", "two"]);
        assert_eq!(status.code(), Some(3));
    }
}
