//! The bytes of a partial log, version 1.
//!
//! ```text
//!  byte       1, the version
//!  program    text name, 16 bytes hash of the code, number of SPEs
//!  run        16 bytes
//!  outcome    byte 0                                │ passed
//!             byte 1, text what, text place         │ failed
//!  share      list of (number SPE, 16 bytes hash of its vector), ascending;
//!             the SPE as the distance from the one after the SPE before
//!  threads    list of (number parent + 1 or 0, number order of birth)
//!  vectors    for each SPE of the share: list of stretches
//!
//!  stretch    number (accesses − 1) × threads + thread: one byte for most
//!  list       number of elements, the elements
//!  text       number of bytes, UTF-8
//!  number     seven bits to a byte, lowest first, top bit set on all but the
//!             last
//! ```
//! The share comes before what is long, so the statistics read the front of a
//! log only ([`read_summary`]). [`read`] holds every hash against its vector.

use super::thread::{Birth, ThreadError, ThreadId, ThreadMap};
use super::vector::AccessVector;
use super::{
    Failure, Fingerprint, LogError, Outcome, PartialLog, Program, RunId, Spe, Summary, limits,
};

const VERSION: u8 = 1;

/// Why bytes are no partial log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// They end inside a value.
    #[error("the partial log ends too early")]
    Short,
    /// A version that this reader does not know.
    #[error("the partial log has the format version {0}; this program reads version {VERSION}")]
    Version(u8),
    /// A byte that says which of several things follows says none of them.
    #[error("{what} cannot be {found}")]
    Choice {
        /// What the byte decides.
        what: &'static str,
        /// The byte.
        found: u8,
    },
    /// A number above what its place allows.
    #[error("{what} is {found}, more than {most}")]
    TooLarge {
        /// What the number is.
        what: &'static str,
        /// The number.
        found: u64,
        /// The limit.
        most: u64,
    },
    /// A number of more than 64 bits.
    #[error("a number has more than 64 bits")]
    Number,
    /// A text that is not UTF-8.
    #[error("a text is not UTF-8")]
    Text,
    /// Two neighbouring stretches of the same thread.
    #[error("the vector of SPE {spe} has two stretches of one thread side by side")]
    Stretch {
        /// The SPE.
        spe: u32,
    },
    /// A vector with too many accesses.
    #[error("the vector of SPE {spe} has more accesses than a vector may have")]
    Accesses {
        /// The SPE.
        spe: u32,
    },
    /// A vector that is not what its hash says.
    #[error("the vector of SPE {spe} does not have the hash that the partial log gives it")]
    Hash {
        /// The SPE.
        spe: u32,
    },
    /// The thread map is impossible.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// A vector is impossible.
    #[error(transparent)]
    Log(#[from] LogError),
    /// There is more than the log.
    #[error("{0} bytes follow the partial log")]
    Long(usize),
}

/// Appends a log to `out`.
///
/// Text above [`limits::TEXT`] is cut, at a character: a log that nobody can
/// read would help nobody.
pub fn write(log: &PartialLog, out: &mut Vec<u8>) {
    out.push(VERSION);
    put_text(out, &log.program.name);
    out.extend(log.program.version);
    put_number(out, u64::from(log.program.spes));
    out.extend(log.run.0);
    match &log.outcome {
        Outcome::Passed => out.push(0),
        Outcome::Failed(failure) => {
            out.push(1);
            put_text(out, &failure.what);
            put_text(out, &failure.place);
        }
    }
    put_number(out, log.vectors.len() as u64);
    let mut next = 0;
    for (spe, _, print) in log.vectors() {
        put_number(out, u64::from(spe.0 - next));
        out.extend(print.0);
        next = spe.0 + 1;
    }
    put_number(out, log.threads.len() as u64);
    for birth in log.threads.births() {
        let parent = birth.parent.map_or(0, |parent| u64::from(parent.0) + 1);
        put_number(out, parent);
        put_number(out, u64::from(birth.order));
    }
    let threads = log.threads.len() as u64;
    for (_, vector, _) in log.vectors() {
        put_number(out, vector.stretches().len() as u64);
        for stretch in vector.stretches() {
            // Within 57 bits, by the limits.
            let number = (stretch.count - 1) * threads + u64::from(stretch.thread.0);
            put_number(out, number);
        }
    }
}

/// Reads a log that is all of `bytes`, and checks the hash of each vector.
pub fn read(bytes: &[u8]) -> Result<PartialLog, ReadError> {
    let mut bytes = In(bytes);
    let summary = bytes.summary()?;
    let threads = bytes.threads()?;
    let mut log = PartialLog::new(summary.program, summary.run, summary.outcome, threads);
    for (spe, print) in summary.share {
        let vector = bytes.vector(spe, &log.threads)?;
        if log.insert(spe, vector)? != print {
            return Err(ReadError::Hash { spe: spe.0 });
        }
    }
    match bytes.0.len() {
        0 => Ok(log),
        more => Err(ReadError::Long(more)),
    }
}

