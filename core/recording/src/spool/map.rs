//! A shared mapping of a spool, of which only atomics are handed out.
#![allow(unsafe_code, reason = "mapping a file and reading it atomically")]

use super::{
    layout::{self, header, state},
    ring::{Environment, RingInfo, RingWriter, room::counted_rest},
};
use crate::file_size;
use rustix::mm::{MapFlags, ProtFlags};
use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A part of a spool, from its start, mapped shared.
pub(crate) struct SharedMap {
    base: *mut u8,
    len: usize,
    file: File,
    file_len: u64,
}

// SAFETY: the mapping is valid in every thread and is accessed through atomics
// or through ring writers, each of which owns its ring.
unsafe impl Send for SharedMap {}
// SAFETY: as above.
unsafe impl Sync for SharedMap {}

impl SharedMap {
    /// Maps `len` bytes of a file that is `file_len` bytes long.
    pub(crate) fn new(file: &File, len: u64, file_len: u64) -> io::Result<Self> {
        let file = file.try_clone()?;
        let len = usize::try_from(len).map_err(io::Error::other)?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches
        // nothing that Rust knows of.
        let base = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                len,
                protection,
                MapFlags::SHARED,
                &file,
                0,
            )?
        };
        let base = base.cast();
        Ok(Self {
            base,
            len,
            file,
            file_len,
        })
    }

    /// Whether the file is as long as it was: a look at a mapping of what was
    /// cut off ends the process.
    pub(crate) fn is_whole(&self) -> bool {
        let length = self.file.metadata().map(|file| file.len());
        length.is_ok_and(|length| length >= self.file_len)
    }

    /// The field at `at`, which is one of the layout's.
    pub(crate) fn u32(&self, at: u64) -> &AtomicU32 {
        let at = at as usize;
        assert!(at.is_multiple_of(4) && at + 4 <= self.len);
        // SAFETY: within the mapping, aligned, and accessed atomically by all.
        unsafe { AtomicU32::from_ptr(self.base.add(at).cast()) }
    }

    /// The field at `at`, which is one of the layout's.
    pub(crate) fn u64(&self, at: u64) -> &AtomicU64 {
        let at = at as usize;
        assert!(at.is_multiple_of(8) && at + 8 <= self.len);
        // SAFETY: within the mapping, aligned, and accessed atomically by all.
        unsafe { AtomicU64::from_ptr(self.base.add(at).cast()) }
    }
}

impl Drop for SharedMap {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing borrows from it any more.
        let _ = unsafe { rustix::mm::munmap(self.base.cast(), self.len) };
    }
}

/// A spool as code inside a subject sees it, where that code has `std`.
#[derive(Clone)]
pub struct SubjectSpool {
    map: Arc<SharedMap>,
    layout: layout::Spool,
    folder: PathBuf,
}

impl SubjectSpool {
    /// Maps the spool at `path`.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let file = File::options().read(true).write(true).open(path)?;
        let mut bytes = [0; header::LEN];
        file.read_exact_at(&mut bytes, 0)?;
        let layout = layout::Spool::read(&bytes)
            .filter(|layout| {
                file.metadata()
                    .is_ok_and(|is| is.len() >= layout.file_len())
            })
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a spool"))?;
        let map = Arc::new(SharedMap::new(&file, layout.file_len(), layout.file_len())?);
        let folder = outside_folder(path);
        Ok(Self {
            map,
            layout,
            folder,
        })
    }

    fn is_recording(&self) -> bool {
        let state = self.map.u32(header::STATE as u64);
        state.load(Ordering::Acquire) == state::RECORDING
    }

    /// Claims a ring for a thread, waiting a moment for the drainer to prepare
    /// one; `None` when there is none to be had.
    #[must_use]
    pub fn ring(&self, info: RingInfo<'_>) -> Option<RingWriter<StdEnvironment>> {
        let patience = u64::from(self.layout.dead_after_ms);
        let start = Instant::now();
        let (mut looked_at, mut waited) = (0, 0);
        let heartbeat = self.map.u64(header::HEARTBEAT as u64);
        let mut waits = false;
        let beat = heartbeat.load(Ordering::Relaxed);
        loop {
            let environment = StdEnvironment {
                _map: self.map.clone(),
                folder: self.folder.clone(),
                start,
                process: rustix::process::getpid(),
            };
            // SAFETY: the environment keeps the mapping for as long as the
            // writer lives, and it has the layout's length.
            let writer =
                unsafe { RingWriter::claim(self.map.base, self.layout, info, environment) };
            if writer.is_some() || !self.is_recording() {
                return writer;
            }
            if !waits {
                waits = true;
                let wanted = self.map.u32(header::WANTED as u64);
                wanted.fetch_add(1, Ordering::Release);
            }
            let now = start.elapsed().as_millis() as u64;
            waited += counted_rest(now - looked_at, patience);
            looked_at = now;
            if waited >= patience {
                let turned_away = self.map.u32(header::TURNED_AWAY as u64);
                turned_away.fetch_add(1, Ordering::Relaxed);
                if heartbeat.load(Ordering::Relaxed) == beat {
                    // Nobody is there, and the next thread need not wait.
                    let _ = self.map.u32(header::STATE as u64).compare_exchange(
                        state::RECORDING,
                        state::DRAINER_SILENT,
                        Ordering::AcqRel,
                        Ordering::Relaxed,
                    );
                }
                return None;
            }
            sleep(Duration::from_micros(200));
        }
    }
}

/// Where events are that were too long for a ring of the spool at `path`.
pub(crate) fn outside_folder(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".d");
    name.into()
}

/// The file of an outside event, in that folder.
pub(crate) fn outside_name(ring: u32, number: u64) -> String {
    format!("{ring}-{number}")
}

/// The world of a ring writer where there is `std`.
pub struct StdEnvironment {
    _map: Arc<SharedMap>,
    folder: PathBuf,
    start: Instant,
    process: rustix::process::Pid,
}

impl Environment for StdEnvironment {
    fn now_ms(&mut self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    fn is_owner(&self) -> bool {
        rustix::process::getpid() == self.process
    }

    fn pause(&mut self) {
        sleep(Duration::from_micros(50));
    }

    fn store_outside(&mut self, ring: u32, number: u64, event: &[u8]) -> bool {
        let path = self.folder.join(outside_name(ring, number));
        let stored =
            file_size::check(event.len() as u64).and_then(|()| std::fs::write(&path, event));
        if stored.is_err() {
            let _ = std::fs::remove_file(&path);
        }
        stored.is_ok()
    }
}

/// Lets the calling thread rest, if the system agrees.
pub(crate) fn sleep(time: Duration) {
    let request = rustix::thread::Timespec {
        tv_sec: time.as_secs() as i64,
        tv_nsec: i64::from(time.subsec_nanos()),
    };
    let _ = rustix::thread::nanosleep(&request);
}
