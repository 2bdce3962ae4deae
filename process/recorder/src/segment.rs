//! Where a segment begins and where the run ends: the whole state.

use std::time::Instant;

use nix::libc;
use reprise_process_events::{End, Ending, Event, Pause, Position, Start};
use reprise_tracee::{LONG_MODE, Resume, SYSCALL_BYTES, Tracee};

use crate::log::Joint;
use crate::maps;
use crate::session::{Next, Session, Trouble};
use crate::shadow::{self, NoShadow, Parent, Shadow};
use crate::snapshot::Image;
use crate::views;

/// How much of a program's code is searched for an instruction to use.
const CODE: usize = 4 << 20;

impl Session {
    /// A new program stands before its first instruction.
    pub(crate) fn begin_program(&mut self) -> Result<Next, Trouble> {
        self.executed = false;
        self.new_program = true;
        self.borrows = false;
        self.sites.clear();
        self.log.rename(maps::program(self.process));
        if self.thread.tracee.registers()?.cs() != LONG_MODE {
            return Err(Trouble::Unrecordable(
                "the subject is a 32-bit program".to_owned(),
            ));
        }
        self.remove_chance()?;
        self.asking.clear();
        self.make_them_stop(0, u64::MAX)?;
        self.brk = maps::start_of_heap(self.thread.tracee.pid())?;
        self.unforked.clear();
        self.site = find_syscall(self.thread.tracee);
        self.begin_segment(self.site, Joint::Apart)?;
        Ok(Next::Go(Resume::ToCall, 0))
    }

    /// The subject stands right behind a system call and its event: a new
    /// segment begins if it is time.
    pub(crate) fn turn(&mut self, behind: u64) -> Result<(), Trouble> {
        self.site = Some(behind);
        if self.shared.was_disturbed(self.process) && !self.over {
            let why = "another process has written into its memory";
            self.log.note("the time before", why);
            return self.begin_segment(self.site, Joint::Apart);
        }
        if !self.over && self.log.is_due() {
            self.begin_segment(self.site, Joint::Follows)?;
        }
        Ok(())
    }

    /// The subject stands in the middle of a computation, where something happens
    /// to it that was not due. Whether that place can be found again is known when
    /// the recording is written; for that there must be a shadow.
    pub(crate) fn pause(&mut self) -> Result<(), Trouble> {
        let state = self.thread.tracee.state()?;
        self.log.append(&Event::Pause(Pause { state }));
        self.begin_segment(self.site, Joint::Paused)
    }

    /// Keeps the whole state. `behind` is the end of a `syscall` instruction.
    pub(crate) fn begin_segment(
        &mut self,
        behind: Option<u64>,
        joint: Joint,
    ) -> Result<(), Trouble> {
        let before = Instant::now();
        self.thread.due = self.thread.tracee.pending()?;
        if self.borrows {
            return Ok(());
        }
        if self.others.is_one_in_unknown_call() {
            self.log.clear();
            return Ok(());
        }
        let original = Image::of(self.thread.tracee.pid())?;
        let start = Start {
            state: self.thread.state()?,
            brk: self.brk,
            regions: original.regions()?,
            threads: self.threads()?,
            views: views::views(original.mapped(), &mut self.shared.files.borrow_mut()),
        };
        let parent = if self.first && !self.shared.is_attached() {
            Parent::Recorder
        } else {
            Parent::Subject(self.process)
        };
        let shadow = match behind {
            Some(behind) => {
                shadow::bury_for(self.process, |shadow| {
                    shadow::wait_in_name(self.thread.tracee, behind, shadow)
                });
                let original = Image::of(self.thread.tracee.pid())?.with(self.mirrored());
                let original = original.written_as(&self.shared.files.borrow());
                Shadow::of(
                    self.thread.tracee,
                    original,
                    behind,
                    parent,
                    &self.unforked,
                    self.processors,
                )
            }
            None => Err(NoShadow::Refused),
        };
        match shadow {
            Ok(shadow) => {
                self.log.begin(start, shadow, joint, before.elapsed());
                self.has_told();
            }
            // The history then gets longer where it may, and is lost where a
            // new one has to begin.
            Err(why) => {
                self.log.note("a segment", String::from(why));
                self.log.was_refused();
                if matches!(joint, Joint::Paused | Joint::Apart) {
                    self.log.clear();
                }
            }
        }
        Ok(())
    }

    /// Keeps how the run ends, from where the subject stands.
    pub(crate) fn end(&mut self, ending: Ending) -> Result<(), Trouble> {
        self.over = true;
        let state = self.thread.tracee.state()?;
        let at = match ending {
            Ending::Exit { .. } => Position::AtCall,
            Ending::Signal { at, .. } => at,
        };
        let (unused, sums) = loop {
            // What others' calls have brought in belongs to the end, too.
            self.finish_calls(at)?;
            let image = Image::of(self.thread.tracee.pid())?.with(self.mirrored());
            let sums = image.sums(state.registers.rsp())?;
            if !self.look_at_others()? {
                break sums;
            }
        };
        self.log.append(&Event::End(End {
            ending,
            state,
            unused,
            sums,
        }));
        Ok(())
    }
}

/// The address behind some `syscall` instruction of a process.
pub(crate) fn find_syscall(process: Tracee) -> Option<u64> {
    const EXECUTABLE: u32 = libc::PROT_EXEC as u32;
    let mapped = maps::mapped(process.pid()).ok()?;
    let code = mapped.iter().map(|mapped| &mapped.region);
    code.filter(|region| region.protection & EXECUTABLE != 0)
        .find_map(|region| {
            let len = usize::try_from(region.end - region.start).ok()?;
            let bytes = process.read_some(region.start, len.min(CODE));
            let at = bytes.windows(2).position(|bytes| bytes == SYSCALL_BYTES)?;
            Some(region.start + at as u64 + 2)
        })
}
