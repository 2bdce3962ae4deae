//! What the scheduler is to do, as a file.
//!
//! `reprise replay` writes it, the agent reads the places, the scheduler the rest.
//! One line each, words separated by tabs:
//!
//! ```text
//! place  NUMBER before|in  CLASS METHOD DESCRIPTOR OFFSET     classes with slashes; `in` is odd,
//!                                                             and `before` at the same place one less
//! do     EVENT NUMBER COUNT before|in TEXT                    a negative number is a place of the JDK
//! do     SWITCH|DIE THREAD|none
//! do     NOTIFY|TIMEOUT THREAD
//! do     TERMINATE
//! do     LOG LEVEL TEXT
//! do     LOOP
//! do     REPEAT COUNT|inf
//! ```

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use reprise_schedule::{
    CodeLocation, Command, Event, JdkPlace, Location, Method, SwitchAction, Switches, Times,
};

pub use reprise_schedule::Moment;

/// A place that gets a probe.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Before the bytecode, or in it.
    pub moment: Moment,
    /// The class, with slashes.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The offset of the bytecode.
    pub offset: u32,
}

/// Why a schedule cannot be made a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A place that is not said by class, method with descriptor, and offset.
    #[error("the place {place} is not said by class, method with descriptor, and offset")]
    Unresolved {
        /// The place.
        place: String,
    },
    /// A tab or the end of a line.
    #[error("the place {place} has a control character in it")]
    Control {
        /// The place.
        place: String,
    },
    /// A loop for ever in which nothing is awaited.
    #[error("a loop without end has no event in it")]
    Idle,
}

/// The plan of a schedule, as a text. Places are resolved.
pub fn write(switches: &Switches) -> Result<String, PlanError> {
    let mut writer = Writer::default();
    writer.commands(&switches.commands)?;
    Ok(writer.places + &writer.steps)
}

/// The places of a plan, by number.
pub fn places(text: &str) -> Vec<(u32, Place)> {
    text.lines().filter_map(place).collect()
}

fn place(line: &str) -> Option<(u32, Place)> {
    let mut words = line.split('\t');
    if words.next() != Some("place") {
        return None;
    }
    let number = words.next()?.parse().ok()?;
    let moment = match words.next()? {
        "in" => Moment::In,
        _ => Moment::Before,
    };
    let mut word = || words.next().map(str::to_owned);
    let place = Place {
        moment,
        class: word()?,
        method: word()?,
        descriptor: word()?,
        offset: word()?.parse().ok()?,
    };
    Some((number, place))
}

/// The number of a place of the JDK; the scheduler's `Script` has the same.
fn jdk_number(place: JdkPlace) -> i64 {
    match place {
        JdkPlace::Park => -2,
        JdkPlace::Wait => -3,
        JdkPlace::Exit => -4,
        JdkPlace::Outside => -5,
        JdkPlace::Monitor => -6,
        JdkPlace::Task => -7,
    }
}

#[derive(Default)]
struct Writer {
    places: String,
    steps: String,
    /// The numbers of bytecodes, and the places that have been written.
    known: HashMap<(String, String, String, u32), u32>,
    written: HashSet<u32>,
    events: usize,
}

impl Writer {
    fn commands(&mut self, commands: &[Command<SwitchAction>]) -> Result<(), PlanError> {
        for command in commands {
            match command {
                Command::Event(event) => self.event(event)?,
                Command::Action(action) => self.action(action),
                Command::Loop(repeated) => {
                    let before = self.events;
                    self.steps += "do\tLOOP\n";
                    self.commands(&repeated.body)?;
                    let times = match repeated.times {
                        Times::Count(count) => count.get().to_string(),
                        Times::Endless if self.events == before => return Err(PlanError::Idle),
                        Times::Endless => "inf".to_owned(),
                    };
                    let _ = writeln!(self.steps, "do\tREPEAT\t{times}");
                }
            }
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), PlanError> {
        self.events += 1;
        let unresolved = || PlanError::Unresolved {
            place: event.location.to_string(),
        };
        let Location::Code(code) = &event.location else {
            return Err(unresolved());
        };
        let moment = match event.moment {
            Moment::Before => "before",
            Moment::In => "in",
        };
        let number = match code.jdk_place() {
            Some(place) => jdk_number(place),
            None => i64::from(self.place(code, event.moment).ok_or_else(unresolved)??),
        };
        let count = event.count.get();
        let text = format!("{moment} {} {count}", event.location);
        let _ = writeln!(self.steps, "do\tEVENT\t{number}\t{count}\t{moment}\t{text}");
        Ok(())
    }

    /// The number of a place; none if it is not resolved.
    fn place(&mut self, code: &CodeLocation, moment: Moment) -> Option<Result<u32, PlanError>> {
        let Method::Named {
            name,
            descriptor: Some(descriptor),
        } = &code.method
        else {
            return None;
        };
        let place = Place {
            moment,
            class: code.class.replace('.', "/"),
            method: name.to_string(),
            descriptor: descriptor.as_str().to_owned(),
            offset: code.offset,
        };
        let words = [&place.class, &place.method, &place.descriptor];
        if words.iter().any(|word| word.contains(char::is_control)) {
            let place = code.to_string();
            return Some(Err(PlanError::Control { place }));
        }
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let bytecode = (
            place.class.clone(),
            place.method.clone(),
            place.descriptor.clone(),
            place.offset,
        );
        let bytecode = *self.known.entry(bytecode).or_insert(next);
        let number = bytecode.saturating_mul(2) + u32::from(moment == Moment::In);
        if !self.written.insert(number) {
            return Some(Ok(number));
        }
        let word = match moment {
            Moment::Before => "before",
            Moment::In => "in",
        };
        let Place {
            class,
            method,
            descriptor,
            offset,
            ..
        } = &place;
        let _ = writeln!(
            self.places,
            "place\t{number}\t{word}\t{class}\t{method}\t{descriptor}\t{offset}"
        );
        Some(Ok(number))
    }

    fn action(&mut self, action: &SwitchAction) {
        let _ = match action {
            SwitchAction::Switch(target) => writeln!(self.steps, "do\tSWITCH\t{target}"),
            SwitchAction::Die(target) => writeln!(self.steps, "do\tDIE\t{target}"),
            SwitchAction::Notify(thread) => writeln!(self.steps, "do\tNOTIFY\t{thread}"),
            SwitchAction::Timeout(thread) => writeln!(self.steps, "do\tTIMEOUT\t{thread}"),
            SwitchAction::Terminate => writeln!(self.steps, "do\tTERMINATE"),
            SwitchAction::Log(log) => {
                let text = log.text().replace(char::is_control, " ");
                writeln!(self.steps, "do\tLOG\t{}\t{text}", log.level())
            }
        };
    }
}
