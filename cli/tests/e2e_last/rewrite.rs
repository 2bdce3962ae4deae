//! A recording with other events: what a test needs that wants to see a replay
//! diverge. Checksums are made anew, so that only the player can notice.

use std::collections::BTreeSet;
use std::iter::once;
use std::path::Path;

use reprise_process_events::{Event, OMITTED, PAGE, wire};
use reprise_recording::pages::Page;
use reprise_recording::{Manifest, Recording, Writer};

/// Copies a recording, each event and each page as `edit` leaves it.
pub(crate) fn rewrite(
    from: &Path,
    to: &Path,
    edit: impl FnMut(&mut Event),
    mut edit_page: impl FnMut(u64, &mut Page),
) {
    let keeps = |address, page: &mut Page| {
        edit_page(address, page);
        true
    };
    rewrite_without(from, to, edit, keeps);
}

/// The same; a page for which `keeps` returns false is left out.
pub(crate) fn rewrite_without(
    from: &Path,
    to: &Path,
    edit: impl FnMut(&mut Event),
    keeps: impl FnMut(u64, &mut Page) -> bool,
) {
    let recording = Recording::open(from).unwrap();
    let manifest = recording.manifest().clone();
    copy(&recording, &manifest, to, edit, keeps);
}

/// Copies a recording with another manifest.
pub(crate) fn rewrite_manifest(from: &Path, to: &Path, edit: impl FnOnce(&mut Manifest)) {
    let recording = Recording::open(from).unwrap();
    let mut manifest = recording.manifest().clone();
    edit(&mut manifest);
    copy(&recording, &manifest, to, |_| {}, |_, _| true);
}

fn copy(
    recording: &Recording,
    manifest: &Manifest,
    to: &Path,
    mut edit: impl FnMut(&mut Event),
    mut keeps: impl FnMut(u64, &mut Page) -> bool,
) {
    let writer = Writer::create(to, manifest).unwrap();
    for (id, info) in recording.streams() {
        let mut stream = writer.stream(info).unwrap();
        let mut maps = BTreeSet::new();
        let mut events = recording.events(id, 0).unwrap();
        while let Some(event) = events.next().unwrap() {
            maps.insert(event.segment);
            stream.segment(event.segment).unwrap();
            let mut value = wire::read(event.payload).unwrap();
            if let Event::Call(call) = &value {
                maps.extend(call.content.map(|content| content.map));
            }
            edit(&mut value);
            let mut bytes = Vec::new();
            wire::write(&value, &mut bytes);
            stream.append(&bytes).unwrap();
        }
        let mut pages = recording.pages();
        for map in maps {
            let mut copy = writer.page_map(info.process, map);
            let left_out = pages.addresses(info.process, map | OMITTED).unwrap();
            let mut left_out: BTreeSet<u64> = left_out.into_iter().collect();
            for address in pages.addresses(info.process, map).unwrap() {
                let mut page = pages.get(info.process, map, address).unwrap().unwrap();
                if keeps(address, &mut page) {
                    copy.insert(address, &page).unwrap();
                    continue;
                }
                // Where one range ends and another begins there is none.
                for bound in once(address).chain(once(address + PAGE)) {
                    if !left_out.remove(&bound) {
                        left_out.insert(bound);
                    }
                }
            }
            copy.finish().unwrap();
            let mut bounds = writer.page_map(info.process, map | OMITTED);
            for bound in left_out {
                bounds.insert(bound, &[0; PAGE as usize]).unwrap();
            }
            bounds.finish().unwrap();
        }
    }
    let closing = recording.closing().cloned().unwrap_or_default();
    writer.finish(closing).unwrap();
}
