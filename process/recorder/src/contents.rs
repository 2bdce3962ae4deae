//! Calls that change the address space, and what a mapped file brings in.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::time::Duration;

use nix::libc;
use reprise_process_events::{Content, PAGE};
use reprise_syscalls::Call;

use crate::log::{Brought, Page};
use crate::maps;
use crate::session::{Session, Trouble};
use crate::sharing::Look;
use crate::snapshot::Image;

/// How many parts of files are kept for others that map them, and the longest.
const FILES: usize = 256;
const PAGES: usize = 1024;

const WRITABLE: u64 = libc::PROT_WRITE as u64;

/// A file that was changed longer ago will not be changed in the same moment.
const QUIET: Duration = Duration::from_secs(60);

/// A part of a file as it is mapped.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Which {
    /// Where it is, and when it was last changed.
    file: (u64, u64, i64, i64),
    len: u64,
    offset: u64,
    mapped: u64,
    protection: u64,
}

impl Session {
    /// A call has changed the address space: keeps track of it, and writes down
    /// the pages that came in with it.
    pub(crate) fn mapped(
        &mut self,
        call: &Call,
        arguments: &[u64; 6],
        result: u64,
    ) -> Result<Option<Content>, Trouble> {
        let look = match call.number.cast_signed() {
            libc::SYS_mmap if is_shared(arguments[3]) && is_anonymous(arguments[3]) => {
                Some(Look::New(result))
            }
            libc::SYS_mmap if is_shared(arguments[3]) => Some(Look::Mapped),
            libc::SYS_shmat => Some(Look::Mapped),
            // Where the heap ends nothing is shared.
            libc::SYS_brk => None,
            libc::SYS_mprotect if self.maps_shared() && arguments[2] & WRITABLE != 0 => {
                Some(Look::Mapped)
            }
            _ => (self.shares_memory() || self.sharing.views.any()).then_some(Look::Mapped),
        };
        if let Some(look) = look {
            self.find_shared(look)?;
        }
        let pages =
            |start: u64, len: u64| (start, start.saturating_add(len).next_multiple_of(PAGE));
        let (start, end) = match call.number.cast_signed() {
            libc::SYS_brk => {
                self.brk = result;
                return Ok(None);
            }
            libc::SYS_mmap => {
                let (start, end) = pages(result, arguments[1]);
                self.has_mapped_over(start, end);
                let flags = arguments[3] as i32;
                self.note_shared(flags, arguments[2]);
                if flags & libc::MAP_ANONYMOUS != 0 {
                    return Ok(None);
                }
                self.maps_file(arguments[4]);
                if arguments[2] & libc::PROT_EXEC as u64 != 0 {
                    self.make_them_stop(start, end)?;
                }
                (start, end)
            }
            libc::SYS_shmat => {
                let end = result + maps::attached(self.process, result)?;
                self.has_mapped_over(result, end);
                (result, end)
            }
            libc::SYS_mremap => {
                let (start, end) = pages(result, arguments[2]);
                self.has_mapped_over(start, end);
                (start, end)
            }
            libc::SYS_madvise if drops_pages(arguments[2]) => pages(arguments[0], arguments[1]),
            libc::SYS_madvise if keeps_from_copies(arguments[2]) => {
                self.unforked.push(pages(arguments[0], arguments[1]));
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let which = match call.number.cast_signed() {
            libc::SYS_mmap => self.which(arguments, start, end),
            _ => None,
        };
        let known = which.and_then(|which| self.shared.brought.borrow().get(&which).cloned());
        let is_new = known.is_none();
        let brought = match known {
            Some(known) => known,
            None => Arc::new(self.brought(start, end)?),
        };
        if let Some(which) = which.filter(|_| is_new) {
            let mut all = self.shared.brought.borrow_mut();
            if all.len() < FILES && brought.len() < PAGES {
                all.insert(which, brought.clone());
            }
        }
        if brought.is_empty() {
            return Ok(None);
        }
        let map = self.log.content(start, brought, is_new);
        Ok(Some(Content { map }))
    }

    /// What files have brought in between two addresses.
    fn brought(&self, start: u64, end: u64) -> Result<Brought, Trouble> {
        // A call of another process may be writing to what is shared: what others are told of
        // it is what counts here, too.
        let image = Image::of(self.thread.tracee.pid())?.with(self.mirrored());
        let mut brought = Vec::new();
        image.file_pages(start, end, |address, page: &mut Page| {
            brought.push((address - start, Box::new(*page)));
            Ok::<_, Trouble>(())
        })?;
        Ok(brought)
    }

    /// What is mapped by a call, if others may map the same: programs and libraries,
    /// which nobody has changed lately.
    fn which(&self, arguments: &[u64; 6], start: u64, end: u64) -> Option<Which> {
        let private = arguments[3] as i32 & libc::MAP_TYPE == libc::MAP_PRIVATE;
        if !private || self.borrows || self.shared.is_attached() {
            return None;
        }
        let file = fs::metadata(format!("/proc/{}/fd/{}", self.process, arguments[4])).ok()?;
        let changed = file.modified().ok()?.elapsed().ok()?;
        if !file.is_file() || file.mode() & 0o022 != 0 || changed < QUIET {
            return None;
        }
        Some(Which {
            file: (file.dev(), file.ino(), file.mtime(), file.mtime_nsec()),
            len: file.len(),
            offset: arguments[5],
            mapped: end - start,
            protection: arguments[2],
        })
    }

    /// Names shared files that were mapped before.
    pub(crate) fn note_shared_files(&mut self) -> Result<(), Trouble> {
        for mapped in maps::mapped(self.process)? {
            if mapped.shared && mapped.file {
                self.note_shared(libc::MAP_SHARED, mapped.region.protection.into());
                if let Ok(file) = fs::metadata(&mapped.region.name) {
                    self.has_mapped(&file);
                }
            }
        }
        Ok(())
    }

    fn note_shared(&mut self, flags: i32, protection: u64) {
        let writable = protection & libc::PROT_WRITE as u64 != 0;
        let has_file = flags & libc::MAP_ANONYMOUS == 0;
        if is_shared(flags as u64) && writable && has_file {
            let why = "what processes that are not recorded change in it is seen late or not";
            self.log.note("a shared file in memory", why);
        }
    }
}

/// Whether a mapping with these flags is seen by others.
fn is_shared(flags: u64) -> bool {
    flags as i32 & libc::MAP_TYPE & (libc::MAP_SHARED & libc::MAP_TYPE) != 0
}

/// Whether a mapping with these flags has no file.
fn is_anonymous(flags: u64) -> bool {
    flags as i32 & libc::MAP_ANONYMOUS != 0
}

/// Whether pages are left out of copies of the process by this advice, and so
/// out of its shadow.
fn keeps_from_copies(advice: u64) -> bool {
    [libc::MADV_DONTFORK, libc::MADV_WIPEONFORK].contains(&(advice as i32))
}

/// Whether pages lose their content by this advice.
fn drops_pages(advice: u64) -> bool {
    let advice = advice as i32;
    [libc::MADV_DONTNEED, libc::MADV_FREE, libc::MADV_REMOVE].contains(&advice)
}
