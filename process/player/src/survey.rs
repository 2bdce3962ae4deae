//! A look through a segment before it is played: what it ever maps, where it
//! ever has code, and when that changes.

use nix::libc;
use reprise_process_events::{Call, Ending, Event, PAGE, Position};
use reprise_recording::{Recording, Source};
use reprise_syscalls::is_error;

use crate::PlayError;
use crate::blank::Blank;
use crate::count::Rooms;
use crate::mapping::drops_pages;
use crate::source::{self, Segment};
use crate::space::Space;

const EXECUTABLE: u64 = libc::PROT_EXEC as u64;
const ACCESSIBLE: u64 = (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) as u64;

/// What a segment does to its address space.
#[derive(Debug)]
pub(crate) struct Survey {
    /// All that is ever mapped.
    pub(crate) used: Space,
    /// What is ever mapped so that nobody can access it.
    closed: Space,
    /// What is ever mapped otherwise, or changed.
    touched: Space,
    /// Where there is ever something to execute.
    pub(crate) code: Vec<(u64, u64)>,
    /// The events that change what is at an address, in order, with from where
    /// to where.
    changes: Vec<(u64, u64, u64)>,
    /// The events at which another thread runs, in order.
    turns: Vec<Turn>,
    /// The events that are pauses, in order.
    pauses: Vec<u64>,
    /// The last event.
    pub(crate) last: u64,
    /// How the run ended, if that was recorded.
    pub(crate) ending: Option<Ending>,
}

/// Another thread runs.
#[derive(Clone, Copy, Debug)]
struct Turn {
    event: u64,
    /// Who ran before, if that one goes on later.
    from: Option<u32>,
    to: u32,
    /// The one before has begun a call.
    called: bool,
}

impl Survey {
    pub(crate) fn of<S: Source>(
        recording: &Recording<S>,
        segment: &Segment,
    ) -> Result<Self, PlayError> {
        let mut survey = Self {
            used: Space::default(),
            closed: Space::default(),
            touched: Space::default(),
            code: Vec::new(),
            changes: Vec::new(),
            turns: Vec::new(),
            pauses: Vec::new(),
            last: segment.first,
            ending: None,
        };
        for region in &segment.start.regions {
            survey.used.map(region.start, region.end, 0);
            survey.opens(region.start, region.end, region.protection.into());
            if u64::from(region.protection) & EXECUTABLE != 0 {
                survey.code.push((region.start, region.end));
            }
        }
        let threads = segment.start.threads.as_ref();
        let mut running = Some(threads.map_or(segment.process, |threads| threads.running));
        let mut events = recording.events(segment.stream, segment.first + 1)?;
        while let Some(event) = events.next()? {
            let number = event.number;
            survey.last = number;
            match source::read(number, event.payload, None)? {
                Event::Call(call) => survey.call(number, &call, segment.start.brk),
                Event::End(end) => survey.ending = Some(end.ending),
                Event::Exit(_) => running = None,
                Event::Pause(_) => survey.pauses.push(number),
                Event::Views(views) => {
                    let all = views.iter();
                    let changes = all.map(|view| (number, view.start, view.end));
                    survey.changes.extend(changes);
                    for view in &views {
                        survey.touched.map(view.start, view.end, 0);
                    }
                }
                Event::Switch(switch) => {
                    survey.turns.push(Turn {
                        event: number,
                        from: running.replace(switch.thread),
                        to: switch.thread,
                        called: switch.at == Position::AtCall,
                    });
                }
                _ => {}
            }
        }
        Ok(survey)
    }

