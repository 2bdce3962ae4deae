//! Creating a spool and preparing its rings.

use super::{
    layout::{self, control, header, ring_state},
    map::{SharedMap, outside_folder},
};
use crate::file_size;
use rustix::fs::{FallocateFlags, FlockOperation};
use std::{
    fs::File,
    io,
    os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// What a spool is made for.
#[derive(Clone, Debug)]
pub struct SpoolConfig {
    /// How many threads can write at the same time.
    pub rings: u32,
    /// Bytes per ring, a power of two.
    pub ring_size: u64,
    /// How long a writer with a full ring waits for a sign of life.
    pub dead_after_ms: u32,
    /// The kinds of events and their versions; at most 64, names of at most
    /// 28 bytes.
    pub kinds: Vec<(String, u32)>,
}

impl Default for SpoolConfig {
    fn default() -> Self {
        Self {
            rings: 1024,
            ring_size: 1 << 20,
            dead_after_ms: 1000,
            kinds: Vec::new(),
        }
    }
}

/// Why a spool cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// The file cannot be made, read or mapped.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What the caller asks for does not fit the layout.
    #[error("a spool cannot have {0}")]
    Config(String),
    /// The file is not a spool.
    #[error("it is not a spool of version {}", layout::VERSION)]
    NotASpool,
    /// Another process drains it.
    #[error("it is being drained")]
    Busy,
}

/// The name of the spool of a recording.
#[must_use]
pub fn spool_path(recording: &Path) -> PathBuf {
    let mut name = recording.as_os_str().to_owned();
    name.push(".spool");
    name.into()
}

/// A spool in the hands of the recorder.
pub struct Spool {
    pub(crate) file: File,
    /// The header and the controls; data is read with `pread`, so that nothing
    /// the subject does to the file can fault the recorder there.
    pub(crate) controls: Arc<SharedMap>,
    pub(crate) layout: layout::Spool,
    pub(crate) kinds: Vec<(String, u32)>,
    path: PathBuf,
    /// The rings below this have their blocks.
    prepared: AtomicU32,
}

impl Spool {
    /// Creates the spool of a recording.
    pub fn create(recording: &Path, config: &SpoolConfig) -> Result<Self, SpoolError> {
        let layout = checked_layout(config)?;
        let path = spool_path(recording);
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        // From here on the files are ours, and go again if they cannot be used.
        let built = Self::build(file, &path, layout, config);
        if built.is_err() {
            let _ = std::fs::remove_dir(outside_folder(&path));
            let _ = std::fs::remove_file(&path);
        }
        built
    }

    fn build(
        file: File,
        path: &Path,
        layout: layout::Spool,
        config: &SpoolConfig,
    ) -> Result<Self, SpoolError> {
        lock(&file)?;
        file_size::check(layout.file_len())?;
        file.set_len(layout.file_len())?;
        let mut bytes = [0; header::LEN];
        layout.write(&mut bytes);
        for (i, (name, version)) in config.kinds.iter().enumerate() {
            let at = header::KINDS + i * header::KIND_LEN;
            bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            let at = at + header::KIND_NAME_LEN;
            bytes[at..at + 4].copy_from_slice(&version.to_le_bytes());
        }
        // Every byte that somebody will store to gets its block now: a store
        // to a hole on a full disk would kill the subject with SIGBUS.
        reserve(&file, 0, layout.region_at(0))?;
        file.write_all_at(&bytes, 0)?;
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(outside_folder(path))?;
        let controls = SharedMap::new(&file, layout.region_at(0), layout.file_len())?;
        Ok(Self {
            file,
            controls: Arc::new(controls),
            layout,
            kinds: config.kinds.clone(),
            path: path.to_owned(),
            prepared: AtomicU32::new(0),
        })
    }

    /// Opens the spool that a recorder left behind.
    pub(crate) fn open(path: &Path) -> Result<Self, SpoolError> {
        let file = File::options().read(true).write(true).open(path)?;
        lock(&file)?;
        let mut bytes = [0; header::LEN];
        file.read_exact_at(&mut bytes, 0)
            .map_err(|_| SpoolError::NotASpool)?;
        let layout = layout::Spool::read(&bytes).ok_or(SpoolError::NotASpool)?;
        if file.metadata()?.len() < layout.file_len() {
            return Err(SpoolError::NotASpool);
        }
        let controls = SharedMap::new(&file, layout.region_at(0), layout.file_len())?;
        let controls = Arc::new(controls);
        Ok(Self {
            file,
            controls,
            layout,
            kinds: read_kinds(&bytes),
            path: path.to_owned(),
            prepared: AtomicU32::new(0),
        })
    }

