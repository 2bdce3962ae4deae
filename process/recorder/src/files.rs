//! Files that are in memory, and that a call writes to: the memory of all who have mapped
//! such a file changes, though the call's arguments do not point there.
//!
//! Who makes the call has what is mapped of the part that was written recorded with it.
//! Others that share it compare it from then on (`sharing.rs`), or are told through the
//! mirror (`followed.rs`). Who has mapped it for itself sees what it has not written itself,
//! and compares it, too. What a file has lost because of another process cannot be accessed
//! any more, which is named.

mod wrote;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::libc;
use nix::unistd::Pid;
use reprise_process_events::PAGE;
use reprise_syscalls::{Call, Extent, is_error};

use crate::maps::{self, Mapped};
use crate::mirror::Object;
use crate::session::{Session, Trouble};
use wrote::{Changed, Wrote, end_of, written_to};

/// The most memory that is recorded with one such call.
const MOST: u64 = 16 << 20;

/// So much that is written to is remembered; if there is more, all may be.
const OBJECTS: usize = 10_000;

/// A file: its device and number.
type File = (u64, u64);

/// What is known of files in the memory of all processes.
#[derive(Default)]
pub(crate) struct Files {
    /// Who has ever mapped a file; it may not be there any more.
    mapped: HashMap<File, BTreeSet<Pid>>,
    /// What is shared and is written to by any of the processes.
    written: HashSet<Object>,
    /// What a process has mapped for itself and another one has written to, and these
    /// processes.
    behind: HashSet<Object>,
    disturbed: BTreeSet<Pid>,
    /// The numbers of what is at several addresses.
    numbers: HashMap<Object, u32>,
    /// How often there was another one.
    changes: u64,
    /// How often a call has written to what is shared, through its file. That needs no
    /// token.
    calls: u64,
}

impl Files {
    /// A process writes to this, in memory or by a call.
    pub(crate) fn is_written(&mut self, object: &Object) {
        if self.written.len() < OBJECTS && self.written.insert(object.clone()) {
            self.changes += 1;
        }
    }

    /// Whether any process may write to this.
    pub(crate) fn has_writer(&self, object: &Object) -> bool {
        self.written.len() >= OBJECTS || self.written.contains(object)
    }

    /// The number that something has in the recording.
    pub(crate) fn number(&mut self, object: &Object) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(object.clone()).or_insert(next)
    }

    /// A call has written to what another process has mapped for itself.
    fn is_written_behind(&mut self, object: &Object, process: Pid) {
        let is_new = self.behind.len() < OBJECTS && self.behind.insert(object.clone());
        if is_new | self.disturbed.insert(process) {
            self.changes += 1;
        }
        self.calls += 1;
    }

    /// Whether that may have happened to this.
    pub(crate) fn changes_behind(&self, object: &Object) -> bool {
        self.behind.contains(object)
    }

    /// Whether it has happened to a process.
    pub(crate) fn is_disturbed(&self, process: Pid) -> bool {
        self.disturbed.contains(&process)
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// A process has what another one has.
    pub(crate) fn inherit(&mut self, from: Pid, to: Pid) {
        for processes in self.mapped.values_mut() {
            if processes.contains(&from) {
                processes.insert(to);
            }
        }
    }

    /// A process has a new program, or none any more.
    pub(crate) fn forget(&mut self, process: Pid) {
        self.disturbed.remove(&process);
        self.mapped.retain(|_, processes| {
            processes.remove(&process);
            !processes.is_empty()
        });
    }
}

impl Session {
    /// A file has been mapped.
    pub(crate) fn maps_file(&self, descriptor: u64) {
        if let Ok(file) = fs::metadata(self.descriptor(descriptor)) {
            self.has_mapped(&file);
        }
    }

    pub(crate) fn has_mapped(&self, file: &Metadata) {
        let files = &mut *self.shared.files.borrow_mut();
        let processes = files.mapped.entry((file.dev(), file.ino())).or_default();
        processes.insert(self.process);
    }

    fn descriptor(&self, number: u64) -> PathBuf {
        PathBuf::from(format!("/proc/{}/fd/{number}", self.process))
    }

    /// The file that a call names which makes it shorter or longer.
    fn named(&self, call: &Call, arguments: &[u64; 6]) -> Option<PathBuf> {
        const LONGEST: usize = libc::PATH_MAX as usize;
        if call.number.cast_signed() != libc::SYS_truncate {
            return None;
        }
        let path = self.thread.tracee.read_some(arguments[0], LONGEST);
        let path = path.split(|&byte| byte == 0).next()?;
        let path = Path::new(OsStr::from_bytes(path));
        let from = PathBuf::from(format!("/proc/{}", self.process));
        // What is itself to the process is not to the recorder.
        if let Ok(own) = path.strip_prefix("/proc/self") {
            return Some(from.join(own));
        }
        Some(match path.strip_prefix("/") {
            Ok(path) => from.join("root").join(path),
            Err(_) => from.join("cwd").join(path),
        })
    }

