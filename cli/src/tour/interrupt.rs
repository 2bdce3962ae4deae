//! A tour that is interrupted leaves nothing behind either.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, thread};

use nix::sys::signal::{SigSet, Signal};

/// What is done when the tour is interrupted.
#[derive(Clone, Default)]
pub(super) struct Interrupted(Arc<State>);

#[derive(Default)]
struct State {
    /// It has been.
    now: AtomicBool,
    /// The folder that goes away then.
    folder: Mutex<Option<PathBuf>>,
}

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
            watched.0.now.store(true, Ordering::SeqCst);
            // Whoever is about to create the folder waits, for good.
            let folder = watched.0.folder.lock();
            let folder = folder.unwrap_or_else(PoisonError::into_inner);
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

    /// A failure of a tour that is being interrupted comes from its folder's
    /// going away. It is not told; the program ends in a moment.
    pub(super) fn hold_back(&self) {
        while self.0.now.load(Ordering::SeqCst) {
            thread::park();
        }
    }

    /// Creates the folder under watch.
    pub(super) fn guard<T, E>(
        &self,
        create: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> PathBuf,
    ) -> Result<T, E> {
        let guarded = self.0.folder.lock();
        let mut guarded = guarded.unwrap_or_else(PoisonError::into_inner);
        let created = create()?;
        *guarded = Some(path(&created));
        Ok(created)
    }
}
