//! What is not in a recording, as it is told: what several processes lack alike is one note,
//! since a server with twenty workers would have it twenty times otherwise.

use reprise_recording::NotRecorded;

/// Notes of processes, those that are alike put together.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    all: Vec<Whose>,
}

/// A note and whose it is.
#[derive(Debug)]
struct Whose {
    first: String,
    last: String,
    /// How many others there are beside the first.
    others: u64,
    note: NotRecorded,
}

impl Notes {
    /// Adds a note of the process that `who` names. Those of a process come one after
    /// the other.
    pub(crate) fn add(&mut self, who: &str, what: &str, why: &str, count: u64) {
        let mut known = self.all.iter_mut();
        match known.find(|known| known.note.what == what && known.note.why == why) {
            Some(known) => {
                known.others += u64::from(known.last != who);
                who.clone_into(&mut known.last);
                known.note.count += count;
            }
            None => {
                let note = NotRecorded {
                    what: what.to_owned(),
                    why: why.to_owned(),
                    count,
                };
                self.all.push(Whose {
                    first: who.to_owned(),
                    last: who.to_owned(),
                    others: 0,
                    note,
                });
            }
        }
    }

    /// Each of them with whose it is, which is no question where there is one process.
    pub(crate) fn told(self, several: bool) -> impl Iterator<Item = NotRecorded> {
        self.all.into_iter().map(move |whose| {
            let Whose {
                first,
                others,
                note,
                ..
            } = whose;
            let what = match others {
                _ if !several => note.what,
                0 => format!("{first}: {}", note.what),
                1 => format!("{first} and another process: {}", note.what),
                _ => format!("{first} and {others} other processes: {}", note.what),
            };
            NotRecorded { what, ..note }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(notes: &[(&str, &str, u64)], several: bool) -> Vec<(String, u64)> {
        let mut all = Notes::default();
        for (who, what, count) in notes {
            all.add(who, what, "why", *count);
        }
        let told = all.told(several);
        told.map(|note| (note.what, note.count)).collect()
    }

    #[test]
    fn what_processes_lack_alike_is_one_note() {
        let notes = [
            ("process 1 (a)", "a file", 2),
            ("process 1 (a)", "a ring", 1),
            ("process 2 (b)", "a file", 1),
            ("process 3 (b)", "a file", 3),
            ("process 3 (b)", "a file", 1),
            ("process 3 (b)", "a ring", 1),
            ("process 3 (b)", "the rest of its run", 1),
        ];
        let expected = [
            ("process 1 (a) and 2 other processes: a file".to_owned(), 7),
            ("process 1 (a) and another process: a ring".to_owned(), 2),
            ("process 3 (b): the rest of its run".to_owned(), 1),
        ];
        assert_eq!(told(&notes, true), expected);
    }

    #[test]
    fn one_process_is_not_named() {
        let notes = [("process 1 (a)", "a file", 2)];
        assert_eq!(told(&notes, false), [("a file".to_owned(), 2)]);
    }
}
