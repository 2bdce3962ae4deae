//! Where a segment begins and where the run ends: the whole state.

use reprise_process_events::{End, Ending, Event, Start};
use reprise_tracee::Resume;

use crate::log::Page;
use crate::maps;
use crate::session::{Next, Session, Trouble};
use crate::snapshot::Image;

/// The entry of the auxiliary vector that tells where the vDSO is, the one that
/// means nothing, and the last one.
const AT_SYSINFO_EHDR: u64 = 33;
const AT_IGNORE: u64 = 1;
const AT_NULL: u64 = 0;

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
        self.hide_vdso()?;
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
        self.behind = Some(state.registers);
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

    /// Makes the program believe that there is no vDSO, so that it asks for the
    /// time by system calls. Its address is on the stack, behind the arguments
    /// and the environment.
    fn hide_vdso(&self) -> Result<(), Trouble> {
        let mut at = self.tracee.registers()?.rsp();
        let mut word = || {
            let bytes = self.tracee.read_some(at, 8);
            at += 8;
            <[u8; 8]>::try_from(bytes)
                .map(u64::from_le_bytes)
                .map_err(|_| Trouble::Unrecordable("the subject's stack is strange".to_owned()))
        };
        word()?;
        // The arguments end with a zero, and so does the environment.
        for _ in 0..2 {
            while word()? != 0 {}
        }
        let mut vdso = None;
        let mut index = 0;
        loop {
            let (kind, _value) = (word()?, word()?);
            match kind {
                AT_NULL => break,
                AT_SYSINFO_EHDR => vdso = Some(index),
                _ => {}
            }
            index += 1;
        }
        let end = at;
        if let Some(found) = vdso {
            let entry = end - 16 * (index + 1 - found);
            self.tracee.write(entry, &AT_IGNORE.to_le_bytes())?;
        }
        Ok(())
    }
}
