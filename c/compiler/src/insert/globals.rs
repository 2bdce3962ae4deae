//! Where variables are: inside ones in a section of their own, and outside ones in another, whose
//! pages a replay does not have. An access that was computed to be one of inside memory is not
//! looked at; where it is one of an outside variable all the same, the replay ends there, and does
//! not go on with what that variable held at first. All other outside memory is not there anyway.

use reprise_c_analysis::model::Storage;
use reprise_c_events::{INSIDE, OUTSIDE};

use super::Inserter;
use crate::ir::{LLVMLinkage, Value};

const PAGE: u64 = 4096;

/// Variables that begin with zeros are in the program's file, in such a section: those that are
/// longer stay where they are.
const ZEROS: u64 = 1 << 16;

impl Inserter<'_> {
    pub(super) fn globals(&self) {
        let mut outside = Vec::new();
        for global in self.module.globals() {
            let Some(object) = self.reading.objects.get(&global) else {
                continue;
            };
            let known = &self.reading.program.objects[*object as usize];
            if known.storage != Storage::Global {
                continue;
            }
            match self.boundary.objects[*object as usize] {
                true => global.set_section(INSIDE),
                false if self.can_be_elsewhere(global) => outside.push(global),
                false => {}
            }
        }
        let bytes = vec![0; PAGE as usize];
        let end = self.module.constant_bytes(&bytes);
        let last = self.module.global("__reprise_outside_end", end.kind());
        last.set_initializer(end);
        // Pages that it shares with nobody.
        for edge in [outside.first().copied().unwrap_or(last), last] {
            edge.set_alignment(PAGE.max(edge.alignment()));
        }
        for global in outside.into_iter().chain([last]) {
            global.set_section(OUTSIDE);
        }
    }

    /// Whether a variable is one that this program has, that changes, and of which nobody has said
    /// where it is to be.
    fn can_be_elsewhere(&self, global: Value) -> bool {
        let Some(initializer) = global.initializer() else {
            return false;
        };
        let is_short = self.module.padded_size(global.value_type()) <= ZEROS;
        !global.is_unchanging()
            && !global.is_thread_local()
            && !global.has_section()
            // The linker finds out which of several it is.
            && global.linkage() != LLVMLinkage::LLVMCommonLinkage
            && (is_short || !initializer.is_zero())
    }
}
