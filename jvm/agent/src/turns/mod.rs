//! One thread at a time: the session of a JVM that follows a schedule, or whose
//! schedule is being chosen and written.
//!
//! | what | where |
//! | --- | --- |
//! | the callbacks of the JVM | [`hook`] |
//! | classes that the program makes | [`made`] |
//! | the schedule that is being written | [`writing`] |
//! | what threads that run freely write | [`parts`] |
//! | the JVM is initialised, and the scheduler begins | [`begin`] |
//! | what the scheduler calls, and how it is called | [`natives`] |
//!
//! The scheduler is Java (`jvm/scheduler`); this gives it the classes of the
//! program and of the JDK with calls of it in them, and tells it of what only an
//! agent sees: threads that begin and end, and monitors that are not to be had.

mod begin;
mod hook;
mod made;
mod natives;
mod parts;
mod writing;

use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use jvmti_bindings::sys::jvmti::jvmtiCapabilities;
use reprise_elements::Sites;
use reprise_turns::facts::Facts;
use reprise_turns::free::Scope;
use reprise_turns::plan::{self, Place};

use crate::environment::Environment;
use crate::jni::Global;
use crate::options::Options;

/// The scheduler, compiled by the build script.
const SCHEDULER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/scheduler.jar"));

static SESSION: OnceLock<Session> = OnceLock::new();

/// What lasts from the loading of the agent to the end of the JVM.
struct Session {
    environment: Environment,
    mode: Mode,
    /// The scheduler's jar, removed once the JVM has opened it.
    jar: PathBuf,
    /// The module and the class of the scheduler, there once it can be called.
    scheduler: OnceLock<(Global, Global)>,
    /// The file with what the program is given that it read in another run.
    values: Option<CString>,
    /// Classes of the program that extend `Thread`.
    threads: Mutex<HashSet<String>>,
    /// Where classes go that are in no jar.
    made: Option<made::Made>,
    /// It was said that the program has finalizers.
    finalizes: OnceLock<()>,
}

impl Session {
    /// Whether it matters what the program reads that is another value in every run.
    fn has_values(&self) -> bool {
        match &self.mode {
            Mode::Free { .. } => true,
            Mode::Share { .. } => false,
            Mode::Explore { serve, .. } => serve.is_none() || self.values.is_some(),
            Mode::Follow { .. } => self.values.is_some(),
        }
    }
}

/// By name: the bytes of a class as it was, and as it became.
type Changed = HashMap<String, (Vec<u8>, Vec<u8>)>;

/// What the threads do.
enum Mode {
    Follow {
        /// The file with the schedule.
        plan: CString,
        verbosity: i32,
        /// In seconds; 0 for ever.
        patience: i32,
        /// The places that get probes, by class.
        places: HashMap<String, Vec<(u32, Place)>>,
    },
    Free {
        scope: Scope,
        facts: Facts,
        parts: parts::Parts,
    },
    /// Threads run freely, and who accesses some of what they share is written down.
    Share {
        /// How many elements there are.
        elements: i32,
        /// Where those in the share are accessed.
        sites: Sites,
        parts: parts::Parts,
    },
    Explore {
        strategy: CString,
        seed: i64,
        steps: i64,
        /// The file with who is wished to run; empty for nobody.
        guide: CString,
        schedule: Box<writing::Writing>,
        /// In a JVM that has many runs: where they are asked for, and answered.
        serve: Option<(CString, CString)>,
        /// Classes as they were and as they became: each run loads them anew.
        known: Mutex<Changed>,
        /// Places that get probes whatever they are, by class.
        places: HashMap<String, Vec<(u32, Place)>>,
    },
}

impl Mode {
    /// Whether threads run as they like.
    fn is_free(&self) -> bool {
        matches!(self, Self::Free { .. } | Self::Share { .. })
    }

    /// Whether it matters that a thread has to wait for a monitor.
    fn hears_of_monitors(&self) -> bool {
        !matches!(self, Self::Share { .. })
    }

