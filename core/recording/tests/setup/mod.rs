//! A recording with a spool, the recorder's end and the subject's in one
//! process, and what came out of it.
#![allow(dead_code, reason = "each test file uses some of it")]

use reprise_recording::{
    Closing, Manifest, Recording, StreamId, Writer,
    spool::{
        Drainer, RecoverError, Recovered, Spool, SpoolConfig, SubjectSpool,
        layout::{self, Policy},
        recover,
        ring::RingInfo,
        spool_path,
    },
};
use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

pub(crate) struct Setup {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) drainer: Drainer,
    pub(crate) subject: SubjectSpool,
    pub(crate) layout: layout::Spool,
}

/// Where nobody is meant to wait in vain, however busy the machine is.
pub(crate) const PATIENT: u32 = 30_000;

pub(crate) fn config(rings: u32, ring_size: u64) -> SpoolConfig {
    SpoolConfig {
        rings,
        ring_size,
        dead_after_ms: PATIENT,
        kinds: vec![("test".into(), 3)],
    }
}

pub(crate) fn info(thread: u64) -> RingInfo<'static> {
    RingInfo {
        thread,
        process: 7,
        name: "worker",
        ..RingInfo::default()
    }
}

pub(crate) fn ring_info(thread: u64) -> RingInfo<'static> {
    RingInfo {
        policy: Policy::Ring,
        ..info(thread)
    }
}

struct OnDrop<'a>(&'a AtomicBool);

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Setup {
    pub(crate) fn new(config: &SpoolConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.reprise");
        let writer = Writer::create(&file, &Manifest::default()).unwrap();
        let spool = Spool::create(&file, config).unwrap();
        let drainer = Drainer::new(spool, writer).unwrap();
        let subject = SubjectSpool::open(drainer.spool_path()).unwrap();
        let layout = layout::Spool {
            rings: config.rings,
            ring_size: config.ring_size,
            dead_after_ms: config.dead_after_ms,
        };
        Self {
            folder,
            drainer,
            subject,
            layout,
        }
    }

    /// With rings of 16 KiB.
    pub(crate) fn small(rings: u32) -> Self {
        Self::new(&config(rings, 1 << 14))
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("x.reprise")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("x.reprise.spool.d")
    }

    pub(crate) fn poke(&self, at: u64, bytes: &[u8]) {
        let file = File::options().write(true).open(self.drainer.spool_path());
        file.unwrap().write_all_at(bytes, at).unwrap();
    }

    pub(crate) fn poke_control(&self, ring: u32, at: usize, bytes: &[u8]) {
        self.poke(self.layout.control_at(ring) + at as u64, bytes);
    }

    pub(crate) fn drain(&mut self) {
        self.drainer.run(|| true).unwrap();
    }

    /// Drains while `work` runs in another thread.
    pub(crate) fn drain_during(&mut self, work: impl FnOnce(&SubjectSpool) + Send) {
        let done = AtomicBool::new(false);
        let subject = self.subject.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Also when it panics, or the drainer would wait for ever.
                let _done = OnDrop(&done);
                work(&subject);
            });
            self.drainer.run(|| done.load(Ordering::Acquire)).unwrap();
        });
    }

    /// The finished recording, and the folder that keeps it.
    pub(crate) fn finish(self) -> (Recording, tempfile::TempDir) {
        let file = self.file();
        self.drainer.finish(Closing::default()).unwrap();
        assert!(!spool_path(&file).exists());
        let recording = Recording::open(&file).unwrap();
        assert_eq!(recording.opened().damage, []);
        (recording, self.folder)
    }

    /// The events of the finished recording, and its end.
    pub(crate) fn finish_events(self) -> (Vec<Seen>, Closing) {
        let file = self.file();
        let (recording, _folder) = self.finish();
        (events(&file), recording.closing().cloned().unwrap())
    }
}

/// An event as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) stream: u32,
    pub(crate) number: u64,
    pub(crate) stamp: u64,
    pub(crate) segment: u32,
    pub(crate) replaced: bool,
    pub(crate) payload: Vec<u8>,
}

/// All events of a recording, stream by stream.
pub(crate) fn events(file: &Path) -> Vec<Seen> {
    let recording = Recording::open(file).unwrap();
    assert_eq!(recording.opened().damage, []);
    let mut all = Vec::new();
    for (id, _) in recording.streams() {
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            all.push(Seen {
                stream: id.0,
                number: event.number,
                stamp: event.stamp,
                segment: event.segment,
                replaced: event.replaced,
                payload: event.payload.to_vec(),
            });
        }
    }
    all
}

/// Recovers where tests start other programs: a child that one of them has
/// forked holds the locks of all until it runs its program.
pub(crate) fn recover_after_forks(file: &Path) -> Result<Recovered, RecoverError> {
    loop {
        match recover(file) {
            Ok(Recovered::InProgress) => std::thread::sleep(Duration::from_millis(5)),
            recovered => return recovered,
        }
    }
}

/// Number, whether it was replaced, and payload of a stream's events.
pub(crate) fn payloads(recording: &Recording, stream: StreamId) -> Vec<(u64, bool, Vec<u8>)> {
    let mut out = Vec::new();
    let mut events = recording.events(stream, 0).unwrap();
    while let Some(event) = events.next().unwrap() {
        out.push((event.number, event.replaced, event.payload.to_vec()));
    }
    out
}
