//! `cargo xtask tour`: from a fresh checkout to `reprise tour`.

use std::process::{Command, ExitCode};

use crate::setup::{self, Task};
use crate::workspace::Workspace;
use crate::{TaskResult, bad_usage, command};

/// What the tour runs, of which some may not be written yet.
const PACKAGES: &[&str] = &["reprise", "reprise-jvm"];

pub(crate) fn run(arguments: &[String]) -> TaskResult {
    if let Some(argument) = arguments.first() {
        return bad_usage(&format!("The tour takes no argument `{argument}`"));
    }
    setup::ensure(Task::Tour)?;
    let workspace = Workspace::load()?;
    if workspace.package(PACKAGES[0]).is_none() {
        return Err(
            "there is no package `reprise` in this workspace, so nothing to show".to_owned(),
        );
    }
    let mut build = command::cargo(&["build", "--release", "--locked"]);
    for package in PACKAGES {
        if workspace.package(package).is_some() {
            build.args(["-p", package]);
        }
    }
    command::succeed(&mut build)?;
    let mut tour = Command::new(workspace.target.join("release/reprise"));
    let status = command::status(tour.arg("tour"))?;
    // A signal has no exit status; any failure will do.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
