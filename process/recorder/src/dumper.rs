//! The thread that writes dumps while the subject goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use nix::unistd::Pid;

use crate::Sink;
use crate::dump::Dump;
use crate::spawn::Processors;

/// What became of a dump, for people.
pub type Written = Result<String, String>;

struct Job {
    dump: Dump,
    answer: Option<Sender<Written>>,
}

/// Takes dumps. Clones hand them to the same thread.
#[derive(Clone)]
pub(crate) struct Dumper(Sender<Option<Job>>, Arc<AtomicUsize>);

/// The thread.
pub(crate) struct Writing(JoinHandle<()>);

impl Dumper {
    pub(crate) fn start(mut sink: Sink, processors: Option<Processors>) -> (Self, Writing) {
        let (jobs, work): (_, Receiver<Option<Job>>) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = waiting.clone();
        let thread = thread::spawn(move || {
            if let Some(processors) = processors {
                // Not in the subject's way.
                processors.restore(Pid::from_raw(0));
            }
            while let Ok(Some(Job { dump, answer })) = work.recv() {
                let written = sink(dump);
                left.fetch_sub(1, Ordering::Relaxed);
                if let Some(answer) = answer {
                    // Whoever asked may have gone.
                    let _ = answer.send(written);
                }
            }
        });
        (Self(jobs, waiting), Writing(thread))
    }

    /// Whether dumps are being written.
    pub(crate) fn is_busy(&self) -> bool {
        self.1.load(Ordering::Relaxed) > 0
    }

    /// Has a dump written, some time.
    pub(crate) fn write(&self, dump: Dump) {
        self.1.fetch_add(1, Ordering::Relaxed);
        let _ = self.0.send(Some(Job { dump, answer: None }));
    }

    /// Has a dump written and waits for it.
    pub(crate) fn write_now(&self, dump: Dump) -> Written {
        let (answer, written) = channel();
        let answer = Some(answer);
        self.1.fetch_add(1, Ordering::Relaxed);
        let _ = self.0.send(Some(Job { dump, answer }));
        let lost = |_| Err("the recorder has ended".to_owned());
        written.recv().unwrap_or_else(lost)
    }
}

impl Writing {
    /// Waits until everything is written that was asked for.
    pub(crate) fn finish(self, dumper: &Dumper) {
        let _ = dumper.0.send(None);
        let _ = self.0.join();
    }
}
