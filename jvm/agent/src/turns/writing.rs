//! The schedule that is being written, line by line: whoever is killed, what has
//! happened so far is in the file.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use reprise_elements::{Deed, Sites as Elements};
use reprise_schedule::{CodeLocation, JdkPlace, Method, Name};
use reprise_turns::explore::Site;
use reprise_turns::plan::Place;

/// A schedule that is longer has no comments from there on: it has to be read again.
const TOLD: u64 = 1 << 28;

/// A schedule on its way into a file.
pub(super) struct Writing {
    /// None where nobody wants it.
    file: Option<File>,
    /// How many bytes it has.
    length: AtomicU64,
    sites: Mutex<Sites>,
    values: Mutex<Values>,
}

/// What threads read that is another value in every run, on its way into a file beside the
/// schedule, which is there once there is a value.
#[derive(Default)]
struct Values {
    path: Option<PathBuf>,
    file: Option<File>,
    /// Whose values were written last.
    thread: String,
}

impl Values {
    fn put(&mut self, thread: &str, line: &str) {
        if let Some(path) = self.path.take() {
            let mut options = OpenOptions::new();
            let options = options.write(true).create_new(true).mode(0o600);
            self.file = options.open(path).ok();
        }
        let Some(file) = &mut self.file else { return };
        let mut text = String::new();
        if self.thread != thread {
            thread.clone_into(&mut self.thread);
            text = format!("thread {thread}\n");
        }
        text += line;
        let _ = file.write_all(text.as_bytes());
    }
}

/// What a bytecode has to do with elements.
#[derive(Clone, Copy)]
struct Accessed {
    /// The element, and how it is accessed, as the scheduler's `Native.element` says it.
    element: i32,
    /// Which of all sites of elements it is: in every run the same.
    place: i32,
}

/// The bytecodes that have probes.
#[derive(Default)]
struct Sites {
    numbers: HashMap<(String, String, String, u32), u32>,
    /// By number: the place, and what a person is told of it.
    locations: Vec<(Option<CodeLocation>, Option<String>)>,
    /// By number: what is used there, as the scheduler's `Native.use` says it.
    uses: HashMap<u32, i32>,
    /// The numbers of what is used.
    used: HashMap<String, i32>,
    /// By class, method, descriptor and offset: the element that is accessed, and how; and
    /// the same by number.
    elements: HashMap<(String, String, String, u32), Accessed>,
    accessed: HashMap<u32, Accessed>,
}

impl Sites {
    /// The number of a bytecode; the same each time a class is changed.
    fn number(&mut self, class: &str, method: &str, descriptor: &str, offset: u32) -> u32 {
        let next = u32::try_from(self.locations.len()).unwrap_or(u32::MAX);
        let key = (
            class.to_owned(),
            method.to_owned(),
            descriptor.to_owned(),
            offset,
        );
        let accessed = self.elements.get(&key).copied();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let location = || {
                Some(CodeLocation {
                    class: Name::new(&class.replace('/', ".")).ok()?,
                    method: Method::new(method, descriptor)?,
                    offset,
                })
            };
            self.locations.push((location(), None));
            if let Some(accessed) = accessed {
                self.accessed.insert(number, accessed);
            }
        }
        number
    }
}

