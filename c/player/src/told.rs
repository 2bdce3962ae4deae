//! What a replay asks at each crossing, and what it is told: alone, or with others
//! ahead.

use reprise_c_events::{BUFFER_LEN, Crossing, QUESTION, SAME_MOST, Subject, answer, ask, ring};
use reprise_process_events::{Call, Write};

/// Makes calls of crossings.
pub(crate) struct Told<'s> {
    subject: &'s Subject,
    /// Crossings that will be told together.
    ahead: Vec<u8>,
    count: u64,
    /// How many crossings there were.
    crossings: u64,
    firsts: Vec<u64>,
}

impl<'s> Told<'s> {
    pub(crate) fn new(subject: &'s Subject) -> Self {
        Self {
            subject,
            ahead: Vec::new(),
            count: 0,
            crossings: 0,
            firsts: Vec::new(),
        }
    }

    /// The next crossing; nothing if it is longer than a replay has room for.
    pub(crate) fn tell(&mut self, crossing: Crossing, alone: bool) -> Option<Vec<Call>> {
        let mut calls = Vec::new();
        // A replay has to see that a value is next, or how many were as before, to know whether it
        // needs that already.
        let is_ahead = matches!(crossing, Crossing::Value { .. } | Crossing::Same { .. });
        let packed = match alone && !is_ahead || self.subject.ring == 0 {
            true => None,
            false => pack(&crossing).filter(|packed| packed.len() <= ring::LEN),
        };
        let room = packed.as_ref().is_some_and(|packed| {
            !alone && self.count < ring::MOST && self.ahead.len() + packed.len() <= ring::LEN
        });
        if !room && self.count > 0 {
            self.flush(&mut calls);
        }
        if let Some(packed) = packed {
            self.ahead.extend(packed);
            self.count += 1;
        } else {
            if self.subject.ring != 0 {
                calls.push(self.call(&[ask::MORE], 0, Vec::new())?);
                self.firsts.push(self.crossings);
            }
            for call in self.alone(crossing)? {
                calls.push(call);
                self.firsts.push(self.crossings);
            }
        }
        self.crossings += 1;
        if alone && self.count > 0 {
            self.flush(&mut calls);
        }
        Some(calls)
    }

    /// Which crossing is the first of each call. Nothing waits any more, since the last
    /// crossing is told alone.
    pub(crate) fn finish(self) -> Vec<u64> {
        self.firsts
    }

    /// Nothing is known of what comes next, but that reads which were no event may have been
    /// on the way there.
    pub(crate) fn and_no_more(subject: &Subject) -> Call {
        let words = [ring::SAME, u64::from(SAME_MOST)];
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        Self::more(subject, bytes)
    }

    fn more(subject: &Subject, bytes: Vec<u8>) -> Call {
        Call {
            number: QUESTION,
            ip: subject.question,
            arguments: vec![ask::MORE],
            result: bytes.len() as u64,
            writes: vec![Write {
                address: subject.ring,
                bytes,
            }],
            ..Call::default()
        }
    }

    fn flush(&mut self, calls: &mut Vec<Call>) {
        let bytes = std::mem::take(&mut self.ahead);
        self.firsts.push(self.crossings - self.count);
        self.count = 0;
        calls.push(Self::more(self.subject, bytes));
    }

    fn call(&self, arguments: &[u64], result: u64, bytes: Vec<u8>) -> Option<Call> {
        let fits = bytes.len() <= BUFFER_LEN;
        let writes = match bytes.is_empty() {
            true => Vec::new(),
            false => vec![Write {
                address: self.subject.buffer,
                bytes,
            }],
        };
        fits.then(|| Call {
            number: QUESTION,
            ip: self.subject.question,
            arguments: arguments.to_vec(),
            result,
            writes,
            ..Call::default()
        })
    }

