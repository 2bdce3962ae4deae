//! Where a segment begins and where the run ends: the whole state.

use reprise_process_events::{End, Ending, Event, Start};
use reprise_tracee::Resume;

use crate::log::Page;
use crate::maps;
use crate::session::{Next, Session, Trouble};
use crate::snapshot::Image;

/// The code segment of 64-bit programs.
const LONG_MODE: u64 = 0x33;

impl Session {
    /// A new program stands before its first instruction.
    pub(crate) fn begin_program(&mut self) -> Result<Next, Trouble> {
        self.executed = false;
        self.sites.clear();
        if self.tracee.registers()?.cs() != LONG_MODE {
            return Err(Trouble::Unrecordable(
                "the subject is a 32-bit program".to_owned(),
            ));
        }
        self.remove_chance()?;
        self.brk = maps::start_of_heap(self.tracee.pid())?;
        self.begin_segment()?;
        Ok(Next::Go(Resume::ToCall, 0))
    }

    /// Writes down the whole state.
    pub(crate) fn begin_segment(&mut self) -> Result<(), Trouble> {
        let state = self.tracee.state()?;
        let image = Image::of(self.tracee.pid())?;
        let mut map = self.log.segment()?;
        image.all_pages(|address, page: &mut Page| map.insert(address, page))?;
        map.finish()?;
        self.due = self.tracee.pending()?;
        self.log.append(&Event::Start(Start {
            state,
            brk: self.brk,
            regions: image.regions()?,
        }))?;
        self.log.flush()?;
        Ok(())
    }

    /// Writes down how the run ends, from where the subject stands.
    pub(crate) fn end(&mut self, ending: Ending) -> Result<(), Trouble> {
        let state = self.tracee.state()?;
        let image = Image::of(self.tracee.pid())?;
        let (unused, sums) = image.sums(state.registers.rsp())?;
        self.log.append(&Event::End(End {
            ending,
            state,
            unused,
            sums,
        }))?;
        self.log.flush()?;
        self.over = true;
        Ok(())
    }
}
