//! The state at the start of a segment, put into a blank process.

use nix::errno::Errno;
use nix::libc;
use reprise_process_events::{OMITTED, PAGE, State};
use reprise_recording::{Recording, Source};
use reprise_syscalls::is_error;

use crate::blank::Blank;
use crate::source::Segment;
use crate::space::Space;
use crate::supply::Supply;
use crate::views::Joiner;
use crate::{ADDRESSES, PlayError};

const WRITABLE: u32 = (libc::PROT_READ | libc::PROT_WRITE) as u32;

/// How `mmap` makes memory with nothing behind it at a place of our choice.
pub(crate) const ANONYMOUS: u64 =
    (libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as u64;

/// How `mmap` makes memory that copies of the process share, and that can be mapped again.
pub(crate) const SHARED: u64 =
    (libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as u64;

/// Maps the regions, writes the pages, sets the registers. `rooms` are ranges
/// that the recording does not use and its copies share with it. With a `supply`
/// no pages are written but left for later, and the blank process keeps its own.
pub(crate) fn load<S: Source>(
    recording: &Recording<S>,
    segment: &Segment,
    blank: &Blank,
    rooms: &[(u64, u64)],
    supply: Option<&mut dyn Supply>,
) -> Result<Space, PlayError> {
    let all = u64::from(WRITABLE) | libc::PROT_EXEC as u64;
    for (start, end) in rooms {
        let arguments = [*start, end - start, all, SHARED, u64::MAX, 0];
        check(segment.first, blank.call(libc::SYS_mmap, arguments)?)?;
    }
    let mut space = map_regions(segment, blank, rooms)?;
    let stays = supply.is_some();
    match supply {
        Some(supply) => {
            for (start, end) in supply.ranges(segment.number) {
                space.omit(start, end, segment.number);
            }
        }
        None => {
            write_pages(recording, segment, blank, &space)?;
            for (start, end) in omitted(recording, segment.process, segment.number)? {
                space.omit(start, end, segment.number);
            }
        }
    }
    for range in space.all() {
        let arguments = [
            range.start,
            range.end - range.start,
            u64::from(range.protection),
            0,
            0,
            0,
        ];
        check(segment.first, blank.call(libc::SYS_mprotect, arguments)?)?;
    }
    for (start, end, _) in space.missing(0, u64::MAX) {
        let arguments = [start, end - start, 0, 0, 0, 0];
        check(segment.first, blank.call(libc::SYS_mprotect, arguments)?)?;
    }
    let call = |number, arguments| blank.call(number, arguments);
    let joiner = Joiner::new(blank.tracee, &call, segment.first, blank.memory);
    joiner.join(&mut space, &segment.start.views)?;
    if !stays {
        blank.leave()?;
    }
    set_state(blank, &segment.start.state)?;
    Ok(space)
}

fn map_regions(segment: &Segment, blank: &Blank, rooms: &[(u64, u64)]) -> Result<Space, PlayError> {
    let mut space = Space::around(rooms);
    let mut below = PAGE;
    for region in &segment.start.regions {
        let aligned = region.start.is_multiple_of(PAGE) && region.end.is_multiple_of(PAGE);
        let fits = below <= region.start && region.start < region.end && region.end <= ADDRESSES;
        if !aligned || !fits {
            let (start, end) = (region.start, region.end);
            return Err(PlayError::Unplayable {
                event: segment.first,
                what: format!("its regions make no sense at {start:#x}-{end:#x}"),
            });
        }
        below = region.end;
        // What was only reserved may be more than there can ever be.
        let protection = if region.protection & 7 == 0 {
            0
        } else {
            WRITABLE
        };
        for (start, end) in space.but_for_rooms(region.start, region.end) {
            let protection = u64::from(protection);
            let arguments = [start, end - start, protection, ANONYMOUS, u64::MAX, 0];
            check(segment.first, blank.call(libc::SYS_mmap, arguments)?)?;
            space.map(start, end, region.protection & 7);
        }
    }
    Ok(space)
}

fn write_pages<S: Source>(
    recording: &Recording<S>,
    segment: &Segment,
    blank: &Blank,
    space: &Space,
) -> Result<(), PlayError> {
    let mut pages = recording.pages();
    for address in pages.addresses(segment.process, segment.number)? {
        if space
            .within(address, address.saturating_add(PAGE))
            .is_empty()
        {
            return Err(PlayError::Unplayable {
                event: segment.first,
                what: format!("a page at {address:#x} is in no region"),
            });
        }
        if let Some(page) = pages.get(segment.process, segment.number, address)? {
            // Nobody may access it, and it has something in it.
            let forced = |_| blank.tracee.write_code(address, &page);
            blank.tracee.write(address, &page).or_else(forced)?;
        }
    }
    Ok(())
}

/// The ranges of a page map whose pages were left out of the recording.
pub(crate) fn omitted<S: Source>(
    recording: &Recording<S>,
    process: u32,
    map: u32,
) -> Result<Vec<(u64, u64)>, PlayError> {
    let bounds = recording.pages().addresses(process, map | OMITTED)?;
    let (ranges, rest) = bounds.as_chunks::<2>();
    if !rest.is_empty() {
        let what = "the last range that was left out has no end".to_owned();
        return Err(PlayError::Unplayable { event: 0, what });
    }
    Ok(ranges.iter().map(|[start, end]| (*start, *end)).collect())
}

/// Sets all registers, as far as the processor here has those of the recording.
fn set_state(blank: &Blank, state: &State) -> Result<(), PlayError> {
    let here = blank.tracee.state()?.extended.len();
    let recorded = state.extended.len();
    if here != recorded {
        return Err(PlayError::Processor { recorded, here });
    }
    let mut state = state.clone();
    state.registers.set_orig_rax(u64::MAX);
    Ok(blank.tracee.set_state(&state)?)
}

/// The result of a call that was made in the process's name.
pub(crate) fn check(event: u64, result: u64) -> Result<(), PlayError> {
    if !is_error(result) {
        return Ok(());
    }
    let errno = Errno::from_raw(i32::try_from(result.wrapping_neg()).unwrap_or(0));
    if errno == Errno::ENOMEM {
        return Err(PlayError::Limit("its memory"));
    }
    let what = format!("memory cannot be mapped: {}", errno.desc());
    Err(PlayError::Unplayable { event, what })
}
