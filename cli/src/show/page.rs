//! The view of a recording for people: what it is and how it ended first, then
//! what happened last, then what to do next.

use std::fmt::Write as _;

use reprise_recording::{Closing, CutShort, Ending, Manifest, StreamId};

use super::check::words;
use super::events::Columns;
use super::{Overview, processes};
use crate::escape::{Lines, escape};
use crate::readable::{count, duration, quoted, signal, size, time};

/// How many streams, frames, places and omissions are listed.
const LISTED: usize = 20;

/// The longest piece of text out of a recording.
const TEXT_BYTES: usize = 500;

/// The view as text. `stream` is the one whose events are shown, if it is only
/// one.
pub fn render(overview: &Overview<'_>, stream: Option<StreamId>) -> String {
    let mut page = Page(String::new());
    page.summary(overview);
    if let Some(closing) = overview.opened.recording.closing() {
        page.failure(closing);
        page.not_recorded(closing);
    }
    page.missing(overview);
    page.processes(overview);
    page.streams(overview);
    page.last_events(overview, stream);
    page.next(overview);
    page.0
}

struct Page(String);

impl Page {
    fn summary(&mut self, overview: &Overview<'_>) {
        let opened = overview.opened;
        let recording = &opened.recording;
        let manifest = recording.manifest();
        let path = opened.path.as_os_str().as_encoded_bytes();
        self.row(
            "recording",
            &format!("{}, {}", text(path), size(recording.file_len())),
        );
        self.row("subject", &text(or_unknown(&manifest.subject)));
        if !manifest.command.is_empty() {
            let words: Vec<_> = manifest
                .command
                .iter()
                .map(|word| quoted(word.as_bytes()))
                .collect();
            self.row("command", &text(&words.join(&b' ')));
        }
        self.row("recorded", &when(manifest, recording.closing()));
        self.row("on", &place(manifest));
        self.row("kind", &kind(manifest));
        self.row("ended", &ended(recording.closing(), opened.in_progress()));
        if let Some(why) = recording.closing().and_then(|c| c.cut_short.as_ref()) {
            self.row("cut short", &cut_short(why));
        }
        let health = &overview.health;
        let streams = recording.streams();
        let events: u64 = streams.map(|(id, _)| overview.events(id)).sum();
        let streams = count(recording.streams().count() as u64, "stream");
        self.row(
            "events",
            &format!("{} in {streams}", count(events, "event")),
        );
        if let Some(kept) = processes::memory(overview) {
            self.row("memory", &kept);
        }
        if !health.is_good() {
            self.row("damage", &format!("{}, see below", health.words()));
        } else if !health.checked {
            let unchecked = "not looked for in a file of this size; --events reads all of it";
            self.row("damage", unchecked);
        }
    }

    fn failure(&mut self, closing: &Closing) {
        let Some(failure) = &closing.failure else {
            return;
        };
        self.heading("Failure");
        self.line(&text(or_unknown(&failure.what)));
        for frame in failure.stack.iter().take(LISTED) {
            self.line(&format!("    {}", text(frame.as_bytes())));
        }
        self.more(failure.stack.len(), "frame");
    }

    fn not_recorded(&mut self, closing: &Closing) {
        if closing.not_recorded.is_empty() {
            return;
        }
        self.heading("Not recorded");
        for omitted in closing.not_recorded.iter().take(LISTED) {
            let what = text(or_unknown(&omitted.what));
            let why = text(or_unknown(&omitted.why));
            let times = match omitted.count {
                0 | 1 => String::new(),
                count => format!(" ({count} times)"),
            };
            self.line(&format!("{what}{times}: {why}"));
        }
        self.more(closing.not_recorded.len(), "omission");
    }

