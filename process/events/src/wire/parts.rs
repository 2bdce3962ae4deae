//! What several kinds of event are made of: threads, registers, memory and places,
//! with writer and reader of each.

use super::WireError;
use super::values::{In, Out};
use crate::event::{Position, Region, Registers, State, Thread, Threads, Write};
use crate::view::View;

impl Out<'_> {
    pub(super) fn threads(&mut self, threads: &Threads) {
        self.number(u64::from(threads.running));
        self.list(&threads.others, Out::thread);
    }

    pub(super) fn view(&mut self, view: &View) {
        self.word(view.start);
        self.word(view.end);
        self.number(u64::from(view.object));
        self.number(view.offset);
    }

    pub(super) fn thread(&mut self, thread: &Thread) {
        self.number(u64::from(thread.number));
        self.state(&thread.state);
        self.byte(u8::from(thread.called));
    }

    pub(super) fn state(&mut self, state: &State) {
        self.registers(&state.registers);
        self.bytes(&state.extended);
    }

    pub(super) fn registers(&mut self, registers: &Registers) {
        for register in registers.0 {
            self.word(register);
        }
    }

    pub(super) fn region(&mut self, region: &Region) {
        self.word(region.start);
        self.word(region.end);
        self.number(u64::from(region.protection));
        self.bytes(region.name.as_bytes());
    }

    pub(super) fn write(&mut self, write: &Write) {
        self.word(write.address);
        self.bytes(&write.bytes);
    }

    pub(super) fn position(&mut self, position: Position) {
        self.byte(match position {
            Position::AfterEvent => 0,
            Position::AtCall => 1,
            Position::AtFault => 2,
        });
    }
}

impl In<'_> {
    pub(super) fn threads(&mut self) -> Result<Threads, WireError> {
        Ok(Threads {
            running: self.number32()?,
            others: self.list(In::thread)?,
        })
    }

    pub(super) fn view(&mut self) -> Result<View, WireError> {
        Ok(View {
            start: self.word()?,
            end: self.word()?,
            object: self.number32()?,
            offset: self.number()?,
        })
    }

    pub(super) fn thread(&mut self) -> Result<Thread, WireError> {
        Ok(Thread {
            number: self.number32()?,
            state: self.state()?,
            called: self.byte()? != 0,
        })
    }

    pub(super) fn state(&mut self) -> Result<State, WireError> {
        Ok(State {
            registers: self.registers()?,
            extended: self.bytes()?,
        })
    }

    pub(super) fn registers(&mut self) -> Result<Registers, WireError> {
        let mut registers = Registers::default();
        for register in &mut registers.0 {
            *register = self.word()?;
        }
        Ok(registers)
    }

    pub(super) fn region(&mut self) -> Result<Region, WireError> {
        Ok(Region {
            start: self.word()?,
            end: self.word()?,
            protection: self.number32()?,
            name: String::from_utf8_lossy(&self.bytes()?).into_owned(),
        })
    }

    pub(super) fn write(&mut self) -> Result<Write, WireError> {
        Ok(Write {
            address: self.word()?,
            bytes: self.bytes()?,
        })
    }

    pub(super) fn position(&mut self) -> Result<Position, WireError> {
        match self.byte()? {
            0 => Ok(Position::AfterEvent),
            1 => Ok(Position::AtCall),
            2 => Ok(Position::AtFault),
            found => {
                let what = "a position";
                Err(WireError::Choice { what, found })
            }
        }
    }
}
