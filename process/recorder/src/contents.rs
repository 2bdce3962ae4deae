//! Calls that change the address space, and what a mapped file brings in.

use nix::libc;
use reprise_process_events::{Content, PAGE};
use reprise_syscalls::Call;

use crate::log::Page;
use crate::maps;
use crate::session::{Session, Trouble};
use crate::snapshot::Image;

impl Session {
    /// A call has changed the address space: keeps track of it, and writes down
    /// the pages that came in with it.
    pub(crate) fn mapped(
        &mut self,
        call: &Call,
        arguments: &[u64; 6],
        result: u64,
    ) -> Result<Option<Content>, Trouble> {
        let shared = call.number.cast_signed() == libc::SYS_mmap && is_shared(arguments[3]);
        if shared || self.shares_memory() {
            self.find_shared()?;
        }
        let pages =
            |start: u64, len: u64| (start, start.saturating_add(len).next_multiple_of(PAGE));
        let (start, end) = match call.number.cast_signed() {
            libc::SYS_brk => {
                self.brk = result;
                return Ok(None);
            }
            libc::SYS_mmap => {
                let flags = arguments[3] as i32;
                self.note_shared(flags, arguments[2]);
                if flags & libc::MAP_ANONYMOUS != 0 {
                    return Ok(None);
                }
                pages(result, arguments[1])
            }
            libc::SYS_mremap => pages(result, arguments[2]),
            libc::SYS_madvise if drops_pages(arguments[2]) => pages(arguments[0], arguments[1]),
            libc::SYS_madvise if keeps_from_copies(arguments[2]) => {
                self.unforked.push(pages(arguments[0], arguments[1]));
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let image = Image::of(self.thread.tracee.pid())?;
        let mut brought = Vec::new();
        image.file_pages(start, end, |address, page: &mut Page| {
            brought.push((address, Box::new(*page)));
            Ok::<_, Trouble>(())
        })?;
        if brought.is_empty() {
            return Ok(None);
        }
        let map = self.log.content(brought);
        Ok(Some(Content { map }))
    }

    /// Names shared files that were mapped before.
    pub(crate) fn note_shared_files(&mut self) -> Result<(), Trouble> {
        for mapped in maps::mapped(self.process)? {
            if mapped.shared && mapped.file {
                self.note_shared(libc::MAP_SHARED, mapped.region.protection.into());
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