    fn position(&self, descriptor: u64) -> Option<u64> {
        let text =
            fs::read_to_string(format!("/proc/{}/fdinfo/{descriptor}", self.process)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("pos:"))?;
        line.trim().parse().ok()
    }

    /// A call is over: the memory of this process that has changed because it has
    /// written to a file. Others that have mapped that are made to look.
    pub(crate) fn changed_by_file(
        &self,
        call: &Call,
        arguments: &[u64; 6],
        result: u64,
    ) -> Result<Changed, Trouble> {
        if is_error(result) {
            return Ok(Changed::default());
        }
        let descriptor = written_to(call, arguments, result);
        let descriptor = descriptor.map(|number| self.descriptor(number));
        let Some(descriptor) = descriptor.or_else(|| self.named(call, arguments)) else {
            return Ok(Changed::default());
        };
        // Most calls write to what nobody has mapped, and need not be looked at further.
        let Ok(file) = fs::metadata(&descriptor) else {
            return Ok(Changed::default());
        };
        let key = (file.dev(), file.ino());
        let processes = self.shared.files.borrow().mapped.get(&key).cloned();
        let Some(processes) = processes.filter(|_| file.is_file()) else {
            return Ok(Changed::default());
        };
        let wrote = Wrote::by(call, arguments, result, |fd| self.position(fd));
        let wrote = wrote.unwrap_or(Wrote::ANYWHERE);
        let name = fs::read_link(&descriptor).unwrap_or_default();
        let is_it = |mapped: &Mapped| {
            let same_name = name.to_str() == Some(mapped.region.name.as_str());
            let object = &mapped.object;
            mapped.file && object.inode == file.ino() && (same_name || is_on(object, file.dev()))
        };
        let mut own = Changed::default();
        let there = Wrote {
            start: 0,
            end: file.len().next_multiple_of(PAGE),
        };
        for process in processes {
            // It may have ended.
            let all = maps::mapped(process).unwrap_or_default();
            let parts = all.iter().filter(|mapped| is_it(mapped));
            let parts = parts.filter_map(|mapped| Some((mapped, wrote.within(mapped)?)));
            for (mapped, extent) in parts {
                if mapped.shared {
                    self.others_look(mapped, extent);
                }
                if process == self.process {
                    let end = there.within(mapped).map_or(mapped.region.start, end_of);
                    own.split(extent, end);
                } else if !mapped.shared {
                    let files = &mut *self.shared.files.borrow_mut();
                    files.is_written_behind(&mapped.object, process);
                }
                let lost = mapped.end_in_file() > there.end && wrote.shortens();
                if lost && process != self.process {
                    let why = "another process has cut it off, which a replay does not see";
                    self.shared.archive.note("a file in memory", why);
                }
            }
        }
        let all = own.there.iter().chain(&own.gone);
        if all.map(|extent| extent.len).sum::<u64>() > MOST {
            let why = "a call has changed more than 16 MiB of it";
            self.log.note("a file in memory", why);
            own = Changed::default();
        }
        Ok(own)
    }

    /// Those that share memory in which a call has changed something through its file.
    fn others_look(&self, mapped: &Mapped, extent: Extent) {
        let files = &mut *self.shared.files.borrow_mut();
        files.is_written(&mapped.object);
        files.calls += 1;
        let first = mapped.offset / PAGE;
        let page = |address: u64| first + (address - mapped.region.start) / PAGE;
        let pages = page(extent.address)..page(extent.address + extent.len - 1) + 1;
        let mirrors = &mut *self.shared.mirrors.borrow_mut();
        mirrors.changes_behind(&mapped.object, pages);
    }
}

/// Whether a device is the one that `/proc` names.
fn is_on(object: &Object, device: u64) -> bool {
    let (major, minor) = (libc::major(device), libc::minor(device));
    object.device == format!("{major:02x}:{minor:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_maps_a_file_is_known_until_its_end() {
        let (one, two) = (Pid::from_raw(1), Pid::from_raw(2));
        let mut files = Files::default();
        files.mapped.insert((1, 2), BTreeSet::from([one]));
        files.inherit(one, two);
        files.forget(one);
        assert_eq!(files.mapped.get(&(1, 2)), Some(&BTreeSet::from([two])));
        files.forget(two);
        assert!(files.mapped.is_empty());
    }
}
