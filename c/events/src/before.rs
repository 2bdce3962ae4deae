//! Events that are said by what came before them, in full.

use std::collections::BTreeMap;

use crate::{Crossing, WireError};

const WORD: usize = 8;

/// What was last: results by their site, arguments by the function.
#[derive(Clone, Debug, Default)]
pub struct Before {
    results: BTreeMap<u32, Vec<u8>>,
    arguments: BTreeMap<u32, Vec<u8>>,
}

impl Before {
    /// The next event in full: values and results of at most eight bytes have eight.
    pub fn complete(&mut self, event: Crossing) -> Result<Crossing, WireError> {
        Ok(match event {
            Crossing::Value { site, same, bytes } => Crossing::Value {
                site,
                same,
                bytes: whole(bytes),
            },
            Crossing::Result {
                site,
                bytes,
                filled,
            } => {
                let bytes = match bytes.is_empty() {
                    true => bytes,
                    false => whole(bytes),
                };
                self.results.insert(site, bytes.clone());
                Crossing::Result {
                    site,
                    bytes,
                    filled,
                }
            }
            Crossing::SameResult { site } => Crossing::Result {
                site,
                bytes: self.results.get(&site).ok_or(WireError::Before)?.clone(),
                filled: Vec::new(),
            },
            Crossing::NearResult { site, more } => {
                let last = self.results.get_mut(&site).ok_or(WireError::Before)?;
                let word = last.first_chunk_mut::<WORD>().ok_or(WireError::Before)?;
                *word = u64::from_le_bytes(*word)
                    .wrapping_add_signed(more)
                    .to_le_bytes();
                Crossing::Result {
                    site,
                    bytes: last.clone(),
                    filled: Vec::new(),
                }
            }
            Crossing::Entry {
                function,
                arguments,
            } => {
                self.arguments.insert(function, arguments.clone());
                Crossing::Entry {
                    function,
                    arguments,
                }
            }
            Crossing::LikeEntry {
                function,
                changed,
                arguments: others,
            } => {
                let last = self.arguments.get_mut(&function);
                let last = last.ok_or(WireError::Before)?;
                let places = (0..u64::BITS as usize).filter(|bit| changed >> bit & 1 != 0);
                for (place, argument) in places.zip(others) {
                    let word = last.get_mut(place * WORD..(place + 1) * WORD);
                    let word = word.ok_or(WireError::Before)?;
                    word.copy_from_slice(whole(argument).get(..WORD).ok_or(WireError::Number)?);
                }
                Crossing::Entry {
                    function,
                    arguments: last.clone(),
                }
            }
            other => other,
        })
    }
}

fn whole(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().max(WORD), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(site: u32, bytes: &[u8]) -> Crossing {
        Crossing::Result {
            site,
            bytes: bytes.to_vec(),
            filled: Vec::new(),
        }
    }

    #[test]
    fn what_is_as_before_is_that_of_its_site_or_function() {
        let mut before = Before::default();
        let same = |site| Crossing::SameResult { site };
        assert_eq!(before.complete(same(1)), Err(WireError::Before));
        let five = result(1, &[5, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(before.complete(result(1, &[5])), Ok(five.clone()));
        assert_eq!(before.complete(result(2, &[])), Ok(result(2, &[])));
        assert_eq!(before.complete(same(1)), Ok(five));
        assert_eq!(before.complete(same(2)), Ok(result(2, &[])));
        let near = |site, more| Crossing::NearResult { site, more };
        let three = result(1, &[3, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(before.complete(near(1, -2)), Ok(three.clone()));
        assert_eq!(before.complete(same(1)), Ok(three));
        assert_eq!(before.complete(near(1, -4)), Ok(result(1, &[0xff; 8])));
        assert_eq!(before.complete(near(2, 1)), Err(WireError::Before));
        assert_eq!(before.complete(near(3, 1)), Err(WireError::Before));
        let entry = |arguments: [u64; 2]| Crossing::Entry {
            function: 7,
            arguments: arguments.iter().flat_map(|one| one.to_le_bytes()).collect(),
        };
        let like = |changed, arguments: &[&[u8]]| Crossing::LikeEntry {
            function: 7,
            changed,
            arguments: arguments.iter().map(|one| one.to_vec()).collect(),
        };
        assert_eq!(before.complete(like(1, &[&[1]])), Err(WireError::Before));
        assert_eq!(before.complete(entry([1, 2])), Ok(entry([1, 2])));
        assert_eq!(before.complete(like(2, &[&[0, 3]])), Ok(entry([1, 0x300])));
        assert_eq!(before.complete(like(0, &[])), Ok(entry([1, 0x300])));
        assert_eq!(before.complete(like(4, &[&[1]])), Err(WireError::Before));
    }
}
