//! The events of all threads in their global order, as the JVM is told of them.
//!
//! They are gone through twice. The first time finds out what a constructor
//! that is called from outside makes: an outside subclass calls the constructor
//! of its inside superclass, and only the end of that call says whose object it
//! is. It also counts how often each object is mentioned (`mentions.rs`). The second
//! time hands them on, each with what came along with it (what is in arrays and in
//! objects that are adopted), in memory that does not grow with the recording.

use std::collections::{BTreeMap, HashMap};

use reprise_jvm_events::CALLS;
use reprise_jvm_events::event::{Access, Event};
use reprise_jvm_events::reader::Reader;
use reprise_jvm_events::table::Constant;
use reprise_jvm_events::value::{Reference, Value};
use reprise_probes::initialiser;
use reprise_recording::{Recording, Source, StreamId};

use crate::PlayError;
use crate::mentions::Mentions;
use crate::queue::{Along, Queue};
use crate::script::Step;

/// A thread of the recording.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) stream: StreamId,
    /// By the recording's count.
    pub(crate) id: u32,
    pub(crate) name: String,
}

/// What the first look has found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) threads: Vec<Thread>,
    /// The class of the object, by stream and number of the constructor's call,
    /// where it is not the constructor's own.
    made: HashMap<(StreamId, u64), u32>,
    /// By stream and number, events that others come between and what came along
    /// with them, which speaks of what these others did.
    apart: HashMap<(StreamId, u64), Along>,
    /// Which thread has initialised a class.
    pub(crate) initialisers: BTreeMap<u32, u32>,
    /// By class and thread that initialises it: the first call of it from outside, where that was
    /// before. What is above a class is initialised first, and may use it.
    pub(crate) early: BTreeMap<(u32, u32), u64>,
    /// How often each object is mentioned.
    pub(crate) mentions: Mentions,
}

fn malformed(
    stream: StreamId,
    number: u64,
) -> impl Fn(reprise_jvm_events::bytes::FormatError) -> PlayError {
    move |error| PlayError::Format {
        stream,
        number,
        error,
    }
}

/// Whether what the inside did was recorded, too.
pub(crate) fn has_oracle<S: Source>(recording: &Recording<S>) -> bool {
    let oracle = recording.manifest().details.get("oracle");
    oracle.and_then(serde_json::Value::as_bool).unwrap_or(true)
}

