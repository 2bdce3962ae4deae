//! Which class extends which, as far as the program says.

use std::collections::{HashMap, HashSet};

use reprise_classfile::read::{ClassFile, ReadError};
use reprise_schedule::Blocks;

use crate::blocking;

/// The classes and interfaces directly above each class of the program.
#[derive(Default)]
pub(crate) struct Hierarchy(HashMap<String, Vec<String>>);

impl Hierarchy {
    pub(crate) fn add(&mut self, class: &ClassFile<'_>, name: String) -> Result<(), ReadError> {
        let mut above = Vec::new();
        above.extend(class.super_name()?.map(|name| name.to_string()));
        for interface in &class.interfaces {
            above.push(class.pool.class_name(*interface)?.to_string());
        }
        self.0.insert(name, above);
        Ok(())
    }

    /// Whether a class is a part of the program.
    pub(crate) fn has(&self, class: &str) -> bool {
        self.0.contains_key(class)
    }

    /// Whether a class is another one of the JDK, or below it; none if it is below itself.
    pub(crate) fn is_below(&self, class: &str, other: &str) -> Option<bool> {
        let mut at = class;
        for _ in 0..=self.0.len() {
            if at == other {
                return Some(true);
            }
            // The superclass is the first; of the JDK's own, only the one itself is meant.
            match self.0.get(at).and_then(|above| above.first()) {
                Some(above) => at = above,
                None => return Some(false),
            }
        }
        None
    }

    /// Whether a method of a class can block: it or a class above it is known to.
    pub(crate) fn blocks(&self, class: &str, method: &str) -> Blocks {
        let mut seen = HashSet::new();
        let mut left = vec![class];
        let mut unknown = false;
        while let Some(class) = left.pop() {
            if blocking::is_blocking(class, method) {
                return Blocks::Yes;
            }
            if !seen.insert(class) || class == "java/lang/Object" {
                continue;
            }
            match self.0.get(class) {
                Some(above) => left.extend(above.iter().map(String::as_str)),
                None => unknown = true,
            }
        }
        if unknown { Blocks::Perhaps } else { Blocks::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_blocks_by_inheritance() {
        let above = [
            ("Worker", vec!["Base"]),
            ("Base", vec!["java/lang/Thread", "java/lang/Runnable"]),
            ("Table", vec!["java/lang/Object"]),
            ("Queue", vec!["java/util/concurrent/ArrayBlockingQueue"]),
            ("Loop", vec!["Loop"]),
        ];
        let above = above.map(|(name, above)| {
            (
                name.to_owned(),
                above.iter().map(ToString::to_string).collect(),
            )
        });
        let hierarchy = Hierarchy(above.into());
        assert_eq!(hierarchy.blocks("java/lang/Object", "wait"), Blocks::Yes);
        assert_eq!(hierarchy.blocks("Table", "wait"), Blocks::Yes);
        assert_eq!(hierarchy.blocks("Worker", "join"), Blocks::Yes);
        assert_eq!(hierarchy.blocks("Table", "join"), Blocks::No);
        assert_eq!(hierarchy.blocks("Queue", "take"), Blocks::Perhaps);
        assert_eq!(hierarchy.blocks("Loop", "take"), Blocks::No);
    }
}
