//! After a death: what a spool still holds becomes part of its recording.

use super::{
    create::{Spool, SpoolError, spool_path},
    drain::Drainer,
    known::Resume,
};
use crate::{
    damage::{OpenError, ReadError},
    manifest::{Closing, CutShort},
    reader::Recording,
    stream::StreamId,
    writer::{Finished, WriteError, Writer},
};
use std::{collections::BTreeMap, io, path::Path};

/// Why a recording could not be completed. It is as readable as before.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// Its spool cannot be used.
    #[error("its spool cannot be read: {0}")]
    Spool(#[source] SpoolError),
    /// The recording cannot be added to.
    #[error("what its spool holds cannot be added: {0}")]
    Write(#[source] WriteError),
}

/// What there was to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// There is no spool: the recording is all there is.
    Nothing,
    /// A recorder is at work.
    InProgress,
    /// So much was added.
    Added(Finished),
}

/// Completes a recording whose recorder has died. Call it before opening one.
pub fn recover(recording: &Path) -> Result<Recovered, RecoverError> {
    let spool = match Spool::open(&spool_path(recording)) {
        Ok(spool) => spool,
        Err(SpoolError::Busy) => return Ok(Recovered::InProgress),
        Err(SpoolError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Recovered::Nothing);
        }
        Err(error) => return Err(RecoverError::Spool(error)),
    };
    let (writer, reader) = match Writer::reopen(recording) {
        Ok(opened) => opened,
        Err(WriteError::Busy) => return Ok(Recovered::InProgress),
        Err(error) => return Err(RecoverError::Write(error)),
    };
    complete(spool, writer, &reader)
        .map(Recovered::Added)
        .map_err(RecoverError::Write)
}

fn complete(spool: Spool, writer: Writer, reader: &Recording) -> Result<Finished, WriteError> {
    let mut streams = BTreeMap::new();
    for (id, _) in reader.streams() {
        streams.insert(id, resume(reader, id)?);
    }
    let closing = reader.closing().cloned().unwrap_or_else(|| Closing {
        cut_short: Some(CutShort::RecorderDied),
        ..Closing::default()
    });
    let rings = spool.rings();
    let mut drainer = Drainer::after_the_end(spool, writer);
    for ring in 0..rings {
        drainer.resume(ring, &streams);
    }
    let empty = reader.streams().filter(|(id, _)| streams[id].next == 0);
    drainer.adopt(empty.map(|(id, info)| (id, info.clone())));
    drainer.complete(closing)
}

/// Where a stream goes on, from what the recording has of it.
fn resume(reader: &Recording, id: StreamId) -> Result<Resume, WriteError> {
    let mut resume = Resume {
        next: reader.next_number(id),
        stamp: 0,
        segment: 0,
    };
    let Some(last) = reader.chunks(id).last() else {
        return Ok(resume);
    };
    resume.segment = last.segment;
    resume.stamp = last.stamp;
    let mut events = match reader.events(id, last.first) {
        Ok(events) => events,
        Err(ReadError::Io(error)) => return Err(OpenError::Io(error).into()),
        Err(_) => return Ok(resume),
    };
    // A damaged chunk leaves the stamp of its first event.
    while let Ok(Some(event)) = events.next() {
        resume.stamp = event.stamp;
    }
    Ok(resume)
}
