//! A schedule from what threads did that ran freely.
//!
//! Each thread has written down the places it came to and, where it found that another
//! thread had been there before it, which one and how far that one had come ([`Trace`]). So
//! what is known is an order of steps, not of all of them but of those that met. As a
//! schedule that is messages: who was first sends one, when it comes to its next place, and
//! who was later receives it before it goes on. An order that follows from others is left
//! out.
//!
//! An order is known by the step it belongs to, and a thread can be stopped at places only.
//! Where it met another one between two places, it is made to wait at the earlier; should
//! threads then wait for one another, the order is given up, and [`Observed::given_up`]
//! counts that.

mod clocks;
mod log;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::command::{Command, Count, Event, Message, MessageAction, Messages, Moment};
use crate::location::{CodeLocation, JdkPlace, Location};

use clocks::Edge;
pub use log::{Blocks, Did, Follows, Step, Trace, Value};
use log::{OUTSIDE, TASK};

/// What became of the traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The schedule.
    pub messages: Messages,
    /// How many orders there were between threads.
    pub orders: usize,
    /// How many of them are not in the schedule, although they follow from nothing else.
    pub given_up: usize,
}

/// Makes a schedule. `places` are the places by their numbers; `names_blocking` knows which of
/// them are calls that a thread can be said to be blocked in: in others it is parked by the JDK.
pub fn schedule(
    traces: &[Trace],
    places: &[Option<CodeLocation>],
    names_blocking: &dyn Fn(u32) -> bool,
) -> Observed {
    let numbers: HashMap<u32, usize> = traces
        .iter()
        .enumerate()
        .map(|(index, trace)| (trace.number, index))
        .collect();
    let mut orders = 0;
    let mut given_up = 0;
    // Per thread: the steps before which it stops.
    let mut stops: Vec<BTreeSet<u64>> = traces.iter().map(Trace::needed).collect();
    let mut met = Vec::new();
    for (to, trace) in traces.iter().enumerate() {
        for (at, Follows { thread, step, soft }) in trace.meetings() {
            orders += usize::from(!soft);
            let from = numbers.get(&thread).copied();
            let sends = from.and_then(|from| Some((from, traces.get(from)?.sends_at(step)?)));
            let Some((from, sends)) = sends else {
                given_up += usize::from(!soft);
                continue;
            };
            let receives = trace.waits_at(at);
            if let Some(stops) = stops.get_mut(from) {
                stops.insert(sends);
            }
            if let Some(stops) = stops.get_mut(to) {
                stops.insert(receives);
            }
            met.push((from, sends, to, receives, soft));
        }
    }
    let stops: Vec<Vec<u64>> = stops.into_iter().map(Vec::from_iter).collect();
    let index = |thread: usize, step: u64| {
        let stops = stops.get(thread).map(Vec::as_slice).unwrap_or_default();
        stops.partition_point(|stop| *stop < step)
    };
    let edges = met
        .into_iter()
        .map(|(from, sends, to, receives, soft)| Edge {
            from: (from, index(from, sends)),
            to: (to, index(to, receives)),
            soft,
        });
    let lengths: Vec<usize> = stops.iter().map(Vec::len).collect();
    let (edges, cyclic) = clocks::reduced(&lengths, edges.collect());
    given_up += cyclic;
    let places = Places {
        locations: places,
        names_blocking,
    };
    let messages = write(traces, places, &stops, &edges);
    Observed {
        messages,
        orders,
        given_up,
    }
}

/// What is to be done at one stop of a thread.
#[derive(Default)]
struct Actions {
    sends: Vec<Message>,
    receives: Vec<Message>,
}

/// What is known of the places.
#[derive(Clone, Copy)]
struct Places<'p> {
    locations: &'p [Option<CodeLocation>],
    names_blocking: &'p dyn Fn(u32) -> bool,
}

fn write(traces: &[Trace], places: Places<'_>, stops: &[Vec<u64>], edges: &[Edge]) -> Messages {
    let mut actions: HashMap<(usize, usize), Actions> = HashMap::new();
    let mut values: HashMap<(usize, usize), i64> = HashMap::new();
    for Edge { from, to, .. } in edges {
        let (Some(sender), Some(receiver)) = (traces.get(from.0), traces.get(to.0)) else {
            continue;
        };
        let value = values.entry((from.0, to.0)).or_default();
        *value += 1;
        let message = |peer: &Trace| Message {
            peer: peer.thread.clone(),
            value: *value,
        };
        actions
            .entry(*from)
            .or_default()
            .sends
            .push(message(receiver));
        actions
            .entry(*to)
            .or_default()
            .receives
            .push(message(sender));
    }
    let running = traces.iter().filter(|trace| trace.is_running()).count();
    let mut threads = BTreeMap::new();
    for (index, (trace, stops)) in traces.iter().zip(stops).enumerate() {
        let mut thread = Thread {
            trace,
            places,
            commands: Vec::new(),
            counts: HashMap::new(),
            counted: 0,
            step: 0,
        };
        for (at, stop) in stops.iter().enumerate() {
            let actions = actions.remove(&(index, at)).unwrap_or_default();
            thread.stop(*stop, actions);
        }
        if trace.is_blocked() && running <= 1 {
            // A thread that receives from itself stays where it is.
            let message = Message {
                peer: trace.thread.clone(),
                value: 0,
            };
            thread.act(MessageAction::Receive(message));
        }
        threads.insert(trace.thread.clone(), thread.commands);
    }
    Messages::new(threads)
}

