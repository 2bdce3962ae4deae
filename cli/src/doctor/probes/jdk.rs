//! JDKs, each tried with the agent.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise_jvm_player::java;
use serde::{Deserialize, Serialize};

use crate::agent_library;
use crate::doctor::child;
use crate::doctor::finding::{Finding, State};
use crate::doctor::programs::{LIMIT, find, is_program};

/// Options that a JVM takes from its environment. They are the subject's
/// business and could make the probe fail for reasons of their own.
const OPTION_VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// A JDK or JRE, and whether it lets itself be recorded.
#[derive(Clone, Debug, Serialize)]
pub struct Jdk {
    /// Its folder.
    pub home: PathBuf,
    /// Its JVM's name and version, when it started.
    pub version: Option<String>,
    /// The capabilities it could give to an agent, as JVM TI spells them.
    pub capabilities: Vec<String>,
    /// Whether the agent was loaded and given all it needs.
    pub finding: Finding,
}

/// What the agent writes; see its module `probe`.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    vm_name: String,
    #[serde(default)]
    vm_version: String,
    #[serde(default)]
    potential: Vec<String>,
    refused: Option<String>,
    error: Option<String>,
}

/// Tries every JDK of this machine and sums up.
pub fn probe() -> (Vec<Jdk>, Finding) {
    let agent =
        agent_library::find().map_err(|missing| Finding::fails(missing.why).fix(missing.fix));
    let mut jdks = Vec::new();
    for (home, origin) in homes() {
        let java = home.join("bin/java");
        let finding = if is_program(&java) {
            match &agent {
                Ok(agent) => {
                    jdks.push(examine(&home, &java, agent));
                    continue;
                }
                Err(missing) => missing.clone(),
            }
        } else {
            let detail = format!("{origin} is {}, which has no bin/java", home.display());
            Finding::fails(detail).fix(format!("unset {origin}, or set it to a JDK's folder"))
        };
        jdks.push(Jdk {
            home,
            version: None,
            capabilities: Vec::new(),
            finding,
        });
    }
    let finding = sum_up(&jdks, agent.err());
    (jdks, finding)
}

fn sum_up(jdks: &[Jdk], no_agent: Option<Finding>) -> Finding {
    if let Some(missing) = no_agent {
        return missing;
    }
    let (good, bad): (Vec<&Jdk>, Vec<&Jdk>) = jdks
        .iter()
        .partition(|jdk| jdk.finding.state == State::Works);
    let versions: Vec<&str> = good
        .iter()
        .filter_map(|jdk| jdk.version.as_deref())
        .collect();
    let versions = versions.join(", ");
    let reasons: Vec<&str> = bad.iter().map(|jdk| jdk.finding.detail.as_str()).collect();
    let reasons = reasons.join("; ");
    let mut finding = match (good.is_empty(), bad.is_empty()) {
        (false, true) => Finding::works(versions),
        (false, false) => Finding::limited(format!("{reasons} (these work: {versions})")),
        (true, false) => Finding::fails(reasons),
        (true, true) => {
            let folders = java::folders();
            let folders: Vec<_> = folders
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            let folders = folders.join(", ");
            Finding::fails(format!(
                "no JDK was found in JAVA_HOME, on the PATH or in {folders}"
            ))
        }
    };
    for jdk in &bad {
        finding.fixes.extend(jdk.finding.fixes.iter().cloned());
    }
    if good.is_empty() {
        finding = finding.fix("sudo apt install default-jdk-headless");
    }
    finding
}

/// Starts a JVM with the agent and reads what the agent found out.
fn examine(home: &Path, java: &Path, agent: &Path) -> Jdk {
    let mut jdk = Jdk {
        home: home.into(),
        version: None,
        capabilities: Vec::new(),
        finding: Finding::works("loads the agent"),
    };
    match ask(java, agent) {
        Err(why) => {
            let detail = format!(
                "the JDK in {} does not load the agent: {why}",
                home.display()
            );
            jdk.finding = Finding::fails(detail);
        }
        Ok(answer) => {
            let refused = answer.error.or(answer.refused);
            if !answer.vm_version.is_empty() {
                jdk.version = Some(format!("{} {}", answer.vm_name, answer.vm_version));
            }
            jdk.capabilities = answer.potential;
            if let Some(why) = refused {
                let detail = format!("the JDK in {} cannot be recorded: {why}", home.display());
                jdk.finding = Finding::fails(detail).fix("a HotSpot JDK from release 11 on");
            }
        }
    }
    jdk
}

fn ask(java: &Path, agent: &Path) -> Result<Answer, String> {
    // The answer's name is relative, because the path of a temporary folder may
    // contain a comma, which separates the agent's options.
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut command = Command::new(java);
    command
        .arg(format!("-agentpath:{}=probe=answer", agent.display()))
        .arg("-version")
        .current_dir(folder.path());
    for variable in OPTION_VARIABLES {
        command.env_remove(variable);
    }
    let ended = child::run(&mut command, LIMIT).map_err(|error| error.to_string())?;
    let Ok(answer) = fs::read(folder.path().join("answer")) else {
        // HotSpot announces an error before it says which.
        let lines = ended.stdout.lines().chain(ended.stderr.lines());
        let mut lines = lines.filter(|line| !line.starts_with("Error occurred during"));
        let line = lines.next().unwrap_or_default();
        return Err(format!("{}, {line}", ended.how()));
    };
    serde_json::from_slice(&answer).map_err(|error| format!("its answer is garbled: {error}"))
}

/// The folders in which a JDK is or should be, with where each was found.
fn homes() -> BTreeMap<PathBuf, &'static str> {
    let mut homes = BTreeMap::new();
    let mut add = |home: PathBuf, origin| {
        let home = fs::canonicalize(&home).unwrap_or(home);
        homes.entry(home).or_insert(origin);
    };
    if let Some(home) = env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        add(home.into(), "JAVA_HOME");
    }
    let on_path = find("java").and_then(|java| fs::canonicalize(java).ok());
    if let Some(home) = on_path
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent)
    {
        add(home.into(), "PATH");
    }
    for home in java::installed() {
        // Debian also puts folders there that contain no JVM.
        if is_program(&home.join("bin/java")) {
            add(home, "a folder of JDKs");
        }
    }
    homes
}
