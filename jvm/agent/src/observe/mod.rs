//! Recording chosen classes: the session that lasts as long as the JVM.
//!
//! | what | where |
//! | --- | --- |
//! | the callbacks of the JVM | [`hook`] |
//! | counting instead of recording | [`count`] |
//! | fields that native code writes to | [`by_native`] |
//! | that nothing shows in listings of fields | [`hide`] |
//! | when to stop before the program ends | [`limits`] |
//! | the file, the spool, the drainer, the end | [`recording`] |
//! | numbers of classes, methods and sites | [`tables`] |
//! | who declares what a site names | [`resolve`] |
//! | what an outside class looks like | [`shape`] |
//! | what the Java runtime calls | [`natives`] |
//!
//! The runtime's jar must be known to the bootstrap loader before the JVM is
//! initialised, so it is written while the agent is loaded. The recording is
//! created when the first class of the program comes, and removed at the end if
//! no observed class has come: start scripts run `java -version` before they run
//! the program, and programs start other JVMs.

mod by_native;
mod count;
mod heritage;
mod hide;
mod hook;
mod limits;
mod natives;
mod recording;
mod resolve;
mod shape;
mod tables;

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use jvmti_bindings::sys::jvmti::jvmtiCapabilities;
use reprise_probes::pattern::{Builders, Patterns};
use reprise_probes::volatile::Sharing;

use crate::environment::Environment;
use crate::jni::{Frame, Global};
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
    options: Options,
    /// The runtime's jar, removed once the JVM has opened it.
    jar: PathBuf,
    /// The module that the runtime's classes are in; there once the JVM is
    /// initialised.
    module: OnceLock<Global>,
    /// There once the recording has been created.
    live: OnceLock<Live>,
    beginning: Mutex<Beginning>,
    /// Whether the runtime has been told; the quick way to know.
    begun: AtomicBool,
    /// The classes of a dry run.
    counted: count::Counted,
}

/// Whether there is a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    NotYet,
    Begun,
    Failed,
}

/// What there is while a recording is being made.
struct Live {
    tables: Tables,
    recorder: Recorder,
}

/// Prepares a recording; it begins when the JVM is initialised.
pub(crate) fn load(
    environment: Environment,
    second: Environment,
    options: Options,
) -> Result<(), String> {
    let release = environment.property(c"java.vm.specification.version");
    old_enough(&release.unwrap_or_default(), "--observe")?;
    let mut patterns = patterns(&options.observe)?;
    patterns.builders = Builders::Followed;
    if options.races {
        patterns.sharing = Sharing::Every;
    }
    let mut wanted = jvmtiCapabilities::default();
    wanted.set_can_generate_all_class_hook_events(true);
    wanted.set_can_tag_objects(true);
    environment
        .take(&wanted)
        .map_err(|error| error.to_string())?;
    let jar = crate::jar::write("reprise-runtime-", RUNTIME)?;
    let path = CString::new(jar.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    environment
        .add_to_bootstrap(&path)
        .map_err(|error| error.to_string())?;
    hide::prepare(second);
    let met = patterns.iter().map(|_| AtomicBool::new(false)).collect();
    let session = SESSION.get_or_init(|| Session {
        environment,
        patterns,
        met,
        options,
        jar,
        module: OnceLock::new(),
        live: OnceLock::new(),
        beginning: Mutex::new(Beginning::NotYet),
        begun: AtomicBool::new(false),
        counted: count::Counted::default(),
    });
    hook::listen(session)
}

/// The first release that the runtime can run on.
const OLDEST: u32 = 11;

/// Whether a release, such as `1.8` or `17`, is one that can be recorded.
pub(crate) fn old_enough(release: &str, what: &str) -> Result<(), String> {
    let number = release.strip_prefix("1.").unwrap_or(release);
    match number.parse::<u32>() {
        Ok(number) if number < OLDEST => Err(format!(
            "this JVM is of Java {number}, and {what} needs Java {OLDEST} or later"
        )),
        _ => Ok(()),
    }
}

/// The patterns, with the lines of `@FILE` in its place.
fn patterns(texts: &[String]) -> Result<Patterns, String> {
    let mut all = Vec::new();
    for text in texts {
        match text.strip_prefix('@') {
            None => all.push(text.clone()),
            Some(file) => {
                let list = std::fs::read_to_string(file);
                let list = list
                    .map_err(|error| format!("cannot read the list of patterns {file}: {error}"))?;
                all.extend(reprise_probes::pattern::lines(&list).map(str::to_owned));
            }
        }
    }
    let patterns = Patterns::parse(all.iter().map(String::as_str));
    patterns.map_err(|error| error.to_string())
}

impl Session {
    /// The recording, which begins with the first call of this.
    fn begin(&self, frame: Frame) -> Option<&Live> {
        if self.begun.load(Ordering::Acquire) {
            return self.live.get();
        }
        let beginning = self.beginning.lock();
        let mut beginning = beginning.unwrap_or_else(PoisonError::into_inner);
        if *beginning == Beginning::NotYet {
            *beginning = match hook::begin(self, frame) {
                Ok(()) => Beginning::Begun,
                Err(message) => {
                    crate::warn(&message);
                    Beginning::Failed
                }
            };
        }
        if *beginning == Beginning::Failed {
            return None;
        }
        self.begun.store(true, Ordering::Release);
        self.live.get()
    }

    /// Notes which patterns speak of a class: one that takes it out has met it,
    /// too, and then no other has.
    fn meet(&self, class: &str, inside: bool) {
        for at in self.patterns.speaking_of(class) {
            let pattern = self.patterns.iter().nth(at);
            if let (Some(pattern), Some(met)) = (pattern, self.met.get(at))
                && (inside || pattern.excludes())
            {
                met.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether no class has come that is to be observed.
    fn is_useless(&self) -> bool {
        let mut patterns = self.patterns.iter().zip(&self.met);
        !patterns.any(|(pattern, met)| !pattern.excludes() && met.load(Ordering::Relaxed))
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

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_probes::pattern::Pattern;

    #[test]
    fn releases_are_named_in_two_ways() {
        assert_eq!(
            old_enough("1.8", "--observe").unwrap_err(),
            "this JVM is of Java 8, and --observe needs Java 11 or later"
        );
        assert!(old_enough("10", "--observe").is_err());
        assert!(old_enough("11", "--observe").is_ok());
        assert!(old_enough("25", "--observe").is_ok());
        assert!(old_enough("", "--observe").is_ok());
    }

    #[test]
    fn a_list_of_patterns_may_be_in_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "# ours\na.B\n\n  !a.C \n").unwrap();
        let list = format!("@{}", file.path().display());
        let found = patterns(&["x.**".to_owned(), list]).unwrap();
        let texts: Vec<&str> = found.iter().map(Pattern::text).collect();
        assert_eq!(texts, ["x.**", "a.B", "!a.C"]);
        let error = patterns(&["@/no/such".to_owned()]).unwrap_err();
        assert!(error.starts_with("cannot read the list of patterns /no/such"));
    }
}
