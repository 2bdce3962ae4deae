//! Messages to switches: one of the orders that the messages allow.

use super::pieces::{self, End, Row, Step};
use super::{ConvertError, Waits, endless, same_naming};
use crate::command::{Command, MessageAction, Messages, SwitchAction, Switches};
use crate::order::{Need, Order, Piece};
use crate::thread::Target;

/// Chooses an order with few switches.
pub(super) fn convert(messages: &Messages) -> Result<Switches, ConvertError> {
    same_naming(messages.threads().map(|(thread, _)| thread))?;
    if let Some(switches) = endless::convert(messages)? {
        return Ok(switches);
    }
    let mut rows = pieces::rows(messages)?;
    let mut order = pieces::order(&rows)?;
    refuse_deadlock(&rows, &order)?;
    let ending = ending(&rows)?;
    for (row, pieces) in rows.iter_mut().zip(&mut order.threads) {
        // A thread that has nothing more to do need not be woken for it.
        while row.pieces.last().is_some_and(Vec::is_empty) {
            row.pieces.pop();
            pieces.pop();
        }
    }
    if let Ending::With { thread, .. } = ending {
        come_last(&mut order, thread);
    }
    let turns = order.turns();
    Writer {
        rows: &rows,
        order: &order,
        done: vec![0; rows.len()],
        commands: Vec::new(),
    }
    .write(&turns, ending)
}

/// How the whole ends.
#[derive(Clone, Copy)]
enum Ending {
    /// With this thread, which goes on; or all do.
    With { thread: usize, terminate: bool },
    /// With whichever thread comes last; then all go on.
    Terminate,
    /// With nobody.
    Nobody,
}

fn ending(rows: &[Row<'_>]) -> Result<Ending, ConvertError> {
    let with = |end| rows.iter().position(|row| row.end == end);
    if let Some(thread) = with(End::Terminates) {
        return Ok(Ending::With {
            thread,
            terminate: true,
        });
    }
    let free: Vec<&Row<'_>> = rows.iter().filter(|row| row.end == End::Free).collect();
    match (free.len(), with(End::Held), with(End::Free)) {
        (0, _, _) | (_, _, None) => Ok(Ending::Nobody),
        (1, _, Some(thread)) => Ok(Ending::With {
            thread,
            terminate: false,
        }),
        (_, None, _) => Ok(Ending::Terminate),
        (_, Some(held), _) => Err(ConvertError::Parallel {
            free: free.iter().map(|row| row.id.clone()).collect(),
            held: rows[held].id.clone(),
        }),
    }
}

/// Adds an empty piece to a thread that can begin when all others are done.
fn come_last(order: &mut Order, thread: usize) {
    let others = order.threads.iter().enumerate();
    let needs = others
        .filter(|(other, _)| *other != thread)
        .map(|(thread, pieces)| Need {
            thread,
            done: pieces.len(),
        })
        .collect();
    order.threads[thread].push(Piece { needs });
}

pub(super) fn refuse_deadlock(rows: &[Row<'_>], order: &Order) -> Result<(), ConvertError> {
    let done = order.reachable();
    let threads = rows.iter().enumerate();
    let stuck: Vec<Waits> = threads
        .filter_map(|(thread, row)| row.waits(order.threads.get(thread)?, &done, thread))
        .collect();
    if stuck.is_empty() {
        Ok(())
    } else {
        Err(ConvertError::Deadlock(stuck))
    }
}

struct Writer<'r, 'a> {
    rows: &'r [Row<'a>],
    order: &'r Order,
    done: Vec<usize>,
    commands: Vec<Command<SwitchAction>>,
}

impl Writer<'_, '_> {
    fn write(mut self, turns: &[usize], ending: Ending) -> Result<Switches, ConvertError> {
        let rows = self.rows;
        for (index, thread) in turns.iter().enumerate() {
            let next = turns.get(index + 1).copied().or_else(|| {
                // The last to run may have died; somebody must go on.
                let last_dies = rows[*thread].end == End::Dead;
                let free = rows.iter().position(|row| row.end == End::Free);
                free.filter(|_| last_dies && matches!(ending, Ending::Terminate))
            });
            let last = index + 1 == turns.len();
            let target = Target::from(next.map(|next| rows[next].id.clone()));
            let died = self.turn(*thread, &target);
            let goes_on = last && !matches!(ending, Ending::Nobody);
            if !died && !goes_on {
                if rows[*thread].id.is_main() && !self.has_event() {
                    return Err(ConvertError::MainHasNoEvent);
                }
                self.action(SwitchAction::Switch(target));
            }
        }
        match ending {
            Ending::With {
                terminate: true, ..
            }
            | Ending::Terminate => self.action(SwitchAction::Terminate),
            Ending::With { .. } | Ending::Nobody => {}
        }
        Ok(Switches {
            commands: self.commands,
        })
    }

    /// Whether anything has been waited for yet.
    fn has_event(&self) -> bool {
        let mut commands = self.commands.iter();
        commands.any(|command| matches!(command, Command::Event(_)))
    }

    /// Runs a thread until it has to wait; whether it died, and handed over so.
    fn turn(&mut self, thread: usize, next: &Target) -> bool {
        let row = &self.rows[thread];
        let end = self.order.run(thread, &self.done);
        let mut died = false;
        for steps in row.pieces.iter().take(end).skip(self.done[thread]) {
            for step in steps {
                let action = match step {
                    Step::Event(event) => {
                        self.commands.push(Command::Event((*event).clone()));
                        continue;
                    }
                    Step::Action(action) => action,
                };
                if let Some(action) = translated(action, next) {
                    died |= matches!(action, SwitchAction::Die(_));
                    self.action(action);
                }
            }
        }
        self.done[thread] = end;
        died
    }

    fn action(&mut self, action: SwitchAction) {
        self.commands.push(Command::Action(action));
    }
}

/// The same in the switch format; nothing for messages.
pub(super) fn translated(action: &MessageAction, next: &Target) -> Option<SwitchAction> {
    Some(match action {
        MessageAction::Send(_) | MessageAction::Receive(_) => return None,
        MessageAction::Notify(thread) => SwitchAction::Notify(thread.clone()),
        MessageAction::Timeout(thread) => SwitchAction::Timeout(thread.clone()),
        MessageAction::Die => SwitchAction::Die(next.clone()),
        MessageAction::Terminate => SwitchAction::Terminate,
        MessageAction::Log(log) => SwitchAction::Log(log.clone()),
    })
}
