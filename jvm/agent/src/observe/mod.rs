//! Recording chosen classes: the session that lasts as long as the JVM.
//!
//! | what | where |
//! | --- | --- |
//! | the callbacks of the JVM | [`hook`] |
//! | the file, the spool, the drainer, the end | [`recording`] |
//! | numbers of classes, methods and sites | [`tables`] |
//! | who declares what a site names | [`resolve`] |
//! | what an outside class looks like | [`shape`] |
//! | what the Java runtime calls | [`natives`] |
//!
//! The runtime's jar must be known to the bootstrap loader before the JVM is
//! initialised, so it is written while the agent is loaded; the recording is
//! created when the JVM is initialised, because only then is it known what it
//! runs.

mod hook;
mod natives;
mod recording;
mod resolve;
mod shape;
mod tables;

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_bindings::sys::jvmti::jvmtiCapabilities;
use reprise_probes::pattern::Patterns;

use crate::environment::Environment;
use crate::jni::Global;
use crate::options::Options;
use recording::Recorder;
use tables::Tables;

/// The runtime, compiled by the build script.
const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.jar"));

static SESSION: OnceLock<Session> = OnceLock::new();

/// What lasts from the loading of the agent to the end of the JVM.
struct Session {
    environment: Environment,
    patterns: Patterns,
    /// Whether each pattern has met a class.
    met: Vec<AtomicBool>,
    out: PathBuf,
    oracle: bool,
    /// The runtime's jar, removed once the JVM has opened it.
    jar: PathBuf,
    /// There once the JVM is initialised and the recording has been created.
    live: OnceLock<Live>,
}

/// What there is while a recording is being made.
struct Live {
    tables: Tables,
    recorder: Recorder,
    /// The module that the runtime's classes are in.
    module: Global,
}

/// Prepares a recording; it begins when the JVM is initialised.
pub(crate) fn load(environment: Environment, options: &Options) -> Result<(), String> {
    let patterns = options.observe.iter().map(String::as_str);
    let patterns = Patterns::parse(patterns).map_err(|error| error.to_string())?;
    let out = options.out.clone().unwrap_or_default();
    let mut wanted = jvmtiCapabilities::default();
    wanted.set_can_generate_all_class_hook_events(true);
    wanted.set_can_tag_objects(true);
    environment
        .take(&wanted)
        .map_err(|error| error.to_string())?;
    let jar =
        write_runtime().map_err(|error| format!("cannot write the runtime's jar: {error}"))?;
    let path = CString::new(jar.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    environment
        .add_to_bootstrap(&path)
        .map_err(|error| error.to_string())?;
    let met = patterns.iter().map(|_| AtomicBool::new(false)).collect();
    let session = SESSION.get_or_init(|| Session {
        environment,
        patterns,
        met,
        out,
        oracle: !options.no_oracle,
        jar,
        live: OnceLock::new(),
    });
    hook::listen(session)
}

fn write_runtime() -> std::io::Result<PathBuf> {
    let file = tempfile::Builder::new()
        .prefix("reprise-runtime-")
        .suffix(".jar")
        .tempfile()?;
    std::fs::write(file.path(), RUNTIME)?;
    Ok(file.into_temp_path().keep()?)
}

impl Session {
    /// Notes which patterns speak of a class.
    fn meet(&self, class: &str) {
        for at in self.patterns.speaking_of(class) {
            if let Some(met) = self.met.get(at) {
                met.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The patterns that no class has matched.
    fn unmet(&self) -> Vec<&str> {
        let unmet = |met: &AtomicBool| !met.load(Ordering::Relaxed);
        let patterns = self.patterns.iter().zip(&self.met);
        patterns
            .filter(|(_, met)| unmet(met))
            .map(|(pattern, _)| pattern.text())
            .collect()
    }
}