impl Survey {
    /// Goes through all threads.
    pub(crate) fn of<S: Source>(
        recording: &Recording<S>,
        tables: &Reader,
    ) -> Result<Self, PlayError> {
        let mut survey = Self::default();
        let mut reader = tables.clone();
        let oracle = has_oracle(recording);
        let mut streams: Vec<_> = recording
            .streams()
            .filter(|(_, info)| info.kind == CALLS)
            .collect();
        streams.sort_by_key(|(_, info)| info.thread);
        let mut ends = Vec::new();
        for (stream, info) in streams {
            let thread = u32::try_from(info.thread).unwrap_or(u32::MAX);
            survey.threads.push(Thread {
                stream,
                id: thread,
                name: info.name.clone(),
            });
            let mut open = Vec::new();
            let mut called: HashMap<u32, u64> = HashMap::new();
            let mut events = recording.events(stream, 0)?;
            let mut head: Option<(u64, u64, u32)> = None;
            while let Some(event) = events.next()? {
                let (number, stamp) = (event.number, event.stamp);
                let event = reader
                    .event(info.thread, event.payload)
                    .map_err(malformed(stream, number))?;
                survey.mentions.add(&event);
                match (&event, head.as_mut()) {
                    (Event::Count { .. } | Event::Begin { .. }, _) => {}
                    (Event::Array { .. } | Event::Adopt { .. }, Some((head, at, count))) => {
                        *count = count.saturating_add(1);
                        let key = (stream, *head);
                        if *at != stamp || survey.apart.contains_key(&key) {
                            let along = Along {
                                last: number,
                                count: *count,
                            };
                            survey.apart.insert(key, along);
                        }
                    }
                    _ => head = Some((number, stamp, 0)),
                }
                let named = |method: u32| {
                    let found = reader.tables().method(method);
                    Ok::<_, PlayError>(&found.map_err(malformed(stream, number))?.0)
                };
                match event {
                    Event::Touch { site } => {
                        let found = reader.tables().site(site);
                        let site = &found.map_err(malformed(stream, number))?.0;
                        if site.name == initialiser::NAME {
                            let class = named(site.method)?.class;
                            survey.initialisers.entry(class).or_insert(thread);
                        }
                    }
                    Event::Begin { method } => {
                        let class = named(method)?.class;
                        let by = *survey.initialisers.entry(class).or_insert(thread);
                        if let Some(&call) = called.get(&class).filter(|_| by == thread) {
                            survey.early.entry((class, thread)).or_insert(call);
                        }
                    }
                    Event::InCall { method, .. } => {
                        let method = named(method)?;
                        if method.name != initialiser::NAME {
                            called.entry(method.class).or_insert(number);
                        }
                        let constructs = method.name == "<init>";
                        open.push((number, constructs.then_some(method.class)));
                    }
                    Event::ExcOut { .. } => {
                        while !oracle && matches!(open.last(), Some((_, None))) {
                            open.pop();
                        }
                        open.pop();
                    }
                    Event::InCallRet { value } => {
                        // Without the oracle only constructors say that they end.
                        while !oracle && matches!(open.last(), Some((_, None))) {
                            open.pop();
                        }
                        let Some((call, Some(class))) = open.pop() else {
                            continue;
                        };
                        match value {
                            Some(Value::Reference(Reference::Object(object))) => {
                                match survey.mentions.class(object.id) {
                                    Some(made) if made == class => {}
                                    Some(made) => drop(survey.made.insert((stream, call), made)),
                                    None => ends.push((stream, call, class, object.id)),
                                }
                            }
                            Some(Value::Reference(Reference::Value(value))) => {
                                let made = reader.tables().values.get(&value);
                                if let Some(Constant::Class(made)) = made
                                    && *made != class
                                {
                                    survey.made.insert((stream, call), *made);
                                }
                            }
                            _ => {}
                        }
                    }
                    _ => {}
                }
            }
        }
        // An object may have been mentioned first by a thread that comes later.
        for (stream, call, class, id) in ends {
            let made = survey.mentions.class(id).unwrap_or(class);
            if made != class {
                survey.made.insert((stream, call), made);
            }
        }
        Ok(survey)
    }