    /// Where the spool is; a subject opens it by this.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn rings(&self) -> u32 {
        self.layout.rings
    }

    /// Makes sure that so many rings can be claimed, as far as there are any,
    /// and returns how many can.
    pub(crate) fn prepare(&self, spare: u32) -> io::Result<u32> {
        let mut ready = 0;
        for ring in 0..self.layout.rings {
            let state = self
                .controls
                .u32(self.layout.control_at(ring) + control::STATE as u64);
            match state.load(Ordering::Acquire) {
                ring_state::READY => ready += 1,
                ring_state::ABSENT => {
                    let at = self.layout.region_at(ring);
                    reserve(&self.file, at, self.layout.region_at(ring + 1) - at)?;
                    self.prepared.fetch_max(ring + 1, Ordering::Relaxed);
                    state.store(ring_state::READY, Ordering::Release);
                    ready += 1;
                }
                _ => {}
            }
            if ready >= spare {
                break;
            }
        }
        Ok(ready)
    }

    /// Whether the file is as long as it was made.
    pub(crate) fn is_whole(&self) -> bool {
        self.controls.is_whole()
    }

    /// Gives a file that was cut off its length and its blocks again, as far
    /// as a writer may store into it.
    pub(crate) fn restore(&self) {
        if self.file.set_len(self.layout.file_len()).is_ok() {
            let rings = self.prepared.load(Ordering::Relaxed);
            let _ = reserve(&self.file, 0, self.layout.region_at(rings));
        }
    }

    /// Removes the files.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let outside = std::fs::remove_dir_all(outside_folder(&self.path));
        std::fs::remove_file(&self.path)?;
        match outside {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn checked_layout(config: &SpoolConfig) -> Result<layout::Spool, SpoolError> {
    let refuse = |what: String| Err(SpoolError::Config(what));
    let sizes = layout::MIN_RING..=layout::MAX_RING;
    if !config.ring_size.is_power_of_two() || !sizes.contains(&config.ring_size) {
        return refuse(format!("rings of {} bytes", config.ring_size));
    }
    if config.rings == 0 || config.rings > layout::MAX_RINGS {
        return refuse(format!("{} rings", config.rings));
    }
    if config.kinds.len() > header::MAX_KINDS {
        return refuse(format!("{} kinds of events", config.kinds.len()));
    }
    if let Some((name, _)) = (config.kinds.iter()).find(|(name, _)| {
        name.is_empty() || name.len() > header::KIND_NAME_LEN || name.contains('\0')
    }) {
        return refuse(format!("a kind of events called {name:?}"));
    }
    Ok(layout::Spool {
        rings: config.rings,
        ring_size: config.ring_size,
        dead_after_ms: config.dead_after_ms,
    })
}

fn read_kinds(bytes: &[u8; header::LEN]) -> Vec<(String, u32)> {
    bytes[header::KINDS..header::KINDS + header::KIND_LEN * header::MAX_KINDS]
        .chunks_exact(header::KIND_LEN)
        .map_while(|kind| {
            let (name, version) = kind.split_at(header::KIND_NAME_LEN);
            let len = name
                .iter()
                .position(|byte| *byte == 0)
                .unwrap_or(name.len());
            let name = String::from_utf8_lossy(&name[..len]).into_owned();
            let version = u32::from_le_bytes(version.try_into().ok()?);
            (!name.is_empty()).then_some((name, version))
        })
        .collect()
}

fn lock(file: &File) -> Result<(), SpoolError> {
    match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Err(SpoolError::Busy),
        // Where there are no locks, nobody else can be kept out.
        _ => Ok(()),
    }
}

/// Gives a stretch of the file its blocks.
fn reserve(file: &File, at: u64, len: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), at, len) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {
            let zeros = vec![0; 64 << 10];
            let mut done = 0;
            while done < len {
                let part = zeros.len().min((len - done) as usize);
                file.write_all_at(&zeros[..part], at + done)?;
                done += part as u64;
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
