//! `reprise show`: what a recording says.

use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use reprise_recording::{Damaged, StreamId};

use crate::failure::{Failure, Status};
use crate::json_text;
use crate::replay::is_schedule;
use crate::say::say;
use crate::show::events::{self, EventsError, Format, Selection};
use crate::show::open::{self, Opened};
use crate::show::{Overview, check, json, last, page, schedule};

/// Show what a recording holds: how it ended, the failure, the last events
///
/// A schedule is shown as what it explains: who runs, and where each thread stops, with
/// source lines. A recording whose recorder was killed is completed from its spool first. One
/// that is damaged or cut off is shown as far as it goes, with what is missing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise show                                the latest recording in this folder
  reprise show x.reprise --limit 50           with its last 50 events
  reprise show x.reprise --events | less      every event
  reprise show x.reprise --events --stream 2 --from 1000 --limit 20
  reprise show x.reprise --json | jq '.ended.failure.what'
  reprise show x.reprise --events --json | jq -r '.payload.text'
  reprise show bug.sched                      a schedule as a story: who stops where

Exit status:
  0  shown, even when a part of it is missing
  2  there is no such recording, or nothing of it can be read")]
pub(super) struct Show {
    /// The recording; without it, the latest one in the current folder
    file: Option<PathBuf>,

    /// Print every event in global order, one per line
    ///
    /// The columns are the stream, the event's number in it, its stamp (the
    /// place of its slice in the global order), its segment, "private" where a
    /// stand-in was recorded, and what it says.
    #[arg(long)]
    events: bool,

    /// Print one JSON object, or with --events one per line
    ///
    /// The object has the fields `format` (1), `file`, `bytes`, `state`, `kind`,
    /// `subject`, `command`, `host`, `started`, `ended`, `events`, `streams`,
    /// `last_events`, `damage`, `truncated` and more. An event has `stream`,
    /// `number`, `stamp`, `segment`, `private`, `kind`, and its whole `payload`
    /// as either `text` or `hex`, and for a JVM what it `says`; a part that cannot be read is an object with
    /// `damaged_at` and `what`. New fields may be added; these keep their
    /// meaning while `format` is 1.
    #[arg(long)]
    json: bool,

    /// Only the events of stream N
    #[arg(long, value_name = "N")]
    stream: Option<u32>,

    /// With --events: start at event N of the stream; of all streams, at the
    /// event that has N others before it
    #[arg(long, value_name = "N", requires = "events")]
    from: Option<u64>,

    /// At most N events: the first with --events, otherwise the last [default:
    /// 10, or all with --events]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// For the source lines of a schedule that has none in it: a jar or a folder of the
    /// program's classes; may be given several times
    #[arg(long, value_name = "PATH")]
    program: Vec<PathBuf>,
}

/// How many of the last events are shown.
const LAST: u64 = 10;

impl Show {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let path = match &self.file {
            Some(file) => file.clone(),
            None => {
                let latest = open::latest()?;
                say(&format!("showing {}", latest.display()));
                latest
            }
        };
        if is_schedule(&path) {
            return self.schedule(&path);
        }
        let opened = open::open(path)?;
        if let Some(note) = opened.note() {
            say(&note);
        }
        let stream = self.stream.map(StreamId);
        if let Some(stream) = stream
            && !opened.recording.streams().any(|(id, _)| id == stream)
        {
            return Err(no_stream(&opened, stream));
        }
        if self.events {
            self.events(&opened, stream)
        } else {
            self.overview(&opened, stream)
        }
    }

    fn schedule(&self, path: &Path) -> Result<Status, Failure> {
        let only_recordings = [
            ("--events", self.events),
            ("--stream", self.stream.is_some()),
            ("--limit", self.limit.is_some()),
        ];
        if let Some((option, _)) = only_recordings.iter().find(|(_, given)| *given) {
            let wrong = format!("it is a schedule, and {option} is for recordings");
            let failure = Failure::new(format!("show {}", path.display()), wrong);
            return Err(failure
                .next(format!("reprise show {}", path.display()))
                .status(Status::BadInput));
        }
        schedule::show(path, &self.program, self.json)
    }

    fn overview(&self, opened: &Opened, stream: Option<StreamId>) -> Result<Status, Failure> {
        let unreadable = |error| unreadable(opened, &error);
        let limit = usize::try_from(self.limit.unwrap_or(LAST)).unwrap_or(usize::MAX);
        let last = last::last(&opened.recording, stream, limit).map_err(unreadable)?;
        let mut health = check::check(&opened.path, &opened.recording).map_err(unreadable)?;
        health.add(&opened.recording, &last.damage);
        if opened.in_progress() {
            // The part at the end is being written; nothing is cut off.
            health.truncated = None;
        }
        let overview = Overview {
            opened,
            health,
            last,
        };
        let mut out = io::stdout().lock();
        if self.json {
            let mut out = BufWriter::new(out);
            json_text::write_pretty(&mut out, &json::render(&overview))
                .and_then(|()| out.flush())
                .map_err(Failure::output)?;
        } else {
            let text = page::render(&overview, stream);
            out.write_all(text.as_bytes()).map_err(Failure::output)?;
        }
        Ok(Status::Done)
    }

    fn events(&self, opened: &Opened, stream: Option<StreamId>) -> Result<Status, Failure> {
        let selection = Selection {
            stream,
            from: self.from.unwrap_or(0),
            limit: self.limit,
        };
        let format = if self.json {
            Format::Json
        } else {
            Format::Text
        };
        let recording = &opened.recording;
        recording.opened().damage.iter().for_each(warn);
        let heading = format == Format::Text && io::stdout().is_terminal();
        let mut out = BufWriter::with_capacity(64 << 10, io::stdout().lock());
        if heading {
            writeln!(out, "{}", events::Columns::WIDE.heading()).map_err(Failure::output)?;
        }
        let written = events::write(recording, selection, format, &mut out, warn);
        match written {
            Ok(()) => {}
            Err(EventsError::Write(error)) => return Err(Failure::output(error)),
            Err(EventsError::Read(error)) => return Err(unreadable(opened, &error)),
        }
        if let Some(offset) = recording.opened().truncated
            && !opened.in_progress()
        {
            say(&format!(
                "the file is cut off inside a part that starts at byte {offset}; \
                 what came after is not in it"
            ));
        }
        Ok(Status::Done)
    }
}

/// Says that a part of the recording cannot be shown.
fn warn(damaged: &Damaged) {
    let what = check::words(&damaged.what);
    say(&format!(
        "damage at byte {}: {what}; the events that stood there are lost",
        damaged.offset
    ));
}

fn unreadable(opened: &Opened, error: &io::Error) -> Failure {
    Failure::new(format!("read {}", opened.path.display()), error).status(Status::BadInput)
}

fn no_stream(opened: &Opened, stream: StreamId) -> Failure {
    let streams = opened.recording.streams();
    let last = streams.map(|(id, _)| id.0).max();
    let wrong = match last {
        Some(last) => format!("there is no stream {stream}; they are numbered 1 to {last}"),
        None => format!("there is no stream {stream}; it has none"),
    };
    Failure::new(format!("show {}", opened.path.display()), wrong).status(Status::BadInput)
}