    fn of(options: &Options) -> Result<Self, String> {
        let number = |value: Option<u64>| value.unwrap_or_default().cast_signed();
        let read = |file: &PathBuf| {
            let text = std::fs::read_to_string(file);
            text.map_err(|error| format!("cannot read {}: {error}", file.display()))
        };
        if let Some(file) = &options.share {
            let text = read(file)?;
            let count = text
                .lines()
                .find_map(|line| line.strip_prefix("elements\t"));
            let count = count.and_then(|count| count.parse().ok());
            return Ok(Self::Share {
                elements: count.ok_or("the file with the share says of how many elements it is")?,
                sites: Sites::read(&text),
                parts: parts::Parts::create(options.out.clone().unwrap_or_default())?,
            });
        }
        if let Some(all) = options.free {
            let facts = options.facts.as_ref().map(read).transpose()?;
            return Ok(Self::Free {
                scope: if all {
                    Scope::All
                } else {
                    Scope::Synchronisation
                },
                facts: Facts::read(&facts.unwrap_or_default()),
                parts: parts::Parts::create(options.out.clone().unwrap_or_default())?,
            });
        }
        if let Some(strategy) = &options.explore {
            let guide = options.guide.clone().unwrap_or_default();
            let (places, elements) = match guide.as_os_str().is_empty() {
                true => (Vec::new(), Sites::default()),
                false => (read_places(&guide)?, Sites::read(&read(&guide)?)),
            };
            let serve = match (&options.requests, &options.answers) {
                (Some(requests), Some(answers)) => Some((path(requests)?, path(answers)?)),
                _ => None,
            };
            return Ok(Self::Explore {
                strategy: CString::new(strategy.as_str()).map_err(|error| error.to_string())?,
                seed: number(options.seed),
                steps: number(options.steps),
                guide: path(&guide)?,
                serve,
                known: Mutex::default(),
                schedule: {
                    let out = options.out.as_deref();
                    Box::new(writing::Writing::create(out, &places, &elements)?)
                },
                places: by_class(places),
            });
        }
        let file = options.follow.clone().unwrap_or_default();
        let places = by_class(read_places(&file)?);
        Ok(Self::Follow {
            plan: path(&file)?,
            verbosity: i32::try_from(number(options.verbosity)).unwrap_or(0),
            patience: i32::try_from(number(options.patience)).unwrap_or(i32::MAX),
            places,
        })
    }
}

fn path(path: &Path) -> Result<CString, String> {
    CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())
}

/// The places that a plan names.
fn read_places(file: &Path) -> Result<Vec<(u32, Place)>, String> {
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("cannot read the plan {}: {error}", file.display()))?;
    Ok(plan::places(&text))
}

fn by_class(places: Vec<(u32, Place)>) -> HashMap<String, Vec<(u32, Place)>> {
    let mut classes: HashMap<String, Vec<(u32, Place)>> = HashMap::new();
    for (number, place) in places {
        let class = classes.entry(place.class.clone()).or_default();
        class.push((number, place));
    }
    classes
}

/// Prepares to follow or to choose a schedule; it begins when the JVM is initialised.
pub(crate) fn load(environment: Environment, options: &Options) -> Result<(), String> {
    let release = environment.property(c"java.vm.specification.version");
    crate::observe::old_enough(&release.unwrap_or_default(), "a schedule")?;
    let mode = Mode::of(options)?;
    let mut wanted = jvmtiCapabilities::default();
    wanted.set_can_generate_all_class_hook_events(true);
    wanted.set_can_retransform_classes(true);
    wanted.set_can_generate_monitor_events(mode.hears_of_monitors());
    wanted.set_can_get_monitor_info(mode.hears_of_monitors());
    if !mode.is_free() {
        let potential = environment.potential();
        let potential = potential.map_err(|error| error.to_string())?;
        wanted.set_can_support_virtual_threads(potential.can_support_virtual_threads());
    }
    environment
        .take(&wanted)
        .map_err(|error| error.to_string())?;
    let jar = crate::jar::write("reprise-scheduler-", SCHEDULER)?;
    let name = path(&jar)?;
    environment
        .add_to_bootstrap(&name)
        .map_err(|error| error.to_string())?;
    let values = options.values.as_deref().map(path).transpose()?;
    let made = options.made.as_deref().map(made::Made::read).transpose()?;
    let session = SESSION.get_or_init(|| Session {
        environment,
        mode,
        values,
        made,
        jar,
        scheduler: OnceLock::new(),
        threads: Mutex::default(),
        finalizes: OnceLock::new(),
    });
    hook::listen(session)
}

/// A schedule that is not followed is worth nothing: the program does not run.
pub(crate) fn refuse(message: &str) -> ! {
    if !crate::report::add("refused", message) {
        crate::say(message);
    }
    std::process::exit(3);
}
