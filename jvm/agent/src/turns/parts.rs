//! What threads that run freely write: a folder with one file per thread and part, and one
//! with the places.
//!
//! Threads write into memory that is a file, so that whoever is killed, what has happened so
//! far is there. A file's room is allocated before it is used: a full disk ends the
//! recording, and not the program.
//!
//! The first part of a thread is small, and many of them share a file: a program may have
//! threads by the thousand. Words are separated by tabs:
//!
//! ```text
//! sites     NUMBER CLASS METHOD DESCRIPTOR OFFSET NOTE in|-
//! parts     THREAD DESCENT PART FILE OFFSET SIZE
//! 1, 2, …   what `reprise_schedule::observed` reads
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

/// The size of a first part; what is larger is whole pages.
const SMALL: usize = 1024;

/// The size of a file that has many of them.
const MANY: usize = 1024 * SMALL;

/// How much a part has room for; the scheduler's `Native.room`.
fn size(part: i32) -> usize {
    SMALL << part.saturating_mul(2).clamp(0, 10)
}

/// Numbers of places by class, method, descriptor and offset.
type Sites = HashMap<(String, String, String, u32), u32>;

/// The folder.
pub(super) struct Parts {
    folder: PathBuf,
    sites: Mutex<(File, Sites)>,
    rooms: Mutex<Rooms>,
}

/// Where threads write.
struct Rooms {
    /// The file that says who writes where.
    index: File,
    /// How many files there are.
    files: u32,
    /// The file that has small parts, its memory, and how much of that is used.
    many: u32,
    left: *mut u8,
    used: usize,
}

// SAFETY: the memory belongs to whom it is given, piece by piece; here it is only counted.
unsafe impl Send for Rooms {}

impl Parts {
    pub(super) fn create(folder: PathBuf) -> Result<Self, String> {
        let create = |name: &str| {
            let path = folder.join(name);
            let file = File::create_new(&path);
            file.map_err(|error| format!("cannot create {}: {error}", path.display()))
        };
        let rooms = Rooms {
            index: create("parts")?,
            files: 0,
            many: 0,
            left: ptr::null_mut(),
            used: 0,
        };
        Ok(Self {
            sites: Mutex::new((create("sites")?, Sites::new())),
            rooms: Mutex::new(rooms),
            folder,
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
            let blocking = if site.names_blocking { "in" } else { "-" };
            let line = format!(
                "{number}\t{}\t{}\t{}\t{}\t{note}\t{blocking}\n",
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
        let rooms = self.rooms.lock();
        let mut rooms = rooms.unwrap_or_else(PoisonError::into_inner);
        let size = size(part);
        let (file, offset, room) = match size {
            SMALL => self.piece(&mut rooms),
            size => {
                rooms.files += 1;
                (
                    rooms.files,
                    0,
                    self.map(rooms.files, size, MapFlags::SHARED),
                )
            }
        };
        let line = format!("{thread}\t{descent}\t{part}\t{file}\t{offset}\t{size}\n");
        match rooms.index.write_all(line.as_bytes()) {
            Ok(()) => room,
            Err(_) => ptr::null_mut(),
        }
    }

    /// A piece of a file that has many: its number, where the piece is in it, and its memory.
    fn piece(&self, rooms: &mut Rooms) -> (u32, usize, *mut u8) {
        if rooms.left.is_null() || rooms.used == MANY {
            rooms.files += 1;
            rooms.many = rooms.files;
            // All pages at once: one that is missing when a thread begins costs it more than all
            // that it writes.
            let flags = MapFlags::SHARED | MapFlags::POPULATE;
            rooms.left = self.map(rooms.files, MANY, flags);
            rooms.used = 0;
        }
        let offset = rooms.used;
        rooms.used += SMALL;
        let room = match rooms.left.is_null() {
            true => ptr::null_mut(),
            false => rooms.left.wrapping_add(offset),
        };
        (rooms.many, offset, room)
    }

    /// The memory of a new file; null if there is none.
    fn map(&self, number: u32, size: usize, flags: MapFlags) -> *mut u8 {
        let path = self.folder.join(number.to_string());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let Ok(file) = options.open(path) else {
            return ptr::null_mut();
        };
        let none = FallocateFlags::empty();
        if rustix::fs::fallocate(&file, none, 0, size as u64).is_err() {
            return ptr::null_mut();
        }
        // SAFETY: a new mapping, where the kernel likes; nobody makes the file shorter, and
        // its blocks are allocated.
        let mapped = unsafe {
            rustix::mm::mmap(
                ptr::null_mut(),
                size,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
                &file,
                0,
            )
        };
        mapped.map_or(ptr::null_mut(), <*mut _>::cast)
    }

    /// Gives a part's memory back; the file stays.
    ///
    /// # Safety
    /// The memory is that of a part that [`Self::room`] has given, and nobody uses it.
    pub(super) unsafe fn written(room: *mut u8, part: i32) {
        let size = size(part);
        if size > SMALL {
            // SAFETY: the caller vouches for it, and a part of this size has a file alone.
            let _ = unsafe { rustix::mm::munmap(room.cast(), size) };
        }
    }
}
