//! The bytes of an event, version 6. Version 1 has the first six, versions 2 and 3
//! the first ten, version 4 the first twelve, and version 5 the first thirteen.
//!
//! ```text
//!  byte    1 start, 2 call, 3 signal, 4 sigreturn, 5 tsc, 6 end,
//!          7 start of several threads, 8 thread, 9 switch, 10 exit,
//!          11 pause, 12 changed, 13 answer, 14 start with views, 15 views
//!  start:      state, word brk, list of region
//!  call:       number, word ip, list of arguments (number each; for `shmat` and
//!              `shmdt` the length of the memory follows them),
//!              option read (word32), number result, list of write,
//!              option registers, option content (number of the page map)
//!  signal:     byte position, number, word ip, write, state
//!  sigreturn:  word ip, state
//!  tsc:        word ip, word value, option processor (word32)
//!  end:        byte 0, number call, number status        │ exit
//!              byte 1, number signal, byte position      │ killed
//!              state, word from and word to of what is not in use,
//!              list of (word address, list of word32)
//!  start of several threads:
//!              like start, number of the thread that runs, list of thread
//!  thread:     number, state, byte 1 if it is in a call, else 0
//!  switch:     byte position, number of the thread that runs
//!  exit:       word ip, number status, list of write
//!  pause:      state
//!  changed:    list of write
//!  answer:     word ip, registers
//!  start with views:
//!              like start, option (number of the thread that runs, list of thread),
//!              list of view
//!  views:      list of view
//!
//!  state       registers, bytes (XSAVE layout)
//!  registers   27 words
//!  region      word start, word end, number protection, bytes name
//!  write       word address, bytes
//!  view        word start, word end, number object, number offset
//!  position    0 behind the event before, 1 at the next call, 2 at the fault
//!  bytes       number of bytes, the bytes
//!  list        number of elements, the elements
//!  option      byte 0, or byte 1 and the value
//!  number      seven bits to a byte, lowest first, top bit set on all but the
//!              last
//!  word        eight bytes, little-endian; word32: four
//! ```
//! The places of pauses are in a stream of their own, whose events are two numbers:
//! that of the pause's event, and how many instructions ran since the event
//! before it.
//!
//! Results and arguments are numbers: most are small. A result that is an error
//! is small when it is turned around, so it is stored in zigzag.

use crate::event::{
    Answer, Call, Content, End, Ending, Event, Exit, Pause, Place, Signal, Sigreturn, Start,
    Switch, Tsc,
};
use crate::sums::PageSums;

use self::values::{In, Out, unzigzag, zigzag};

mod parts;
mod values;

/// Why bytes are no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// They end inside a value.
    #[error("the event ends too early")]
    Short,
    /// A byte that says which of several things follows says none of them.
    #[error("{what} cannot be {found}")]
    Choice {
        /// What the byte decides.
        what: &'static str,
        /// The byte.
        found: u8,
    },
    /// A number does not fit.
    #[error("a number is too large")]
    Number,
    /// There is more than the event.
    #[error("{0} bytes follow the event")]
    Long(usize),
}

/// Appends an event to `out`.
pub fn write(event: &Event, out: &mut Vec<u8>) {
    let mut out = Out(out);
    match event {
        Event::Start(start) => {
            out.byte(match (&start.threads, start.views.is_empty()) {
                (_, false) => 14,
                (Some(_), true) => 7,
                (None, true) => 1,
            });
            out.state(&start.state);
            out.word(start.brk);
            out.list(&start.regions, Out::region);
            if !start.views.is_empty() {
                out.option(start.threads.as_ref(), Out::threads);
                out.list(&start.views, Out::view);
            } else if let Some(threads) = &start.threads {
                out.threads(threads);
            }
        }
        Event::Call(call) => {
            out.byte(2);
            out.call(call);
        }
        Event::Signal(signal) => {
            out.byte(3);
            out.position(signal.at);
            out.number(u64::from(signal.number));
            out.word(signal.ip);
            out.write(&signal.frame);
            out.state(&signal.state);
        }
        Event::Sigreturn(back) => {
            out.byte(4);
            out.word(back.ip);
            out.state(&back.state);
        }
        Event::Tsc(tsc) => {
            out.byte(5);
            out.word(tsc.ip);
            out.word(tsc.value);
            out.option(tsc.processor, Out::word32);
        }
        Event::End(end) => {
            out.byte(6);
            out.end(end);
        }
        Event::Thread(thread) => {
            out.byte(8);
            out.thread(thread);
        }
        Event::Switch(switch) => {
            out.byte(9);
            out.position(switch.at);
            out.number(u64::from(switch.thread));
        }
        Event::Exit(exit) => {
            out.byte(10);
            out.word(exit.ip);
            out.number(exit.status);
            out.list(&exit.writes, Out::write);
        }
        Event::Pause(pause) => {
            out.byte(11);
            out.state(&pause.state);
        }
        Event::Changed(writes) => {
            out.byte(12);
            out.list(writes, Out::write);
        }
        Event::Answer(answer) => {
            out.byte(13);
            out.word(answer.ip);
            out.registers(&answer.registers);
        }
        Event::Views(views) => {
            out.byte(15);
            out.list(views, Out::view);
        }
    }
}

