//! What a probe found out.

use serde::{Deserialize, Serialize};

use crate::failure::without_numbers;

/// How a probe came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It was tried and works.
    Works,
    /// It was tried and works with a restriction.
    Limited,
    /// It was tried and does not work, or it is not there to be tried.
    Fails,
}

/// What a probe saw, and what changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How it came out.
    pub state: State,
    /// What was seen, as a phrase: "not installed".
    pub detail: String,
    /// What to do about it: command lines, settings or flags, best first.
    pub fixes: Vec<String>,
}

impl Finding {
    /// It works.
    pub fn works(detail: impl Into<String>) -> Self {
        Self::new(State::Works, detail)
    }

    /// It works, but.
    pub fn limited(detail: impl Into<String>) -> Self {
        Self::new(State::Limited, detail)
    }

    /// It does not work.
    pub fn fails(detail: impl Into<String>) -> Self {
        Self::new(State::Fails, detail)
    }

    /// Adds a way to change it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fixes.push(fix.into());
        self
    }

    fn new(state: State, detail: impl Into<String>) -> Self {
        Self {
            state,
            detail: without_numbers(&detail.into()),
            fixes: Vec::new(),
        }
    }
}
