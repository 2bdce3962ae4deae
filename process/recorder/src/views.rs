//! Memory that a process has at several addresses, as compilers in programs have their code
//! and ring buffers their data: what it writes at one of them it reads at the others. A
//! replay has to know which addresses these are, at the start and when they change.

use nix::libc;
use reprise_process_events::{Event, VIEWS, View};

use crate::files::Files;
use crate::maps::Mapped;
use crate::session::Session;

const WRITABLE: u32 = libc::PROT_WRITE as u32;

/// What a process has at several addresses.
#[derive(Clone, Default)]
pub(crate) struct Views {
    all: Vec<View>,
    /// The log does not say so yet.
    untold: bool,
    /// It has also mapped for itself what it writes to.
    owns: bool,
}

impl Views {
    /// Whether there is any.
    pub(crate) fn any(&self) -> bool {
        !self.all.is_empty()
    }
}

impl Session {
    /// The address space has changed.
    pub(crate) fn find_views(&mut self, mapped: &[Mapped]) {
        let all = views(mapped, &mut self.shared.files.borrow_mut());
        if all.len() >= VIEWS {
            let why = "it is at so many addresses that not all of them are kept";
            self.log.note("shared memory", why);
        }
        let known = &mut self.sharing.views;
        // What is no more a replay forgets by itself.
        known.untold |= all.iter().any(|view| !known.all.contains(view));
        known.all = all;
        if has_own(mapped) && !std::mem::replace(&mut known.owns, true) {
            let why = "it is also mapped for the process alone, where changes are seen late";
            self.log.note("shared memory", why);
        }
    }

    /// A call has mapped something there. A replay has it for itself until it is told.
    pub(crate) fn has_mapped_over(&mut self, start: u64, end: u64) {
        let known = &mut self.sharing.views;
        let mut all = known.all.iter();
        known.untold |= all.any(|view| view.start < end && start < view.end);
    }

    /// The call that has changed the address space is in the log.
    pub(crate) fn tell_views(&mut self) {
        if std::mem::take(&mut self.sharing.views.untold) {
            let all = self.sharing.views.all.clone();
            self.log.append(&Event::Views(all));
        }
    }
}

/// The ranges of a process that show what another one shows, too, and that anybody writes
/// to. Of those that show the same, the first is kept whatever happens (`in_order`).
pub(crate) fn views(mapped: &[Mapped], files: &mut Files) -> Vec<View> {
    let is_one = |mapped: &&Mapped| mapped.shared && files.has_writer(&mapped.object);
    let mut by_place: Vec<&Mapped> = mapped.iter().filter(is_one).collect();
    by_place.sort_by_key(|mapped| (&mapped.object, mapped.offset));
    let mut several: Vec<&Mapped> = Vec::new();
    let mut furthest: Option<&Mapped> = None;
    for next in by_place {
        let before = furthest.filter(|before| before.object == next.object);
        if let Some(before) = before.filter(|before| next.offset < before.end_in_file()) {
            several.extend([before, next]);
        }
        let is_further = before.is_none_or(|one| one.end_in_file() < next.end_in_file());
        furthest = if is_further { Some(next) } else { before };
    }
    several.sort_by_key(|mapped| in_order(mapped));
    several.dedup_by_key(|mapped| mapped.region.start);
    several.truncate(VIEWS);
    let mut view = |mapped: &Mapped| View {
        start: mapped.region.start,
        end: mapped.region.end,
        object: files.number(&mapped.object),
        offset: mapped.offset,
    };
    several.into_iter().map(&mut view).collect()
}

/// Those that can be written to come first, since their content is copied when a segment
/// begins.
pub(crate) fn in_order(mapped: &Mapped) -> (bool, u64) {
    let is_writable = mapped.region.protection & WRITABLE != 0;
    (!is_writable, mapped.region.start)
}

/// Whether a process has for itself what it also shares and writes to.
fn has_own(mapped: &[Mapped]) -> bool {
    let writes = mapped.iter().filter(|one| one.shared && !in_order(one).0);
    let written: Vec<&Mapped> = writes.collect();
    let mut own = mapped.iter().filter(|one| one.file && !one.shared);
    own.any(|one| {
        written.iter().any(|other| {
            one.object == other.object
                && one.offset < other.end_in_file()
                && other.offset < one.end_in_file()
        })
    })
}

#[cfg(test)]
mod tests {
    use reprise_process_events::Region;

    use super::*;
    use crate::mirror::Object;

    const PAGE: u64 = 4096;

    fn mapped(start: u64, pages: u64, protection: u32, inode: u64, offset: u64) -> Mapped {
        Mapped {
            region: Region {
                start: start * PAGE,
                end: (start + pages) * PAGE,
                protection,
                name: String::new(),
            },
            offset: offset * PAGE,
            shared: true,
            file: true,
            object: Object {
                device: "00:01".to_owned(),
                inode,
                attached: false,
            },
        }
    }

    fn check(all: &[Mapped], expected: &[(u64, u64)]) {
        let mut files = Files::default();
        for one in all
            .iter()
            .filter(|one| one.region.protection & WRITABLE != 0)
        {
            files.is_written(&one.object);
        }
        let found = views(all, &mut files);
        let found: Vec<(u64, u64)> = { found.iter() }
            .map(|view| (view.start / PAGE, view.offset / PAGE))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_what_is_at_several_addresses_is_named() {
        check(&[mapped(1, 4, 3, 7, 0), mapped(9, 4, 3, 8, 0)], &[]);
        check(&[mapped(1, 4, 3, 7, 0), mapped(9, 4, 5, 7, 4)], &[]);
        // Nobody writes to it.
        check(&[mapped(1, 4, 1, 7, 0), mapped(9, 4, 1, 7, 0)], &[]);
        let code = [
            mapped(1, 4, 5, 7, 0),
            mapped(9, 4, 3, 7, 2),
            mapped(20, 1, 1, 7, 8),
        ];
        check(&code, &[(9, 2), (1, 0)]);
        // A long one has all that are in it.
        let parts = [
            mapped(1, 9, 3, 7, 0),
            mapped(20, 1, 1, 7, 1),
            mapped(30, 1, 1, 7, 5),
        ];
        check(&parts, &[(1, 0), (20, 1), (30, 5)]);
    }
}
