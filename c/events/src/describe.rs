//! Events for people.

use crate::{Crossing, LEFT, Program};

/// One event, in a line.
pub fn describe(event: &Crossing, program: &Program) -> String {
    let at = |site: u32| match program.sites.get(site as usize) {
        Some(site) => format!("{} ({})", site.function, site.place),
        None => format!("site {site}"),
    };
    let what = |site: u32| match program.sites.get(site as usize) {
        Some(site) if !site.what.is_empty() => site.what.clone(),
        _ => "a function".to_owned(),
    };
    match event {
        Crossing::Entry {
            function,
            arguments,
        } => {
            let name = program.entries.get(*function as usize);
            let name = name.map_or_else(|| format!("function {function}"), Clone::clone);
            let (words, _) = arguments.as_chunks::<8>();
            let words = words.iter().map(|word| number(word));
            format!("calls {name}({})", words.collect::<Vec<_>>().join(", "))
        }
        Crossing::Value { site, same, bytes } => {
            let before = match same {
                0 => String::new(),
                1 => ", after one that was as before".to_owned(),
                many => format!(", after {many} that were as before"),
            };
            format!("{} reads {}{before}", at(*site), number(bytes))
        }
        Crossing::Result {
            site,
            bytes,
            filled,
        } => {
            let result = if bytes.is_empty() {
                String::new()
            } else {
                format!(" {}", number(bytes))
            };
            let filled: usize = filled.iter().map(|(_, bytes)| bytes.len()).sum();
            let filled = match filled {
                0 => String::new(),
                len => format!(", with {len} bytes"),
            };
            format!("{} returns{result} to {}{filled}", what(*site), at(*site))
        }
        Crossing::SameResult { site } => {
            format!("{} returns the same to {} again", what(*site), at(*site))
        }
        Crossing::NearResult { site, more } => {
            let than = match more {
                0.. => "more than before",
                _ => "less than before",
            };
            let (what, at, by) = (what(*site), at(*site), more.unsigned_abs());
            format!("{what} returns {by} {than} to {at}")
        }
        Crossing::Same { count: 1 } => "a read or a result was as before".to_owned(),
        Crossing::Same { count } => format!("{count} reads and results were as before"),
        Crossing::LikeEntry {
            function,
            changed,
            arguments,
        } => {
            let name = program.entries.get(*function as usize);
            let name = name.map_or_else(|| format!("function {function}"), Clone::clone);
            let places = (0..u64::BITS).filter(|bit| changed >> bit & 1 != 0);
            let others = places
                .zip(arguments)
                .map(|(place, argument)| format!("argument {} is {}", place + 1, number(argument)));
            let others: Vec<String> = others.collect();
            match others.is_empty() {
                true => format!("calls {name} as before"),
                false => format!("calls {name} as before, but {}", others.join(", ")),
            }
        }
        Crossing::Forked { process, events } => {
            format!("begins as a child of process {process}, behind {events} events")
        }
        Crossing::Turn { thread, .. } => format!("it is the turn of thread {thread}"),
        Crossing::Jump {
            mark: LEFT..,
            value,
        } => format!("jumps over inside functions with {value}"),
        Crossing::Jump { mark, value } => format!("jumps to mark {mark} with {value}"),
        Crossing::Left { why, site: None } => format!("is not recorded any more: {why}"),
        Crossing::Left {
            why,
            site: Some(site),
        } => format!("is not recorded any more: {why}, in {}", at(*site)),
        Crossing::End { .. } => "ends".to_owned(),
    }
}

fn number(bytes: &[u8]) -> String {
    if bytes.len() > 8 {
        return format!("{} bytes", bytes.len());
    }
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    match u64::from_le_bytes(word) {
        small @ 0..0x1_0000 => small.to_string(),
        large => format!("{large:#x}"),
    }
}