    fn alone(&self, crossing: Crossing) -> Option<Vec<Call>> {
        Some(match crossing {
            Crossing::Entry {
                function,
                arguments,
            } => {
                let result = answer::ENTRY + u64::from(function);
                vec![self.call(&[ask::NEXT], result, arguments)?]
            }
            Crossing::Value { site, bytes, .. } => {
                vec![self.call(&[ask::VALUE, u64::from(site)], 0, bytes)?]
            }
            Crossing::Result {
                site,
                bytes,
                filled,
            } => {
                let mut call = self.call(&[ask::NEXT, u64::from(site)], answer::RESULT, bytes)?;
                for (address, bytes) in filled {
                    call.writes.push(Write { address, bytes });
                }
                vec![call]
            }
            // They stand in front of what is told, and behind it; or are said in full. Programs
            // that are told each alone have none that are counted.
            Crossing::Forked { .. }
            | Crossing::Left { .. }
            | Crossing::Same { .. }
            | Crossing::SameResult { .. }
            | Crossing::NearResult { .. }
            | Crossing::LikeEntry { .. } => Vec::new(),
            Crossing::Turn { thread, new } => {
                let result = answer::SWITCH + (u64::from(thread) << 1 | u64::from(new));
                vec![self.call(&[ask::NEXT], result, Vec::new())?]
            }
            Crossing::Jump { mark, value } => {
                let result = answer::JUMP + u64::from(mark);
                vec![self.call(&[ask::NEXT], result, value.to_le_bytes().to_vec())?]
            }
            Crossing::End { sum, .. } => vec![
                self.call(&[ask::NEXT], answer::END, Vec::new())?,
                self.call(&[ask::END, sum], 0, Vec::new())?,
            ],
        })
    }
}

/// A crossing as it is in the ring, if it can be told ahead.
fn pack(crossing: &Crossing) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let word = |out: &mut Vec<u8>, word: u64| out.extend_from_slice(&word.to_le_bytes());
    let padded = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(8), 0);
    };
    let value;
    if let Crossing::Same { count } = crossing {
        word(&mut out, ring::COUNTED);
        word(&mut out, u64::from(*count));
        return Some(out);
    }
    let (kind, number, bytes) = match crossing {
        Crossing::Entry {
            function,
            arguments,
        } => (1, *function, arguments),
        Crossing::Value { site, same, bytes } => (if *same > 0 { 9 } else { 2 }, *site, bytes),
        Crossing::Result { site, bytes, .. } => (3, *site, bytes),
        Crossing::Turn { thread, new } => {
            value = Vec::new();
            (6, *thread << 1 | u32::from(*new), &value)
        }
        Crossing::Jump { mark, value: given } => {
            value = given.to_le_bytes().to_vec();
            (5, *mark, &value)
        }
        Crossing::Forked { .. }
        | Crossing::Left { .. }
        | Crossing::Same { .. }
        | Crossing::SameResult { .. }
        | Crossing::NearResult { .. }
        | Crossing::LikeEntry { .. }
        | Crossing::End { .. } => return None,
    };
    if bytes.len() > BUFFER_LEN {
        return None;
    }
    word(&mut out, kind);
    word(&mut out, u64::from(number));
    word(&mut out, bytes.len() as u64);
    if let Crossing::Value {
        same: same @ 1.., ..
    } = crossing
    {
        word(&mut out, u64::from(*same));
    }
    padded(&mut out, bytes);
    if let Crossing::Result { filled, .. } = crossing {
        word(&mut out, filled.len() as u64);
        for (address, bytes) in filled {
            word(&mut out, *address);
            word(&mut out, bytes.len() as u64);
            padded(&mut out, bytes);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(site: u32, len: usize) -> Crossing {
        Crossing::Value {
            site,
            same: site / 4,
            bytes: vec![7; len],
        }
    }

    #[test]
    fn few_are_told_together_and_the_last_by_itself_and_long_ones_alone() {
        let subject = Subject {
            ring: 0x1000,
            ..Subject::default()
        };
        let mut told = Told::new(&subject);
        let mut calls = Vec::new();
        let long = Crossing::Result {
            site: 9,
            bytes: Vec::new(),
            filled: vec![(0x2000, vec![1; ring::LEN])],
        };
        for (crossing, alone) in [
            (value(1, 4), false),
            (value(2, 9), false),
            (long, false),
            (value(3, 8), false),
            (value(4, 8), true),
        ] {
            calls.extend(told.tell(crossing, alone).unwrap());
        }
        let asked: Vec<(u64, u64)> = calls
            .iter()
            .map(|one| (one.arguments[0], one.result))
            .collect();
        let expected = [
            &[(ask::MORE, 72)][..],
            &[(ask::MORE, 0), (ask::NEXT, 0)],
            &[(ask::MORE, 32)],
            // Behind a read that was no event.
            &[(ask::MORE, 40)],
        ];
        assert_eq!(asked, expected.concat());
        assert_eq!(told.finish(), [0, 2, 2, 3, 4]);
    }

    #[test]
    fn a_program_without_a_ring_asks_for_each() {
        let subject = Subject::default();
        let mut told = Told::new(&subject);
        let calls = told.tell(value(1, 4), false).unwrap();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].arguments, [ask::VALUE, 1]);
    }
}