impl Writing {
    /// `places` are numbered as their plan does it, two for a bytecode.
    pub(super) fn create(
        path: Option<&Path>,
        places: &[(u32, Place)],
        elements: &Elements,
    ) -> Result<Self, String> {
        let create = |path: &Path| {
            File::create_new(path)
                .map_err(|error| format!("cannot create {}: {error}", path.display()))
        };
        let file = path.map(create).transpose()?;
        let mut sites = Sites::default();
        let all = elements.0.iter();
        let all = all.flat_map(|(class, sites)| sites.iter().map(move |site| (class, site)));
        for (place, (class, site)) in (0..).zip(all) {
            let key = (
                class.clone(),
                site.method.clone(),
                site.descriptor.clone(),
                site.offset,
            );
            let element = i32::try_from(site.element).unwrap_or(i32::MAX >> 3);
            // Being in a method has no bytecode.
            if site.deed != Deed::Method {
                let element = element << 3 | site.deed as i32;
                sites.elements.insert(key, Accessed { element, place });
            }
        }
        let mut places: Vec<_> = places.iter().collect();
        places.sort_by_key(|(number, _)| *number);
        for (_, place) in places {
            sites.number(&place.class, &place.method, &place.descriptor, place.offset);
        }
        let beside = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(".values");
            PathBuf::from(name)
        };
        let values = Values {
            path: path.map(beside),
            ..Values::default()
        };
        Ok(Self {
            file,
            length: AtomicU64::new(0),
            sites: Mutex::new(sites),
            values: Mutex::new(values),
        })
    }

    /// The number of a bytecode.
    pub(super) fn number(&self, class: &str, site: &Site<'_>) -> u32 {
        let sites = self.sites.lock();
        let mut sites = sites.unwrap_or_else(PoisonError::into_inner);
        let number = sites.number(class, site.method, site.descriptor, site.offset);
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some((_, note)) = sites.locations.get_mut(at) {
            note.clone_from(&site.note);
        }
        if let Some((what, reads)) = &site.uses {
            let next = i32::try_from(sites.used.len() + 1).unwrap_or(i32::MAX >> 1);
            let used = *sites.used.entry(what.clone()).or_insert(next);
            sites.uses.insert(number, used << 1 | i32::from(*reads));
        }
        number
    }

    /// What a place uses; 1 for nothing.
    pub(super) fn uses(&self, site: i32) -> i32 {
        let sites = self.sites.lock();
        let sites = sites.unwrap_or_else(PoisonError::into_inner);
        let found = u32::try_from(site).ok();
        let found = found.and_then(|site| sites.uses.get(&site));
        found.copied().unwrap_or(1)
    }

    /// What a place accesses, and how; negative for nothing.
    pub(super) fn element(&self, site: i32) -> i32 {
        self.accessed(site).map_or(-1, |accessed| accessed.element)
    }

    /// Which of all sites of elements a place is; negative for none.
    pub(super) fn place(&self, site: i32) -> i32 {
        self.accessed(site).map_or(-1, |accessed| accessed.place)
    }

    fn accessed(&self, site: i32) -> Option<Accessed> {
        let sites = self.sites.lock();
        let sites = sites.unwrap_or_else(PoisonError::into_inner);
        sites.accessed.get(&u32::try_from(site).ok()?).copied()
    }

    /// Writes an event; negative numbers are places of the JDK.
    pub(super) fn event(&self, site: i32, count: i64, blocked: bool) {
        let location = match site {
            -2 => (JdkPlace::Park.location(), None),
            -3 => (JdkPlace::Wait.location(), None),
            -4 => (JdkPlace::Exit.location(), None),
            -5 => (JdkPlace::Outside.location(), None),
            -6 => (JdkPlace::Monitor.location(), None),
            _ => {
                let sites = self.sites.lock();
                let sites = sites.unwrap_or_else(PoisonError::into_inner);
                let found = usize::try_from(site).ok();
                let found = found.and_then(|site| sites.locations.get(site).cloned());
                found.unwrap_or_default()
            }
        };
        self.put(location, count, blocked);
    }

    /// Writes that a thread waits for something outside, and where in the program.
    pub(super) fn outside(&self, count: i64, place: &str) {
        let note = (!place.is_empty()).then(|| place.replace(char::is_control, " "));
        self.put((JdkPlace::Outside.location(), note), count, true);
    }

    fn put(&self, location: (Option<CodeLocation>, Option<String>), count: i64, blocked: bool) {
        let moment = if blocked { "in" } else { "before" };
        if let (Some(location), note) = location {
            // In a long one nobody looks for what is told, which is half of it.
            let note = note.filter(|_| self.length.load(Ordering::Relaxed) < TOLD);
            let note = note.map(|note| format!("  # {note}")).unwrap_or_default();
            self.line(&format!("{moment} {location} {count}{note}\n"));
        }
    }

    /// Writes a value that a thread has read.
    pub(super) fn value(&self, thread: &str, kind: &str, value: i64) {
        let values = self.values.lock();
        let mut values = values.unwrap_or_else(PoisonError::into_inner);
        values.put(thread, &format!("  {kind}{value}\n"));
    }

    /// Says what is not recorded.
    pub(super) fn lacks(&self, what: &str) {
        let what = what.replace(char::is_control, "?");
        self.line(&format!("# not recorded: {what}\n"));
    }

    /// Writes an action.
    pub(super) fn action(&self, word: &str, thread: i32) {
        self.line(&match thread {
            -1 => format!("{word} none\n"),
            thread => format!("{word} {thread}\n"),
        });
    }

    /// A disk that is full ends the schedule, not the program.
    fn line(&self, text: &str) {
        if let Some(mut file) = self.file.as_ref() {
            let _ = file.write_all(text.as_bytes());
            let length = u64::try_from(text.len()).unwrap_or_default();
            self.length.fetch_add(length, Ordering::Relaxed);
        }
    }
}
