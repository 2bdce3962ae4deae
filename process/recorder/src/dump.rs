//! A dump: what is kept of the run goes into a file. It happens beside the
//! subject, which goes on or has ended.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reprise_process_events::{Event, KIND, Start, VERSION, wire};
use reprise_recording::{
    Closing, CutShort, Ending, Failure, Finished, Manifest, NotRecorded, StreamInfo, WriteError,
    Writer,
};

use crate::build_ids;
use crate::host;
use crate::log::{Contents, Page};
use crate::shadow::Shadow;

/// The last moments up to now.
pub(crate) struct Snapshot {
    pub(crate) manifest: Manifest,
    pub(crate) process: u32,
    pub(crate) segment: u32,
    /// The number of the first event behind the start.
    pub(crate) first: u64,
    pub(crate) began: Instant,
    pub(crate) start: Arc<Start>,
    pub(crate) shadow: Arc<Shadow>,
    pub(crate) events: Vec<Arc<Vec<u8>>>,
    pub(crate) contents: Vec<Arc<Contents>>,
    pub(crate) not_recorded: Vec<NotRecorded>,
    pub(crate) cut_short: Option<CutShort>,
}

/// Why a recording is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The subject has ended, in a way that is worth keeping.
    Ended,
    /// It has written something that is a failure, and goes on.
    Wrote,
    /// Somebody asked for it, and the subject goes on.
    Asked,
}

/// Something to be written.
pub struct Dump {
    why: Why,
    snapshot: Snapshot,
    ending: Ending,
    failure: Option<Failure>,
}

/// A finished recording.
#[derive(Debug)]
pub struct Recorded {
    /// How it ended, and what is not in it.
    pub closing: Closing,
    /// How long it is.
    pub finished: Finished,
}

impl Dump {
    pub(crate) fn new(
        why: Why,
        snapshot: Snapshot,
        ending: Ending,
        failure: Option<Failure>,
    ) -> Self {
        Self {
            why,
            snapshot,
            ending,
            failure,
        }
    }

    /// Why it is written.
    #[must_use]
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// How far it reaches back.
    #[must_use]
    pub fn reach(&self) -> Duration {
        self.snapshot.began.elapsed()
    }

    /// Writes it into a file, which must be empty.
    pub fn write(self, file: File) -> Result<Recorded, WriteError> {
        let mut closing = Closing {
            ending: self.ending,
            failure: self.failure,
            ended: host::now(),
            cut_short: self.snapshot.cut_short.clone(),
            not_recorded: self.snapshot.not_recorded.clone(),
        };
        let mut manifest = self.snapshot.manifest.clone();
        let regions = &self.snapshot.start.regions;
        let read = |address, into: &mut [u8]| self.snapshot.shadow.read(address, into);
        manifest.build_ids = build_ids::all(regions, read);
        let writer = Writer::start(file, &manifest)?;
        self.snapshot.write(&writer)?;
        let finished = writer.finish(closing.clone())?;
        closing.cut_short.clone_from(&finished.cut_short);
        Ok(Recorded { closing, finished })
    }
}

impl Snapshot {
    fn write(&self, writer: &Writer) -> Result<(), WriteError> {
        let mut stream = writer.stream(&StreamInfo {
            process: self.process,
            thread: u64::from(self.process),
            kind: KIND.to_owned(),
            version: VERSION,
            name: self.manifest.subject.clone(),
            ..StreamInfo::default()
        })?;
        stream.segment(self.segment)?;
        let mut map = writer.page_map(self.process, self.segment);
        self.shadow
            .all_pages(|address, page: &mut Page| map.insert(address, page))?;
        if !self.shadow.is_there() {
            let lost = "the system took the memory of the segment's start";
            return Err(WriteError::Io(io::Error::other(lost)));
        }
        map.finish()?;
        for contents in &self.contents {
            let mut map = writer.page_map(self.process, contents.number);
            for (address, page) in &contents.pages {
                map.insert(*address, page)?;
            }
            map.finish()?;
        }
        // The start has the number before that of the first event: it is where
        // the event before has led to.
        stream.skip_to(self.first - 1)?;
        let mut bytes = Vec::new();
        wire::write(&Event::Start(Start::clone(&self.start)), &mut bytes);
        stream.append(&bytes)?;
        for piece in &self.events {
            let mut rest = &piece[..];
            while let Some((len, after)) = rest.split_first_chunk() {
                let len = u32::from_le_bytes(*len) as usize;
                let (event, after) = after.split_at_checked(len).unwrap_or((after, &[]));
                stream.append(event)?;
                rest = after;
            }
        }
        stream.flush()
    }
}
