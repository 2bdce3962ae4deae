//! A tour that is interrupted leaves nothing behind either.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, thread};

use nix::sys::signal::{SigSet, Signal};

/// The folder that goes away when the tour is interrupted.
#[derive(Clone, Default)]
pub(super) struct Interrupted(Arc<Mutex<Option<PathBuf>>>);

impl Interrupted {
    /// From here on SIGINT, SIGTERM and SIGHUP remove the folder and end the
    /// program with the status that a shell expects. To be called while there
    /// is only one thread: others inherit that these signals go to the watcher.
    pub(super) fn watch() -> Self {
        let this = Self::default();
        let mut signals = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            signals.add(signal);
        }
        if signals.thread_block().is_err() {
            return this;
        }
        let watched = this.clone();
        thread::spawn(move || {
            let Ok(signal) = signals.wait() else {
                return;
            };
            // Whoever creates the folder waits here, for good.
            let folder = watched.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(folder) = &*folder {
                // The other thread may put something into it meanwhile.
                for _ in 0..10 {
                    if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                        break;
                    }
                }
            }
            std::process::exit(128 + signal as i32);
        });
        this
    }

    /// Creates the folder under watch.
    pub(super) fn guard<T, E>(
        &self,
        create: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> PathBuf,
    ) -> Result<T, E> {
        let mut guarded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let created = create()?;
        *guarded = Some(path(&created));
        Ok(created)
    }
}
