//! What the subject made and is still there when it has ended.

use crate::session::{Phase, Session};
use crate::turns::{self, Quiet};

/// Processes that the subject made and that have outlived it.
pub struct Leftover {
    pub(super) members: Vec<Session>,
    pub(super) quiet: Quiet,
}

impl Leftover {
    /// Whether there are any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Lets each of them go where it next makes a system call. They are not woken
    /// for that, so it may take long.
    pub fn let_go(self) {
        let Self { members, quiet } = self;
        let mut members = members;
        while !members.is_empty() {
            let mut born = Vec::new();
            members.retain_mut(|member| {
                let stepped = member.step();
                born.append(&mut member.born);
                stepped.is_ok() && !matches!(member.phase, Phase::Over(_))
            });
            members.append(&mut born);
            if !members.is_empty() {
                turns::sleep(members.iter().filter_map(|one| one.wake).min());
            }
        }
        drop(quiet);
    }
}
