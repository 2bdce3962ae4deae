//! The recording while it is made: events and pages go in as they come, and
//! what could not be recorded is remembered for the end.

use std::fs::File;
use std::time::{Duration, Instant};

use reprise_process_events::{Event, FIRST_CONTENT, KIND, PAGE, VERSION, wire};
use reprise_recording::{
    Closing, CutShort, Finished, Manifest, NotRecorded, StreamInfo, StreamWriter, WriteError,
    Writer, pages::PageMapWriter,
};

use crate::alarm::Alarm;

/// How long an event may wait in this process, where a kill would lose it.
const FLUSH: Duration = Duration::from_millis(100);

/// A recording of one process with one thread.
pub(crate) struct Log {
    writer: Writer,
    stream: StreamWriter,
    process: u32,
    segment: Option<u32>,
    contents: u32,
    bytes: Vec<u8>,
    flushed: Instant,
    alarm: Alarm,
    limit: u64,
    not_recorded: Vec<NotRecorded>,
}

impl Log {
    pub(crate) fn start(
        file: File,
        manifest: &Manifest,
        process: u32,
        limit: u64,
    ) -> Result<Self, WriteError> {
        let writer = Writer::start(file, manifest)?;
        let stream = writer.stream(&StreamInfo {
            process,
            thread: u64::from(process),
            kind: KIND.to_owned(),
            version: VERSION,
            name: manifest.subject.clone(),
            ..StreamInfo::default()
        })?;
        Ok(Self {
            writer,
            stream,
            process,
            segment: None,
            contents: 0,
            bytes: Vec::new(),
            flushed: Instant::now(),
            alarm: Alarm::new(FLUSH),
            limit,
            not_recorded: Vec::new(),
        })
    }

    pub(crate) fn append(&mut self, event: &Event) -> Result<(), WriteError> {
        self.bytes.clear();
        wire::write(event, &mut self.bytes);
        self.stream.append(&self.bytes)?;
        if self.flushed.elapsed() >= FLUSH {
            return self.flush();
        }
        self.alarm.set();
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<(), WriteError> {
        self.flushed = Instant::now();
        self.alarm.stop();
        self.stream.flush()
    }

    /// Begins the next segment; its pages go into the map.
    pub(crate) fn segment(&mut self) -> Result<PageMapWriter, WriteError> {
        let segment = self.segment.map_or(0, |segment| segment + 1);
        self.stream.segment(segment)?;
        self.segment = Some(segment);
        Ok(self.writer.page_map(self.process, segment))
    }

    /// Begins a page map for what a mapped file brings in.
    pub(crate) fn content(&mut self) -> (u32, PageMapWriter) {
        let number = FIRST_CONTENT + self.contents;
        self.contents += 1;
        (number, self.writer.page_map(self.process, number))
    }

    /// Whether the recording has grown beyond what the user allows.
    pub(crate) fn is_full(&self) -> bool {
        self.writer.file_len() > self.limit
    }

    /// Remembers what is not recorded.
    pub(crate) fn note(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let (what, why) = (what.into(), why.into());
        let known = self
            .not_recorded
            .iter_mut()
            .find(|note| note.what == what && note.why == why);
        match known {
            Some(note) => note.count += 1,
            None => self.not_recorded.push(NotRecorded {
                what,
                why,
                count: 1,
            }),
        }
    }

    /// Nothing more is recorded, for this reason.
    pub(crate) fn cut_short(&mut self, why: CutShort) {
        // What fails here has ended the recording already.
        let _ = self.flush();
        self.writer.cut_short(why);
    }

    pub(crate) fn finish(self, mut closing: Closing) -> Result<(Closing, Finished), WriteError> {
        closing.not_recorded = self.not_recorded;
        drop(self.stream);
        let finished = self.writer.finish(closing.clone())?;
        closing.cut_short.clone_from(&finished.cut_short);
        Ok((closing, finished))
    }
}

/// A page as the page maps take it.
pub(crate) type Page = [u8; PAGE as usize];
