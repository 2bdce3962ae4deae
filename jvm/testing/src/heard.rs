//! What a program says, as it says it: for tests that talk with a debugger.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// Far longer than a debugger takes to answer on a machine that is merely busy.
const LIMIT: Duration = Duration::from_secs(240);

/// What has been said and not been waited for.
#[derive(Debug)]
pub struct Heard {
    pieces: Receiver<String>,
    text: String,
}

impl Heard {
    /// Listens to an output.
    pub fn of(mut output: impl Read + Send + 'static) -> Self {
        let (sender, pieces) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(length @ 1..) = output.read(&mut bytes) {
                let piece = String::from_utf8_lossy(&bytes[..length]).into_owned();
                if sender.send(piece).is_err() {
                    break;
                }
            }
        });
        let text = String::new();
        Self { pieces, text }
    }

    /// Waits until this has been said, and forgets everything up to there, which it returns;
    /// fails the test when it does not come.
    pub fn wait_for(&mut self, words: &str) -> String {
        while !self.text.contains(words) {
            match self.pieces.recv_timeout(LIMIT) {
                Ok(piece) => self.text += &piece,
                Err(error) => panic!("{words:?} did not come ({error}): {}", self.text),
            }
        }
        let at = self.text.find(words).unwrap_or_default() + words.len();
        self.text.drain(..at).collect()
    }
}
