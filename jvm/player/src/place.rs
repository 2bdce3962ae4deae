//! Where a divergence was when the JVM could not say: at the end of a method, no
//! instruction of it is left. The recording knows which method was to return.

use reprise_jvm_events::event::Event;
use reprise_jvm_events::reader::Reader;
use reprise_recording::{Recording, Source};

use crate::PlayError;
use crate::divergence::{Divergence, Location};

/// The recording is gone through for each of them.
const MOST: usize = 20;

/// Gives each divergence that has no place the method that was being played.
pub(crate) fn fill<S: Source>(
    recording: &Recording<S>,
    tables: &Reader,
    divergences: &mut [Divergence],
) -> Result<(), PlayError> {
    let nowhere = divergences.iter_mut().filter(|d| d.location.is_none());
    for divergence in nowhere.take(MOST) {
        let method = innermost(recording, tables, divergence)?;
        divergence.location = method.map(|method| Location { method, line: 0 });
    }
    Ok(())
}

/// The innermost inside method that outside code has called and that has not
/// come back.
fn innermost<S: Source>(
    recording: &Recording<S>,
    tables: &Reader,
    divergence: &Divergence,
) -> Result<Option<String>, PlayError> {
    let mut reader = tables.clone();
    let thread = recording
        .streams()
        .find(|(stream, _)| *stream == divergence.stream)
        .map_or(0, |(_, info)| info.thread);
    let mut open = Vec::new();
    let mut events = recording.events(divergence.stream, 0)?;
    while let Some(event) = events.next()? {
        if event.number >= divergence.position {
            break;
        }
        match reader.event(thread, event.payload) {
            Ok(Event::InCall { method, .. }) => open.push(method),
            Ok(Event::InCallRet { .. } | Event::ExcOut { .. }) => drop(open.pop()),
            _ => {}
        }
    }
    let method = open.pop().and_then(|id| tables.tables().methods.get(&id));
    Ok(method.map(|(method, _)| {
        let class = tables.tables().classes.get(&method.class);
        let class = class.map_or("", |class| class.name.as_str());
        format!("{}.{}", class.replace('/', "."), method.name)
    }))
}
