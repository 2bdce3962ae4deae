//! From what the agent has written to a partial log.
//!
//! The agent's folder has one file with parts, of which each is the memory of an element's
//! vector or of the words of all elements; see the scheduler's `Share`. A run that was
//! killed left them as they were.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::Path;

use reprise_coop::log::thread::{Birth, ThreadId, ThreadMap};
use reprise_coop::log::vector::AccessVector;
use reprise_coop::log::{Outcome, PartialLog, Program, RunId, Spe};

use crate::record::free::Part;

/// A word has the thread above so many bits for the count.
const COUNT: u32 = 43;
/// The sign of a word: somebody was about to replace it.
const LOCKED: u64 = 1 << 63;
/// Words lie so far apart.
const APART: usize = 64;

/// What the agent wrote into its folders.
pub struct Written {
    /// Threads by number.
    threads: HashMap<u32, Vec<u32>>,
    /// Closed stretches and the last one, by element.
    stretches: HashMap<u32, Vec<u64>>,
    words: Vec<u64>,
}

impl Written {
    /// Reads the folders.
    pub fn read(parts: &Path, reports: &Path) -> io::Result<Self> {
        let mut written = Self {
            threads: HashMap::new(),
            stretches: HashMap::new(),
            words: Vec::new(),
        };
        for entry in fs::read_dir(reports)?.flatten() {
            let text = fs::read(entry.path())?;
            for line in String::from_utf8_lossy(&text).lines() {
                written.thread(line);
            }
        }
        let index = fs::read_to_string(parts.join("parts")).unwrap_or_default();
        let mut found: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        for part in index.lines().filter_map(Part::parse) {
            let bytes = part.read(parts)?;
            if part.number == 0 {
                let words = bytes.chunks_exact(APART).map(first_word);
                written.words.extend(words);
                continue;
            }
            let stretches = bytes.chunks_exact(8).map(first_word);
            let stretches = stretches.take_while(|word| *word != 0).collect();
            found.insert((part.number - 1, part.part), stretches);
        }
        for ((element, _), stretches) in found {
            let all = written.stretches.entry(element).or_default();
            all.extend(stretches);
        }
        Ok(written)
    }

    fn thread(&mut self, line: &str) {
        let parse = || {
            let (number, descent) = line.strip_prefix("thread ")?.split_once(' ')?;
            let path: Option<Vec<u32>> = descent.split('.').map(|k| k.parse().ok()).collect();
            Some((number.parse().ok()?, path?))
        };
        if let Some((number, path)) = parse() {
            self.threads.insert(number, path);
        }
    }

    /// How many threads there were.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The partial log of these elements.
    pub fn log(
        &self,
        program: Program,
        run: RunId,
        outcome: Outcome,
        share: &BTreeSet<Spe>,
    ) -> Result<PartialLog, String> {
        let (map, numbers) = self.map()?;
        let mut log = PartialLog::new(program, run, outcome, map);
        for spe in share {
            let vector = self.vector(*spe, &numbers)?;
            log.insert(*spe, vector)
                .map_err(|error| error.to_string())?;
        }
        Ok(log)
    }

    /// The threads with parents before their children, and where each number is.
    fn map(&self) -> Result<(ThreadMap, HashMap<u32, ThreadId>), String> {
        let mut threads: Vec<(&Vec<u32>, u32)> = self
            .threads
            .iter()
            .map(|(number, path)| (path, *number))
            .collect();
        threads.sort_by_key(|(path, _)| (path.len(), *path));
        let mut map = ThreadMap::default();
        let mut numbers = HashMap::new();
        let mut known: HashMap<&[u32], ThreadId> = HashMap::new();
        for (path, number) in threads {
            let Some((order, above)) = path.split_last() else {
                continue;
            };
            let parent = known.get(above).copied();
            if parent.is_none() && !above.is_empty() {
                continue;
            }
            let order = *order;
            let added = map.add(Birth { parent, order });
            let added = added.map_err(|error| error.to_string())?;
            known.insert(path, added);
            numbers.insert(number, added);
        }
        Ok((map, numbers))
    }

    fn vector(&self, spe: Spe, threads: &HashMap<u32, ThreadId>) -> Result<AccessVector, String> {
        let closed = self
            .stretches
            .get(&spe.0)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let word = self.words.get(spe.0 as usize).copied().unwrap_or_default();
        // Who was about to replace it may have written it down already.
        let open = word & !LOCKED;
        let twice = word & LOCKED != 0 && closed.last() == Some(&open);
        // Who has it may not have accessed it yet.
        let none = open & ((1 << COUNT) - 1) == 0;
        let open = (!none && !twice).then_some(&open);
        let mut vector = AccessVector::default();
        for stretch in closed.iter().chain(open) {
            let number = u32::try_from(stretch >> COUNT).unwrap_or(u32::MAX);
            let count = stretch & ((1 << COUNT) - 1);
            if count == 0 {
                continue;
            }
            let Some(thread) = threads.get(&number) else {
                return Err(format!("there is no thread {number}"));
            };
            vector
                .push(*thread, count)
                .map_err(|error| error.to_string())?;
        }
        Ok(vector)
    }
}

fn first_word(bytes: &[u8]) -> u64 {
    let word = bytes.first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(word)
}

/// What identifies this run among all users' runs.
pub fn run_id() -> RunId {
    let text = fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap_or_default();
    let digits: Vec<u8> = text
        .bytes()
        .filter_map(|byte| char::from(byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    let mut id = [0; 16];
    for (at, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
        *at = pair.iter().fold(0, |sum, digit| sum << 4 | digit);
    }
    if digits.len() < 32 {
        let now = std::time::SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default();
        let unique = now.as_nanos() << 32 | u128::from(std::process::id());
        id = unique.to_le_bytes();
    }
    RunId(id)
}
