//! Every call returns: the checker of a thread's events.
//!
//! The sides alternate. From the outside come INCALLs, each closed by an
//! INCALLRET or EXCOUT; while one is open the inside makes OUTCALLs, each
//! closed by an OUTCALLRET or EXCIN; and so on, to any depth. A recording that
//! was complete ends with nothing open, but for threads that were still there
//! when the program ended.

use crate::event::Event;

/// What is open at a point of a thread's events.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    open: Vec<Open>,
}

/// What was called and has not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the events that open them")]
pub enum Open {
    InCall,
    OutCall,
    Touch,
}

/// An event that cannot come here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{event} cannot follow while {} is open", .open.map_or("nothing", Open::name))]
pub struct NestingError {
    /// The event.
    pub event: &'static str,
    /// The innermost that is open.
    pub open: Option<Open>,
}

impl Open {
    fn name(self) -> &'static str {
        match self {
            Self::InCall => "an INCALL",
            Self::OutCall => "an OUTCALL",
            Self::Touch => "a TOUCH",
        }
    }
}

impl Nesting {
    /// How deep the calls are nested now.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Goes on to the next event of the thread.
    pub fn step(&mut self, event: &Event) -> Result<(), NestingError> {
        let open = self.open.last().copied();
        let inside = open == Some(Open::InCall);
        let error = |event| Err(NestingError { event, open });
        match event {
            Event::InCall { .. } if inside => return error("INCALL"),
            Event::InCall { .. } => self.open.push(Open::InCall),
            Event::OutCall { .. } if inside => self.open.push(Open::OutCall),
            Event::OutCall { .. } => return error("OUTCALL"),
            Event::Touch { .. } if inside => self.open.push(Open::Touch),
            Event::Touch { .. } => return error("TOUCH"),
            Event::InCallRet { .. } if inside => drop(self.open.pop()),
            Event::InCallRet { .. } => return error("INCALLRET"),
            Event::ExcOut { .. } if inside => drop(self.open.pop()),
            Event::ExcOut { .. } => return error("EXCOUT"),
            Event::OutCallRet { .. } if open == Some(Open::OutCall) => drop(self.open.pop()),
            Event::OutCallRet { .. } => return error("OUTCALLRET"),
            Event::Touched if open == Some(Open::Touch) => drop(self.open.pop()),
            Event::Touched => return error("TOUCHED"),
            Event::ExcIn { .. } if open.is_some() && !inside => drop(self.open.pop()),
            Event::ExcIn { .. } => return error("EXCIN"),
            Event::OutRead(_) | Event::OutWrite(_) => match open {
                Some(Open::InCall) => {}
                Some(Open::Touch) => drop(self.open.pop()),
                _ => return error("OUTREAD or OUTWRITE"),
            },
            Event::InWrite(_) if inside => return error("INWRITE"),
            Event::Same { .. } if !inside => return error("SAME"),
            // Object.wait enters a monitor, too, and is outside.
            Event::Order { .. } | Event::Begin { .. } | Event::Same { .. } => {}
            Event::InWrite(_) | Event::Array { .. } | Event::Count { .. } | Event::Adopt { .. } => {
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Reference;

    fn check(kinds: &str) -> Result<usize, NestingError> {
        let mut nesting = Nesting::default();
        for kind in kinds.chars() {
            let (site, throwable) = (1, Reference::Null);
            nesting.step(&match kind {
                '(' => Event::InCall {
                    method: 1,
                    receiver: None,
                    arguments: Vec::new(),
                },
                ')' => Event::InCallRet { value: None },
                '<' => Event::OutCall {
                    site,
                    receiver: None,
                    arguments: Vec::new(),
                },
                '>' => Event::OutCallRet { value: None },
                'x' => Event::ExcOut { throwable },
                'e' => Event::ExcIn { throwable },
                't' => Event::Touch { site },
                _ => Event::Touched,
            })?;
        }
        Ok(nesting.depth())
    }

    #[test]
    fn the_sides_alternate() {
        assert_eq!(
            check("(<><(<e)>)(x(tT(t"),
            Err(NestingError {
                event: "INCALL",
                open: Some(Open::InCall),
            })
        );
        assert_eq!(check("(<><(<e)>)(x(tT)(t(x"), Ok(2));
        assert_eq!(
            check("(>").unwrap_err().to_string(),
            "OUTCALLRET cannot follow while an INCALL is open"
        );
        assert_eq!(
            check("<").unwrap_err().to_string(),
            "OUTCALL cannot follow while nothing is open"
        );
        assert!(check("(e").is_err());
        assert!(check("(<)").is_err());
    }
}