    fn call(&mut self, event: u64, call: &Call, brk: u64) {
        let argument = |index: usize| call.arguments.get(index).copied().unwrap_or(0);
        if is_error(call.result) {
            return;
        }
        match call.number.cast_signed() {
            libc::SYS_mmap => {
                self.map(event, call.result, argument(1), argument(2));
            }
            libc::SYS_shmat => self.map(event, call.result, argument(3), EXECUTABLE),
            libc::SYS_shmdt => self.change(event, argument(0), argument(1)),
            libc::SYS_mremap => {
                self.change(event, argument(0), argument(1));
                // What it was may have been code.
                self.map(event, call.result, argument(2), EXECUTABLE);
            }
            libc::SYS_brk if call.result > brk => {
                self.map(event, brk & !(PAGE - 1), call.result - brk, 0);
            }
            libc::SYS_mprotect => {
                self.change(event, argument(0), argument(1));
                if argument(2) & EXECUTABLE != 0 {
                    let (start, end) = pages(argument(0), argument(1));
                    self.code.push((start, end));
                }
            }
            libc::SYS_munmap => {
                self.change(event, argument(0), argument(1));
                // What is taken away there, if it was never mapped, must not be
                // anybody else's.
                let (start, end) = pages(argument(0), argument(1));
                self.used.map(start, end, 0);
            }
            libc::SYS_madvise => {
                let (start, end) = pages(argument(0), argument(1));
                self.changes.push((event, start, end));
                if drops_pages(argument(2)) {
                    self.touched.map(start, end, 0);
                }
            }
            _ => {}
        }
    }

    fn map(&mut self, event: u64, start: u64, len: u64, protection: u64) {
        let (start, end) = pages(start, len);
        self.used.map(start, end, 0);
        self.opens(start, end, protection);
        self.changes.push((event, start, end));
        if protection & EXECUTABLE != 0 {
            self.code.push((start, end));
        }
    }

    fn change(&mut self, event: u64, start: u64, len: u64) {
        let (start, end) = pages(start, len);
        self.changes.push((event, start, end));
        self.touched.map(start, end, 0);
    }

    /// Something is mapped like this.
    fn opens(&mut self, start: u64, end: u64, protection: u64) {
        match protection & ACCESSIBLE {
            0 => self.closed.map(start, end, 0),
            _ => self.touched.map(start, end, 0),
        }
    }

    /// Room for counting in a process, where the segment has nothing, or nothing that
    /// anybody can ever access: programs reserve all low addresses, so that nothing is
    /// there.
    pub(crate) fn rooms(&self, blank: &Blank) -> Option<Rooms> {
        let mut used = self.used.clone();
        let (start, end) = blank.pages();
        used.map(start, end, 0);
        Rooms::find(&used, &self.code).or_else(|| {
            let mut reserved = self.closed.clone();
            for touched in self.touched.all() {
                reserved.unmap(touched.start, touched.end);
            }
            reserved.unmap(start, end);
            for reserved in reserved.all() {
                used.unmap(reserved.start, reserved.end);
            }
            Rooms::find(&used, &self.code)
        })
    }

    /// Whether an event is a pause.
    pub(crate) fn is_pause(&self, event: u64) -> bool {
        self.pauses.binary_search(&event).is_ok()
    }

    /// Whether there is any pause.
    pub(crate) fn has_pauses(&self) -> bool {
        !self.pauses.is_empty()
    }

    /// The next event behind another at which a thread has its turn.
    pub(crate) fn next_turn(&self, thread: u32, behind: u64) -> Option<u64> {
        let first = self.turns.partition_point(|turn| turn.event <= behind);
        let mut turns = self.turns[first..].iter();
        turns.find(|turn| turn.to == thread).map(|turn| turn.event)
    }

    /// The last event up to another at which a thread's turn was over, and
    /// whether it had begun a call.
    pub(crate) fn last_turn(&self, thread: u32, upto: u64) -> Option<(u64, bool)> {
        let end = self.turns.partition_point(|turn| turn.event <= upto);
        let mut turns = self.turns[..end].iter().rev();
        let over = turns.find(|turn| turn.from == Some(thread));
        over.map(|turn| (turn.event, turn.called))
    }

    /// What changes between two events, the first of them not included.
    pub(crate) fn changes(&self, one: u64, other: u64) -> impl Iterator<Item = (u64, u64)> {
        let (from, to) = (one.min(other), one.max(other));
        let first = self.changes.partition_point(|(event, ..)| *event <= from);
        let changes = self.changes[first..].iter();
        changes
            .take_while(move |(event, ..)| *event <= to)
            .map(|&(_, start, end)| (start, end))
    }
}

fn pages(start: u64, len: u64) -> (u64, u64) {
    let start = start & !(PAGE - 1);
    let end = start.saturating_add(len).saturating_add(PAGE - 1) & !(PAGE - 1);
    (start, end.max(start))
}