/// A thread on its way into a schedule.
struct Thread<'t> {
    trace: &'t Trace,
    places: Places<'t>,
    commands: Vec<Command<MessageAction>>,
    /// How often each place was come to since the last event.
    counts: HashMap<u32, u64>,
    /// The step up to which that is counted, and where the trace goes on behind it.
    counted: u64,
    step: usize,
}

impl Thread<'_> {
    fn act(&mut self, action: MessageAction) {
        self.commands.push(Command::Action(action));
    }

    fn all(&mut self, messages: Vec<Message>, action: fn(Message) -> MessageAction) {
        messages.into_iter().for_each(|m| self.act(action(m)));
    }

    fn stop(&mut self, stop: u64, actions: Actions) {
        let Some(step) = self.trace.at(stop) else {
            // Before its first step a thread can be made to wait, and no more.
            return self.all(actions.receives, MessageAction::Receive);
        };
        let what = step.did;
        let is_needed = matches!(what, Did::Blocks(_) | Did::Exits);
        let idle = actions.sends.is_empty() && actions.receives.is_empty();
        if idle && !is_needed {
            return;
        }
        if what == Did::Exits {
            if self.event(stop, what).is_none() {
                return;
            }
            self.all(actions.receives, MessageAction::Receive);
            self.act(MessageAction::Die);
            // Who follows the end of a thread comes after it has died.
            return self.all(actions.sends, MessageAction::Send);
        }
        if self.event(stop, what).is_none() {
            return;
        }
        self.all(actions.sends, MessageAction::Send);
        if self.trace.is_late(stop) {
            self.act(MessageAction::Timeout(self.trace.thread.clone()));
        }
        self.all(actions.receives, MessageAction::Receive);
    }

    /// Writes where the thread stops. None if the place is not known.
    fn event(&mut self, stop: u64, what: Did) -> Option<()> {
        self.count(stop);
        let what = match what {
            Did::Blocks(Blocks::At(place)) if !(self.places.names_blocking)(place) => {
                Did::Blocks(Blocks::Parks)
            }
            what => what,
        };
        let (moment, place) = match what {
            Did::Comes { place, .. } if place != OUTSIDE => (Moment::Before, Some(place)),
            Did::Blocks(Blocks::At(place)) => (Moment::In, Some(place)),
            Did::Comes { .. } | Did::Blocks(Blocks::Outside) => (Moment::In, Some(OUTSIDE)),
            Did::Exits => (Moment::Before, None),
            _ => (Moment::In, None),
        };
        let jdk = match what {
            _ if place == Some(OUTSIDE) => Some(JdkPlace::Outside),
            _ if place == Some(TASK) => Some(JdkPlace::Task),
            Did::Comes { .. } | Did::Blocks(Blocks::At(_)) => None,
            Did::Blocks(Blocks::Waits) => Some(JdkPlace::Wait),
            Did::Blocks(Blocks::Monitor) => Some(JdkPlace::Monitor),
            Did::Exits => Some(JdkPlace::Exit),
            _ => Some(JdkPlace::Park),
        };
        let location = match jdk {
            Some(jdk) => jdk.location()?,
            None => self.places.locations.get(place? as usize)?.clone()?,
        };
        let count = place.and_then(|place| self.counts.get(&place).copied());
        let event = Event {
            moment,
            location: Location::Code(location),
            count: Count::new(count.unwrap_or(1).max(1))?,
        };
        self.commands.push(Command::Event(event));
        self.counts.clear();
        // The attempt that is pending counts.
        self.counts.extend(place.map(|place| (place, 1)));
        Some(())
    }

    /// Counts what the thread came to, up to a step.
    fn count(&mut self, stop: u64) {
        while let Some(step) = self.trace.steps.get(self.step)
            && step.first <= stop
        {
            let end = step.last().min(stop);
            let from = step.first.max(self.counted + 1);
            if let Did::Comes { place, .. } = step.did {
                *self.counts.entry(place).or_default() += (end + 1).saturating_sub(from);
            }
            if step.last() > stop {
                break;
            }
            self.step += 1;
        }
        self.counted = stop;
    }
}

#[cfg(test)]
mod tests;