    /// Hands every event on, in the global order.
    pub(crate) fn each<S: Source>(
        &self,
        recording: &Recording<S>,
        tables: &Reader,
        mut hand_on: impl FnMut(&Step) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, PlayError> {
        let mut reader = tables.clone();
        let threads: HashMap<StreamId, u32> = self
            .threads
            .iter()
            .map(|thread| (thread.stream, thread.id))
            .collect();
        let mut depths: HashMap<u32, u32> = HashMap::new();
        // By thread, how far it had counted when its silent objects were looked for, and up to
        // which number they were told of.
        let mut told: HashMap<u32, (Option<u64>, u64)> = HashMap::new();
        let mut queue = Queue::default();
        let mut timeline = recording.timeline();
        while let Some(event) = timeline.next()? {
            let (stream, number) = (event.stream, event.number);
            let Some(thread) = threads.get(&stream).copied() else {
                continue;
            };
            let event = reader
                .event(thread.into(), event.payload)
                .map_err(malformed(stream, number))?;
            let depth = depths.entry(thread).or_default();
            let Some(mut step) = step(&event) else {
                continue;
            };
            step.thread = thread;
            step.number = number;
            step.depth = *depth;
            let counted = reader.counted(thread.into());
            let (looked, told) = told.entry(thread).or_default();
            if looked.replace(counted) != Some(counted) {
                let after = counted.max(*told);
                (step.silent, *told) = self.mentions.silent(thread.into(), after);
            }
            match event {
                Event::InCall { .. } => {
                    step.class = self.made.get(&(stream, number)).copied().unwrap_or(0);
                }
                Event::Touch { .. } => {
                    step.values = vec![Value::Long(counted.cast_signed())];
                }
                _ => {}
            }
            match event {
                Event::InCall { .. } | Event::OutCall { .. } | Event::Touch { .. } => {
                    *depth = depth.saturating_add(1);
                }
                Event::InCallRet { .. }
                | Event::OutCallRet { .. }
                | Event::ExcIn { .. }
                | Event::ExcOut { .. }
                | Event::Touched => *depth = depth.saturating_sub(1),
                _ => {}
            }
            if matches!(event, Event::Array { .. } | Event::Adopt { .. }) {
                queue.add_part(step);
            } else {
                queue.add(step, self.apart.get(&(stream, number)).copied());
            }
            while let Some(step) = queue.next(false) {
                if let Err(error) = hand_on(&step) {
                    return Ok(Err(error));
                }
            }
        }
        while let Some(step) = queue.next(true) {
            if let Err(error) = hand_on(&step) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }
}

/// An event without its place; none for what only counts objects, which the
/// JVM counts itself.
fn step(event: &Event) -> Option<Step> {
    let reference = |reference: &Reference| Value::Reference(*reference);
    let call = |what, id: u32, receiver: &Option<Reference>, arguments: &[Value]| Step {
        what,
        id,
        values: receiver
            .iter()
            .map(reference)
            .chain(arguments.iter().copied())
            .collect(),
        ..Step::default()
    };
    let access = |what, access: &Access| Step {
        what,
        id: access.site,
        values: access
            .receiver
            .iter()
            .map(reference)
            .chain([access.value])
            .collect(),
        ..Step::default()
    };
    let plain = |what, values: Vec<Value>| Step {
        what,
        values,
        ..Step::default()
    };
    Some(match event {
        Event::InCall {
            method,
            receiver,
            arguments,
        } => call(1, *method, receiver, arguments),
        Event::InCallRet { value } => plain(2, value.iter().copied().collect()),
        Event::OutCall {
            site,
            receiver,
            arguments,
        } => call(3, *site, receiver, arguments),
        Event::OutCallRet { value } => plain(4, value.iter().copied().collect()),
        Event::OutRead(read) => access(5, read),
        Event::OutWrite(written) => access(6, written),
        Event::InWrite(written) => access(7, written),
        Event::ExcIn { throwable } => plain(8, vec![Value::Reference(*throwable)]),
        Event::ExcOut { throwable } => plain(9, vec![Value::Reference(*throwable)]),
        Event::Touch { site } => Step {
            id: *site,
            ..plain(10, Vec::new())
        },
        Event::Touched => plain(11, Vec::new()),
        Event::Array {
            array,
            from,
            elements,
            ..
        } => Step {
            id: *from,
            values: [Value::Reference(*array)]
                .into_iter()
                .chain(elements.iter().copied())
                .collect(),
            ..plain(12, Vec::new())
        },
        Event::Adopt { object, fields } => {
            let mut values = vec![Value::Reference(*object)];
            for field in fields {
                values.push(Value::Int(field.class.cast_signed()));
                values.push(Value::Reference(Reference::Value(field.name)));
                values.push(field.value);
            }
            plain(13, values)
        }
        Event::Order { after: Some(after) } => Step {
            id: after.thread,
            ..plain(
                14,
                vec![
                    Value::Long(after.since.cast_signed()),
                    Value::Long(after.count.cast_signed()),
                ],
            )
        },
        Event::Same { same } => Step {
            id: (*same).into(),
            ..plain(15, Vec::new())
        },
        // Recordings of version 1 do not say what comes before. Who initialises a class
        // is told at the start.
        Event::Order { after: None } | Event::Count { .. } | Event::Begin { .. } => return None,
    })
}
