//! Moving in one of several threads.

use reprise_process_events::State;
use reprise_recording::Source;

use super::forward::Goal;
use super::{Halt, Position, Session};
use crate::PlayError;

impl<S: Source> Session<'_, '_, S> {
    /// The number of the thread that runs, or runs next.
    #[must_use]
    pub fn thread(&self) -> u32 {
        self.play.threads.running()
    }

    /// The numbers of all threads, the one that runs first, and whether each is in
    /// a system call that waits.
    #[must_use]
    pub fn threads(&self) -> Vec<(u32, bool)> {
        let threads = &self.play.threads;
        let running = threads.running();
        let others = threads.others().filter(|(number, ..)| *number != running);
        let others = others.map(|(number, _, called)| (number, called));
        let first = (running, threads.is_called());
        std::iter::once(first).chain(others).collect()
    }

    /// All registers of a thread, or of the one that runs if there is none of this
    /// number.
    pub fn state_of(&self, thread: u32) -> Result<State, PlayError> {
        let mut others = self.play.threads.others();
        let Some((_, state, _)) = others.find(|(number, ..)| *number == thread) else {
            return self.state();
        };
        let mut state = state.clone();
        self.counter.own_address(&mut state, None);
        Ok(state)
    }

    /// Goes forward until a thread has done one instruction, or one event. The
    /// others run as they did.
    pub fn step_in(
        &mut self,
        thread: u32,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Halt, PlayError> {
        loop {
            if self.thread() != thread {
                let Some(event) = self.survey.next_turn(thread, self.position.event) else {
                    return self.go_on(interrupted);
                };
                let halt = self.go_on_to(Position { event, count: 0 }, interrupted)?;
                if halt != Halt::Done {
                    return Ok(halt);
                }
            }
            let halt = self.step()?;
            if halt != Halt::Done || self.thread() == thread {
                return Ok(halt);
            }
            if interrupted() {
                return Ok(Halt::Interrupted);
            }
        }
    }

    /// Goes back by one instruction or event of a thread.
    pub fn step_back_in(&mut self, thread: u32) -> Result<Halt, PlayError> {
        loop {
            let halt = self.step_back()?;
            let here = self.thread() == thread;
            if halt != Halt::Done || (here && !self.play.threads.is_called()) {
                return Ok(halt);
            }
            if here {
                // It is in a call; before that others ran.
                continue;
            }
            let last = self.survey.last_turn(thread, self.position.event);
            let Some((event, called)) = last else {
                return Ok(halt);
            };
            let stopped = self.guarded(|session| {
                session.seek_before(Position { event, count: 0 })?;
                Ok(session.stopped(Halt::Done))
            })?;
            // Unless it stands in front of a call now, it stood there before.
            if stopped.halt != Halt::Done || called {
                return Ok(stopped.halt);
            }
        }
    }

    /// Goes forward to a position, or until a trap.
    fn go_on_to(
        &mut self,
        position: Position,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Halt, PlayError> {
        let stopped = self.guarded(|session| {
            session.come_back()?;
            session.set(true)?;
            session.forward(Goal::At(position), interrupted)
        })?;
        Ok(stopped.halt)
    }
}
