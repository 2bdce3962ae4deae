//! How the agent is handed to the command.
//!
//! A command that is a JVM's own launcher gets the agent as its first argument.
//! Any other is taken for a script that starts a JVM: it gets the agent through
//! `JAVA_TOOL_OPTIONS`, and HotSpot says on standard error that it has picked
//! that up. There is no way to keep it from doing so.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::doctor;

/// Options that every JVM takes from its environment.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// The agent with its options.
#[derive(Debug)]
pub struct Handed {
    option: String,
}

impl Handed {
    /// Fails when a JVM could not read it.
    pub fn new(library: &Path, options: &str) -> Result<Self, String> {
        let shown = library.display();
        let path = library.to_str().filter(|path| !path.contains('='));
        let Some(path) = path else {
            return Err(format!(
                "a JVM cannot be given the agent {shown}: an equals sign ends its name"
            ));
        };
        let option = format!("-agentpath:{path}={options}");
        quoted(&option)
            .map(|_| Self { option })
            .ok_or_else(|| format!("a JVM cannot be given the agent {shown}: both kinds of quotes"))
    }

    /// The command with the agent.
    pub fn command(&self, command: &[OsString], is_launcher: bool) -> Command {
        let mut child = Command::new(command.first().map_or(OsStr::new(""), |name| name));
        if is_launcher {
            child.arg(&self.option);
        } else {
            let mut value = std::env::var_os(VARIABLE).unwrap_or_default();
            if !value.is_empty() {
                value.push(" ");
            }
            value.push(quoted(&self.option).unwrap_or_default());
            child.env(VARIABLE, value);
        }
        child.args(command.iter().skip(1));
        child
    }
}

/// The command as it is.
pub fn plain(command: &[OsString]) -> Command {
    let mut child = Command::new(command.first().map_or(OsStr::new(""), |name| name));
    child.args(command.iter().skip(1));
    child
}

/// An option in `JAVA_TOOL_OPTIONS`, where spaces separate and either kind of
/// quotes joins; none when it contains both.
fn quoted(option: &str) -> Option<String> {
    if !option.contains(|c: char| c.is_whitespace() || c == '\'' || c == '"') {
        return Some(option.to_owned());
    }
    let quote = ['"', '\''].into_iter().find(|q| !option.contains(*q))?;
    Some(format!("{quote}{option}{quote}"))
}

/// The launcher of a JDK, if the program is one: `java` in a JDK's `bin`, and
/// no script of that name.
pub fn launcher(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.file_name()? != "java" {
        return None;
    }
    let path = match path.components().count() {
        1 => doctor::find_program("java")?,
        _ => path.to_owned(),
    };
    let path = fs::canonicalize(path).ok()?;
    let home = path.parent()?.parent()?;
    let is_jdk = [
        "lib/modules",
        "lib/server",
        "lib/zero",
        "jre/lib/rt.jar",
        "lib/rt.jar",
    ]
    .iter()
    .any(|mark| home.join(mark).exists());
    is_jdk.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_spaces_is_quoted() {
        assert_eq!(quoted("-a").unwrap(), "-a");
        assert_eq!(quoted("-a b").unwrap(), "\"-a b\"");
        assert_eq!(quoted("-a \"b").unwrap(), "'-a \"b'");
        assert_eq!(quoted("-a \"b'"), None);
    }

    #[test]
    fn a_path_that_a_jvm_cannot_take_is_refused() {
        assert!(Handed::new(Path::new("/a=b/x.so"), "observe=a").is_err());
        assert!(Handed::new(Path::new("/a b/x.so"), "observe=a").is_ok());
    }
}