    fn missing(&mut self, overview: &Overview<'_>) {
        let health = &overview.health;
        if health.is_good() {
            return;
        }
        self.heading("Damage");
        for harm in health.damage.iter().take(LISTED) {
            let (start, what) = (harm.damaged.offset, words(&harm.damaged.what));
            let Some(lost) = harm.lost else {
                self.line(&format!("from byte {start} on: {what}"));
                continue;
            };
            let (stream, first, end) = (lost.stream, lost.first, start + lost.bytes);
            self.line(&format!("bytes {start} to {end}: {what}"));
            self.line(&match lost.count {
                1 => format!("  lost: event {first} of stream {stream}"),
                count => {
                    let last = first.saturating_add(u64::from(count) - 1);
                    format!("  lost: events {first} to {last} of stream {stream}")
                }
            });
        }
        self.more(health.damage.len(), "damaged place");
        if let Some(offset) = health.truncated {
            let end = overview.opened.recording.file_len();
            self.line(&format!(
                "the file ends at byte {end}, inside a part that starts at byte {offset}: \
                 what came after is not in it"
            ));
        }
        if health.unknown_chunks > 0 {
            let parts = count(health.unknown_chunks, "part");
            self.line(&format!(
                "{parts} of a kind that only a later reprise can read"
            ));
        }
        if health.checked {
            self.line("Everything else was checked and is as it was written.");
        }
    }

    fn processes(&mut self, overview: &Overview<'_>) {
        let all = processes::of(overview);
        if all.len() < 2 {
            return;
        }
        self.heading("Processes");
        self.line("       process   parent  program           ended");
        for (place, one) in (1..).zip(all.iter().take(LISTED)) {
            let (process, parent) = (one.process.process, one.process.parent);
            let mark = if one.meant { '*' } else { ' ' };
            let program = text(one.process.program.as_bytes());
            let ending = processes::ending(one);
            self.line(&format!(
                "{mark} {place:>3}  {process:>7}  {parent:>7}  {program:16}  {ending}"
            ));
        }
        if let Some(more @ 1..) = all.len().checked_sub(LISTED) {
            self.line(&format!("and {more} more; --json lists all"));
        }
        self.line("* is replayed; another with: reprise replay --process NUMBER");
    }

    fn streams(&mut self, overview: &Overview<'_>) {
        let recording = &overview.opened.recording;
        let total = recording.streams().count();
        if total == 0 {
            return;
        }
        self.heading("Streams");
        let listed = recording.streams().take(LISTED);
        let kinds: Vec<(String, String)> = listed
            .map(|(_, info)| {
                let kind = format!("{} {}", text(info.kind.as_bytes()), info.version);
                (kind, text(info.name.as_bytes()))
            })
            .collect();
        let widest = |texts: &mut dyn Iterator<Item = &String>, least: usize| {
            texts
                .map(|text| text.chars().count())
                .fold(least, usize::max)
                .min(40)
        };
        let kind_width = widest(&mut kinds.iter().map(|(kind, _)| kind), 4);
        self.line(&format!(
            "stream      events  process    thread  {:kind_width$}  name",
            "kind"
        ));
        for ((id, info), (kind, name)) in recording.streams().zip(&kinds) {
            let events = overview.events(id);
            let (id, process, thread) = (id.0, info.process, info.thread);
            let table = if info.table { " (table)" } else { "" };
            self.line(&format!(
                "{id:<6}  {events:>10}  {process:>7}  {thread:>8}  {kind:kind_width$}  {name}{table}"
            ));
        }
        self.more(total, "stream");
    }

    fn last_events(&mut self, overview: &Overview<'_>, stream: Option<StreamId>) {
        let rows = &overview.last.rows;
        if rows.is_empty() {
            return;
        }
        self.heading(&match stream {
            Some(stream) => format!("Last events of stream {stream}"),
            None => "Last events".into(),
        });
        let columns = Columns::of(rows);
        self.line(&columns.heading());
        for row in rows {
            self.line(&columns.line(row));
        }
    }

