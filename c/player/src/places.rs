//! Where a replay is, in the words of the program.

use reprise_c_events::{Program, ask, describe, read};
use reprise_recording::{Recording, Source};

/// What a replay asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// What is next.
    Next,
    /// A value.
    Value,
    /// It has come to its end.
    End,
    /// It needs more.
    More,
}

impl Asked {
    /// What the first argument of a question says.
    pub fn of(what: u64) -> Option<Self> {
        match what {
            ask::NEXT => Some(Self::Next),
            ask::VALUE => Some(Self::Value),
            ask::END => Some(Self::End),
            ask::MORE => Some(Self::More),
            _ => None,
        }
    }

    /// For people.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Next => "a call to return",
            Self::Value => "a read of outside memory",
            Self::End => "the end",
            Self::More => "something else",
        }
    }
}

/// A site in words.
pub(crate) fn site(program: &Program, site: u64) -> String {
    let site = usize::try_from(site)
        .ok()
        .and_then(|site| program.sites.get(site));
    match site {
        Some(site) if site.what.is_empty() => format!("{} ({})", site.function, site.place),
        Some(site) => format!("{} in {} ({})", site.what, site.function, site.place),
        None => "no place that is known".to_owned(),
    }
}

impl crate::translate::Translated {
    /// What crossed the boundary in the run, in words.
    pub fn recorded<S: Source>(&self, recording: &Recording<S>, number: u64) -> String {
        let mut left = number;
        let piece = self.pieces.iter().find_map(|piece| {
            let len = piece.to - piece.from;
            match left < len {
                true => Some((piece.stream, piece.from + left)),
                false => {
                    left -= len;
                    None
                }
            }
        });
        let payload = piece.and_then(|(stream, number)| {
            let mut events = recording.events(stream, number).ok()?;
            let event = events.next().ok()??;
            read(event.payload).ok()
        });
        payload.map_or_else(
            || "an event that cannot be read".to_owned(),
            |event| format!("\"{}\"", describe(&event, &self.subject.program)),
        )
    }

    /// A site in words.
    pub fn site(&self, number: u64) -> String {
        site(&self.subject.program, number)
    }
}

#[cfg(test)]
mod tests {
    use reprise_c_events::Site;

    use super::*;

    #[test]
    fn sites_in_words() {
        let at = |what: &str| Site {
            function: "in_work".to_owned(),
            place: "main.c:9".to_owned(),
            what: what.to_owned(),
        };
        let program = Program {
            sites: vec![at(""), at("rand")],
            ..Program::default()
        };
        assert_eq!(site(&program, 0), "in_work (main.c:9)");
        assert_eq!(site(&program, 1), "rand in in_work (main.c:9)");
        // Whatever a false recording, or a replay of it, asks for.
        for none in [2, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(site(&program, none), "no place that is known");
        }
    }

    #[test]
    fn questions_in_words() {
        let words = |what| Asked::of(what).map(|asked| asked.describe());
        assert_eq!(words(ask::NEXT), Some("a call to return"));
        assert_eq!(words(ask::VALUE), Some("a read of outside memory"));
        assert_eq!(words(ask::END), Some("the end"));
        assert_eq!(words(ask::OTHER), None);
        assert_eq!(words(0), None);
    }
}
