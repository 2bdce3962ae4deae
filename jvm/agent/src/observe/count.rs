//! A dry run: nothing is recorded, calls between classes are counted.
//!
//! The result is a text in the place of the recording:
//!
//! ```text
//! class 3 com/acme/Cart
//! pair 3 7 1200          class 3 called class 7 so often; 0 is the JVM itself
//! ```

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use reprise_classfile::flow::parse_for_edit;

use super::{Session, natives};
use crate::jni::Frame;

/// The numbers of classes, from 1.
#[derive(Default)]
pub(super) struct Counted(Mutex<HashMap<String, u32>>);

impl Counted {
    fn number(&self, name: &str) -> u32 {
        let names = self.0.lock();
        let mut names = names.unwrap_or_else(PoisonError::into_inner);
        let next = u32::try_from(names.len()).unwrap_or(u32::MAX - 1) + 1;
        *names.entry(name.to_owned()).or_insert(next)
    }
}

/// The class with its counting; none when it stays as it was.
pub(super) fn instrument(session: &Session, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut number = |name: &str| session.counted.number(name);
    let class = parse_for_edit(bytes).ok()?;
    let instrumented = reprise_probes::count::count(&class, &mut number).ok()?;
    reprise_probes::plausible(&class, &instrumented.bytes).ok()?;
    Some(instrumented.bytes)
}

/// Has the runtime hand over what it has counted.
pub(super) fn finish(frame: Frame) {
    natives::run(frame, c"java/reprise/Count", c"report");
}

/// Writes the result.
pub(super) fn write(session: &Session, pairs: &[u8]) {
    let names = session.counted.0.lock();
    let names = names.unwrap_or_else(PoisonError::into_inner);
    let mut text = String::new();
    for (name, id) in names.iter() {
        let _ = writeln!(text, "class {id} {name}");
    }
    text += &String::from_utf8_lossy(pairs);
    let out = session.options.out.clone().unwrap_or_default();
    let out = super::recording::named(&out, std::process::id());
    if let Err(error) = std::fs::write(&out, text) {
        let out = out.display();
        crate::say(&format!("cannot write what was counted to {out}: {error}"));
    }
}