    fn next(&mut self, overview: &Overview<'_>) {
        self.heading("Next");
        let path = quoted(overview.opened.path.as_os_str().as_encoded_bytes());
        let path = escape(&path, Lines::One);
        let recording = &overview.opened.recording;
        let kinds = [reprise_process_events::RECORDING, reprise_jvm_player::KIND];
        let is_known = kinds.contains(&&*recording.manifest().kind);
        let has_events = recording
            .streams()
            .any(|(stream, _)| recording.event_count(stream) > 0);
        // A replay refuses what is damaged, and needs something to begin with.
        if is_known && has_events && overview.health.damage.is_empty() {
            self.line(&format!("reprise replay {path}           play it again"));
        }
        self.line(&format!("reprise show {path} --events    every event"));
    }

    fn row(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.0, "{name:11}{value}");
    }

    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.0, "\n{text}");
    }

    /// A line whose foreign parts are escaped already.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.0, "  {}", text.trim_end());
    }

    fn more(&mut self, total: usize, thing: &str) {
        if let Some(more @ 1..) = total.checked_sub(LISTED) {
            let more = count(more as u64, &format!("more {thing}"));
            self.line(&format!("and {more}; --json lists all"));
        }
    }
}

/// Text out of a recording, on one line and not too long.
fn text(bytes: &[u8]) -> String {
    match bytes.get(..TEXT_BYTES) {
        Some(start) if bytes.len() > TEXT_BYTES => {
            let (start, len) = (escape(start, Lines::One), bytes.len());
            format!("{start}… ({len} bytes)")
        }
        _ => escape(bytes, Lines::One).to_string(),
    }
}

fn or_unknown(text: &str) -> &[u8] {
    if text.is_empty() {
        b"(not known)"
    } else {
        text.as_bytes()
    }
}

fn when(manifest: &Manifest, closing: Option<&Closing>) -> String {
    let Some(started) = time(manifest.started) else {
        return "(not known)".into();
    };
    let ended = closing.map_or(0, |closing| closing.ended);
    match ended.checked_sub(manifest.started) {
        Some(seconds) => format!("{started}, for {}", duration(seconds)),
        None => started,
    }
}

fn place(manifest: &Manifest) -> String {
    let host = &manifest.host;
    let system = [&host.os, &host.kernel, &host.arch];
    let known: Vec<String> = system
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| text(part.as_bytes()))
        .collect();
    let mut place = known.join(" ");
    if host.cpus > 0 {
        let _ = write!(place, ", {}", count(host.cpus.into(), "core"));
    }
    if place.is_empty() {
        place.push_str("(not known)");
    }
    place
}

fn kind(manifest: &Manifest) -> String {
    let mut kind = text(or_unknown(&manifest.kind));
    for (i, (name, version)) in manifest.versions.iter().take(LISTED).enumerate() {
        let separator = if i == 0 { "; " } else { ", " };
        let (name, version) = (text(name.as_bytes()), text(version.as_bytes()));
        let _ = write!(kind, "{separator}{name} {version}");
    }
    kind
}

fn ended(closing: Option<&Closing>, in_progress: bool) -> String {
    match closing.map(|closing| &closing.ending) {
        None if in_progress => "not yet: it is being recorded".into(),
        None => "not known: the recording stops before its end".into(),
        Some(Ending::Exited { status }) => format!("exited with status {status}"),
        Some(Ending::Killed { signal: number }) => format!("killed by {}", signal(*number)),
        Some(Ending::Running) => "it went on running".into(),
        Some(Ending::Unknown) => match closing.and_then(|closing| closing.cut_short.as_ref()) {
            Some(CutShort::RecorderDied) => "not known: the recorder died first".into(),
            _ => "not known".into(),
        },
    }
}

fn cut_short(why: &CutShort) -> String {
    match why {
        CutShort::Stopped { by } => format!("stopped by {}", text(or_unknown(by))),
        CutShort::DiskFull => "the disk was full".into(),
        CutShort::WriteFailed { error } => {
            format!("the file could not be written: {}", text(or_unknown(error)))
        }
        CutShort::RecorderDied => "the recorder died; what was in its spool has been saved".into(),
        CutShort::RecorderSilent => {
            "the recorder did not answer, so the subject went on without it".into()
        }
        CutShort::Unknown => "for a reason that only a later reprise knows".into(),
    }
}
