//! What threads that run freely write: a folder with one file per thread and part, and one
//! with the places.
//!
//! Threads write into memory that is a file, so that whoever is killed, what has happened so
//! far is there. A file's room is allocated before it is used: a full disk ends the
//! recording, and not the program.
//!
//! ```text
//! sites                      NUMBER CLASS METHOD DESCRIPTOR OFFSET NOTE, separated by tabs
//! NUMBER_DESCENT_PART        what `reprise_schedule::observed` reads
//! ```

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use reprise_turns::explore::Site;
use rustix::fs::FallocateFlags;
use rustix::mm::{MapFlags, ProtFlags};

/// How much a part has room for; the scheduler's `Native.ROOM`.
const ROOM: usize = 1 << 20;

/// Numbers of places by class, method, descriptor and offset.
type Sites = HashMap<(String, String, String, u32), u32>;

/// The folder.
pub(super) struct Parts {
    folder: PathBuf,
    sites: Mutex<(File, Sites)>,
}

impl Parts {
    pub(super) fn create(folder: PathBuf) -> Result<Self, String> {
        let path = folder.join("sites");
        let file = File::create_new(&path);
        let file = file.map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self {
            folder,
            sites: Mutex::new((file, Sites::new())),
        })
    }

    /// The number of a place; it is in the file before anybody comes to it.
    pub(super) fn number(&self, class: &str, site: &Site<'_>) -> u32 {
        let sites = self.sites.lock();
        let mut sites = sites.unwrap_or_else(PoisonError::into_inner);
        let (file, numbers) = &mut *sites;
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let key = (
            class.to_owned(),
            site.method.to_owned(),
            site.descriptor.to_owned(),
            site.offset,
        );
        let number = *numbers.entry(key).or_insert(next);
        if number == next {
            let plain = |text: &str| text.replace(char::is_control, "?");
            let note = plain(site.note.as_deref().unwrap_or_default());
            let line = format!(
                "{number}\t{}\t{}\t{}\t{}\t{note}\n",
                plain(class),
                plain(site.method),
                plain(site.descriptor),
                site.offset
            );
            let _ = file.write_all(line.as_bytes());
        }
        number
    }

    /// Memory for a part of what a thread writes; null if there is none.
    pub(super) fn room(&self, thread: i32, descent: &str, part: i32) -> *mut u8 {
        let path = self.folder.join(format!("{thread}_{descent}_{part}"));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let Ok(file) = options.open(path) else {
            return ptr::null_mut();
        };
        let none = FallocateFlags::empty();
        if rustix::fs::fallocate(&file, none, 0, ROOM as u64).is_err() {
            return ptr::null_mut();
        }
        // SAFETY: a new mapping, where the kernel likes; nobody makes the file shorter, and
        // its blocks are allocated. It stays until the process ends.
        let mapped = unsafe {
            rustix::mm::mmap(
                ptr::null_mut(),
                ROOM,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                &file,
                0,
            )
        };
        mapped.map_or(ptr::null_mut(), <*mut _>::cast)
    }
}
