//! The sequences of threads, loops written out, cut into pieces where they
//! receive.

use std::collections::HashMap;

use super::{ConvertError, Waits};
use crate::command::{Command, Event, MessageAction, Messages, Times};
use crate::limits;
use crate::order::{Need, Order, Piece};
use crate::thread::ThreadId;

/// A command that is no loop.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    Event(&'a Event),
    Action(&'a MessageAction),
}

/// A thread's commands: those of a beginning, and of what is repeated for ever.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps<'a> {
    pub(super) once: Vec<Step<'a>>,
    pub(super) endless: Vec<Step<'a>>,
}

/// Writes the loops out. What stands behind an endless loop is never reached.
pub(super) fn steps(commands: &[Command<MessageAction>]) -> Result<Steps<'_>, ConvertError> {
    let mut once = Vec::new();
    let endless = unroll(commands, &mut once)?.unwrap_or_default();
    Ok(Steps { once, endless })
}

/// Adds the commands to `steps`; gives back what is repeated for ever behind
/// them, if they end so.
fn unroll<'a>(
    commands: &'a [Command<MessageAction>],
    steps: &mut Vec<Step<'a>>,
) -> Result<Option<Vec<Step<'a>>>, ConvertError> {
    for command in commands {
        match command {
            Command::Event(event) => steps.push(Step::Event(event)),
            Command::Action(action) => steps.push(Step::Action(action)),
            Command::Loop(repeated) => {
                let mut round = Vec::new();
                if let Some(endless) = unroll(&repeated.body, &mut round)? {
                    steps.append(&mut round);
                    return Ok(Some(endless));
                }
                match repeated.times {
                    Times::Endless if round.is_empty() => {}
                    Times::Endless => return Ok(Some(round)),
                    Times::Count(times) => {
                        let times = usize::try_from(times.get()).unwrap_or(usize::MAX);
                        let room = limits::COMMANDS.saturating_sub(steps.len());
                        if round.len().saturating_mul(times) > room {
                            return Err(ConvertError::TooLong);
                        }
                        if !round.is_empty() {
                            (0..times).for_each(|_| steps.extend_from_slice(&round));
                        }
                    }
                }
            }
        }
        if steps.len() > limits::COMMANDS {
            return Err(ConvertError::TooLong);
        }
    }
    Ok(None)
}

/// How a thread ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It goes on by itself.
    Free,
    /// It waits for itself, which is for ever.
    Held,
    /// It dies.
    Dead,
    /// It lets all go on.
    Terminates,
}

/// A thread, cut into pieces.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) id: &'a ThreadId,
    /// What is done in each piece.
    pub(super) pieces: Vec<Vec<Step<'a>>>,
    pub(super) end: End,
    /// For each piece, the messages it begins with.
    receives: Vec<Vec<(&'a ThreadId, i64)>>,
    /// Each message that is sent: to whom, what, and in which piece.
    sends: Vec<(&'a ThreadId, i64, usize)>,
}

impl Row<'_> {
    /// What the thread waits for when no thread can go on; nothing if it is done.
    pub(super) fn waits(&self, pieces: &[Piece], done: &[usize], thread: usize) -> Option<Waits> {
        let at = *done.get(thread)?;
        let needs = &pieces.get(at)?.needs;
        let unmet = |need: &Need| done.get(need.thread).is_none_or(|done| *done < need.done);
        let (from, value) = self.receives.get(at)?.get(needs.iter().position(unmet)?)?;
        Some(Waits {
            thread: self.id.clone(),
            from: (*from).clone(),
            value: *value,
        })
    }
}

/// Cuts the threads into pieces; main is first.
pub(super) fn rows(messages: &Messages) -> Result<Vec<Row<'_>>, ConvertError> {
    let rows = messages.threads().map(|(id, commands)| row(id, commands));
    rows.collect()
}

fn row<'a>(
    id: &'a ThreadId,
    commands: &'a [Command<MessageAction>],
) -> Result<Row<'a>, ConvertError> {
    let mut row = Row {
        id,
        pieces: vec![Vec::new()],
        end: End::Free,
        receives: vec![Vec::new()],
        sends: Vec::new(),
    };
    for step in steps(commands)?.once {
        if row.end == End::Dead
            && !matches!(
                step,
                Step::Action(MessageAction::Send(_) | MessageAction::Log(_))
            )
        {
            return Err(ConvertError::AfterDeath {
                thread: id.clone(),
                command: step.to_string(),
            });
        }
        let last = row.pieces.len() - 1;
        match step {
            Step::Action(MessageAction::Receive(message)) if message.peer == *id => {
                row.end = End::Held;
                break;
            }
            Step::Action(MessageAction::Receive(message)) => {
                // Receives with nothing between them are one, but main is
                // running before it receives anything.
                if !row.pieces[last].is_empty() || (id.is_main() && last == 0) {
                    row.pieces.push(Vec::new());
                    row.receives.push(Vec::new());
                }
                if let Some(receives) = row.receives.last_mut() {
                    receives.push((&message.peer, message.value));
                }
                continue;
            }
            Step::Action(MessageAction::Send(message)) => {
                row.sends.push((&message.peer, message.value, last));
            }
            Step::Action(MessageAction::Terminate) => {
                // It comes when all else is done, so it is no part of a piece.
                row.end = End::Terminates;
                break;
            }
            Step::Action(MessageAction::Die) => row.end = End::Dead,
            Step::Event(_) | Step::Action(_) => {}
        }
        row.pieces[last].push(step);
    }
    Ok(row)
}

/// What depends on what.
pub(super) fn order(rows: &[Row<'_>]) -> Result<Order, ConvertError> {
    // The pieces in which each message is sent, in order.
    let mut sent: HashMap<(&ThreadId, &ThreadId, i64), Vec<usize>> = HashMap::new();
    for row in rows {
        for (to, value, piece) in &row.sends {
            sent.entry((row.id, to, *value)).or_default().push(*piece);
        }
    }
    let places: HashMap<&ThreadId, usize> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| (row.id, place))
        .collect();
    let mut received: HashMap<(&ThreadId, &ThreadId, i64), usize> = HashMap::new();
    let mut order = Order::default();
    for row in rows {
        let mut pieces = Vec::new();
        for receives in &row.receives {
            let mut needs = Vec::new();
            for (from, value) in receives {
                let key = (*from, row.id, *value);
                let taken = received.entry(key).or_default();
                let piece = sent.get(&key).and_then(|sent| sent.get(*taken));
                *taken += 1;
                let (Some(piece), Some(thread)) = (piece, places.get(from)) else {
                    return Err(ConvertError::NeverSent {
                        thread: row.id.clone(),
                        from: (*from).clone(),
                        value: *value,
                    });
                };
                needs.push(Need {
                    thread: *thread,
                    done: piece + 1,
                });
            }
            pieces.push(Piece { needs });
        }
        order.threads.push(pieces);
    }
    Ok(order)
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Event(event) => event.fmt(out),
            Self::Action(action) => action.fmt(out),
        }
    }
}