/// Appends the place of a pause to `out`.
pub fn write_place(place: Place, out: &mut Vec<u8>) {
    let mut out = Out(out);
    out.number(place.event);
    out.number(place.count);
}

/// Reads the place of a pause that is all of `bytes`.
pub fn read_place(bytes: &[u8]) -> Result<Place, WireError> {
    let mut bytes = In(bytes);
    let place = Place {
        event: bytes.number()?,
        count: bytes.number()?,
    };
    match bytes.0.len() {
        0 => Ok(place),
        more => Err(WireError::Long(more)),
    }
}

/// Reads an event that is all of `bytes`.
pub fn read(bytes: &[u8]) -> Result<Event, WireError> {
    let mut bytes = In(bytes);
    let event = match bytes.byte()? {
        kind @ (1 | 7 | 14) => Event::Start(Start {
            state: bytes.state()?,
            brk: bytes.word()?,
            regions: bytes.list(In::region)?,
            threads: match kind {
                7 => Some(bytes.threads()?),
                14 => bytes.option("an option", In::threads)?,
                _ => None,
            },
            views: match kind {
                14 => bytes.list(In::view)?,
                _ => Vec::new(),
            },
        }),
        2 => Event::Call(bytes.call()?),
        3 => Event::Signal(Signal {
            at: bytes.position()?,
            number: bytes.number32()?,
            ip: bytes.word()?,
            frame: bytes.write()?,
            state: bytes.state()?,
        }),
        4 => Event::Sigreturn(Sigreturn {
            ip: bytes.word()?,
            state: bytes.state()?,
        }),
        5 => Event::Tsc(Tsc {
            ip: bytes.word()?,
            value: bytes.word()?,
            processor: bytes.option("an option", In::word32)?,
        }),
        6 => Event::End(bytes.end()?),
        8 => Event::Thread(bytes.thread()?),
        9 => Event::Switch(Switch {
            at: bytes.position()?,
            thread: bytes.number32()?,
        }),
        10 => Event::Exit(Exit {
            ip: bytes.word()?,
            status: bytes.number()?,
            writes: bytes.list(In::write)?,
        }),
        11 => Event::Pause(Pause {
            state: bytes.state()?,
        }),
        12 => Event::Changed(bytes.list(In::write)?),
        13 => Event::Answer(Box::new(Answer {
            ip: bytes.word()?,
            registers: bytes.registers()?,
        })),
        15 => Event::Views(bytes.list(In::view)?),
        found => {
            let what = "an event";
            return Err(WireError::Choice { what, found });
        }
    };
    match bytes.0.len() {
        0 => Ok(event),
        more => Err(WireError::Long(more)),
    }
}

impl Out<'_> {
    fn call(&mut self, call: &Call) {
        self.number(call.number);
        self.word(call.ip);
        self.list(&call.arguments, |out, argument| out.number(*argument));
        self.option(call.read, Out::word32);
        self.number(zigzag(call.result));
        self.list(&call.writes, Out::write);
        self.option(call.registers.as_deref(), Out::registers);
        self.option(call.content, |out, content| {
            out.number(u64::from(content.map));
        });
    }

    fn end(&mut self, end: &End) {
        match end.ending {
            Ending::Exit { call, status } => {
                self.byte(0);
                self.number(call);
                self.number(status);
            }
            Ending::Signal { number, at } => {
                self.byte(1);
                self.number(u64::from(number));
                self.position(at);
            }
        }
        self.state(&end.state);
        self.word(end.unused.0);
        self.word(end.unused.1);
        self.list(&end.sums.runs, |out, (address, sums)| {
            out.word(*address);
            out.list(sums, |out, sum| out.word32(*sum));
        });
    }
}

impl In<'_> {
    fn call(&mut self) -> Result<Call, WireError> {
        Ok(Call {
            number: self.number()?,
            ip: self.word()?,
            arguments: self.list(In::number)?,
            read: self.option("an option", In::word32)?,
            result: unzigzag(self.number()?),
            writes: self.list(In::write)?,
            registers: self.option("an option", |bytes| bytes.registers().map(Box::new))?,
            content: self.option("an option", |bytes| {
                let map = bytes.number32()?;
                Ok(Content { map })
            })?,
        })
    }

    fn end(&mut self) -> Result<End, WireError> {
        let ending = match self.byte()? {
            0 => Ending::Exit {
                call: self.number()?,
                status: self.number()?,
            },
            1 => Ending::Signal {
                number: self.number32()?,
                at: self.position()?,
            },
            found => {
                let what = "an ending";
                return Err(WireError::Choice { what, found });
            }
        };
        Ok(End {
            ending,
            state: self.state()?,
            unused: (self.word()?, self.word()?),
            sums: PageSums {
                runs: self.list(|bytes| Ok((bytes.word()?, bytes.list(In::word32)?)))?,
            },
        })
    }
}

#[cfg(test)]
mod tests;