/// Reads the front of a log. `bytes` may end behind the share, and the hashes
/// are taken as they stand.
pub fn read_summary(bytes: &[u8]) -> Result<Summary, ReadError> {
    In(bytes).summary()
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(limits::TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    put_number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

struct In<'a>(&'a [u8]);

impl<'a> In<'a> {
    fn summary(&mut self) -> Result<Summary, ReadError> {
        let version = self.byte()?;
        if version != VERSION {
            return Err(ReadError::Version(version));
        }
        let program = Program {
            name: self.text()?,
            version: self.array()?,
            spes: self.at_most("the number of SPEs", u64::from(limits::SPES))? as u32,
        };
        Ok(Summary {
            run: RunId(self.array()?),
            outcome: self.outcome()?,
            share: self.share(program.spes)?,
            program,
        })
    }

    fn outcome(&mut self) -> Result<Outcome, ReadError> {
        match self.byte()? {
            0 => Ok(Outcome::Passed),
            1 => Ok(Outcome::Failed(Failure {
                what: self.text()?,
                place: self.text()?,
            })),
            found => Err(ReadError::Choice {
                what: "the outcome of a run",
                found,
            }),
        }
    }

    fn share(&mut self, spes: u32) -> Result<Vec<(Spe, Fingerprint)>, ReadError> {
        let count = self.count("the number of SPEs in the share", u64::from(spes), 17)?;
        let mut share = Vec::with_capacity(count);
        let mut next = 0;
        for _ in 0..count {
            let gap = self.number()?;
            let spe = u64::from(next).saturating_add(gap);
            if spe >= u64::from(spes) {
                let spe = u32::try_from(spe).unwrap_or(u32::MAX);
                return Err(LogError::NoSpe { spe, spes }.into());
            }
            share.push((Spe(spe as u32), Fingerprint(self.array()?)));
            next = spe as u32 + 1;
        }
        Ok(share)
    }

    fn threads(&mut self) -> Result<ThreadMap, ReadError> {
        let count = self.count("the number of threads", limits::THREADS as u64, 2)?;
        let mut threads = ThreadMap::default();
        for _ in 0..count {
            let parent = self.at_most("a thread's parent", limits::THREADS as u64)?;
            let order = self.at_most("a thread's order of birth", u64::from(u32::MAX))?;
            let parent = parent.checked_sub(1).map(|parent| ThreadId(parent as u32));
            let order = order as u32;
            threads.add(Birth { parent, order })?;
        }
        Ok(threads)
    }

    fn vector(&mut self, spe: Spe, threads: &ThreadMap) -> Result<AccessVector, ReadError> {
        let count = self.count("the number of stretches", limits::ACCESSES, 1)?;
        let mut vector = AccessVector::default();
        for read in 1..=count {
            let number = self.number()?;
            let threads = threads.len() as u64;
            let (Some(count), Some(thread)) =
                (number.checked_div(threads), number.checked_rem(threads))
            else {
                return Err(LogError::NoThread { spe: spe.0 }.into());
            };
            vector
                .push(ThreadId(thread as u32), count.saturating_add(1))
                .map_err(|_| ReadError::Accesses { spe: spe.0 })?;
            if vector.stretches().len() != read {
                return Err(ReadError::Stretch { spe: spe.0 });
            }
        }
        Ok(vector)
    }

    /// The length of a list whose elements have at least `size` bytes each. It
    /// is never more than the bytes that are left can hold.
    fn count(&mut self, what: &'static str, most: u64, size: usize) -> Result<usize, ReadError> {
        let count = self.at_most(what, most)?;
        match usize::try_from(count) {
            Ok(count) if count <= self.0.len() / size => Ok(count),
            _ => Err(ReadError::Short),
        }
    }

    fn at_most(&mut self, what: &'static str, most: u64) -> Result<u64, ReadError> {
        match self.number()? {
            found if found > most => Err(ReadError::TooLarge { what, found, most }),
            found => Ok(found),
        }
    }

    fn number(&mut self) -> Result<u64, ReadError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ReadError::Number)
    }

    fn text(&mut self) -> Result<String, ReadError> {
        let length = self.count("the length of a text", limits::TEXT as u64, 1)?;
        let bytes = self.take(length)?;
        let text = std::str::from_utf8(bytes).map_err(|_| ReadError::Text)?;
        Ok(text.to_owned())
    }

    fn byte(&mut self) -> Result<u8, ReadError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let (array, left) = self.0.split_first_chunk().ok_or(ReadError::Short)?;
        self.0 = left;
        Ok(*array)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        let (taken, left) = self.0.split_at_checked(length).ok_or(ReadError::Short)?;
        self.0 = left;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests;
