//! The program that the tour records: a little bank with two counters.
//!
//! It writes each transfer into its spool as an event, as a real subject's
//! instrumentation would, and then tells the tour how many it has made, so that
//! the tour can hold the recording against it.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use reprise_recording::spool::SubjectSpool;
use reprise_recording::spool::ring::RingInfo;

use crate::failure::Failure;

/// The kind of its events. A payload is a sentence.
pub const KIND: &str = "tour.ledger";
/// The version of this kind.
pub(super) const VERSION: u32 = 1;
/// Says where the spool is.
pub(super) const SPOOL: &str = "REPRISE_TOUR_SPOOL";
/// How many transfers it makes when nobody stops it.
pub(super) const TRANSFERS: u64 = 200;

const NAMES: [&str; 4] = ["anna", "ben", "carl", "dora"];
const PAUSE: Duration = Duration::from_millis(8);

/// Puts an event of this kind into words.
pub fn describe(payload: &[u8]) -> Option<String> {
    std::str::from_utf8(payload).ok().map(Into::into)
}

/// Runs the bank. Both counters share the ledger, so that the order of their
/// transfers matters.
pub(super) fn play() -> Result<(), Failure> {
    let doing = "be the program that the tour records";
    let path = std::env::var_os(SPOOL)
        .ok_or_else(|| Failure::new(doing, "nobody said where its spool is"))?;
    let spool = SubjectSpool::open(Path::new(&path)).map_err(|error| Failure::new(doing, error))?;
    let ledger = Mutex::new(Ledger::new());
    thread::scope(|scope| {
        for counter in 1..=2 {
            let (spool, ledger) = (&spool, &ledger);
            scope.spawn(move || serve(counter, spool, ledger));
        }
    });
    Ok(())
}

/// Makes transfers at one counter until there were enough of them.
fn serve(counter: u64, spool: &SubjectSpool, ledger: &Mutex<Ledger>) {
    let info = RingInfo {
        process: std::process::id(),
        thread: counter,
        name: if counter == 1 {
            "counter 1"
        } else {
            "counter 2"
        },
        ..RingInfo::default()
    };
    // Without a ring it works on unrecorded, as every subject does.
    let mut ring = spool.ring(info);
    loop {
        {
            let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
            if ledger.made == TRANSFERS {
                return;
            }
            let line = ledger.transfer();
            if let Some(ring) = &mut ring {
                ring.stamp();
                ring.append(line.as_bytes());
            }
            if writeln!(io::stdout(), "{}", ledger.made).is_err() {
                return;
            }
        }
        thread::sleep(PAUSE);
    }
}

/// What everybody has.
struct Ledger {
    balances: [u64; 4],
    made: u64,
    random: u64,
}

impl Ledger {
    fn new() -> Self {
        Self {
            balances: [100; 4],
            made: 0,
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Moves some money from one to another, if it is there, and says so.
    fn transfer(&mut self) -> String {
        self.made += 1;
        let from = self.draw(4) as usize;
        let to = (from + 1 + self.draw(3) as usize) % 4;
        let amount = 5 * (1 + self.draw(16));
        let (payer, payee) = (NAMES[from], NAMES[to]);
        let has = self.balances[from];
        if has < amount {
            return format!("refuse {amount} from {payer} to {payee}: only {has} there");
        }
        self.balances[from] -= amount;
        self.balances[to] += amount;
        format!("transfer {amount} from {payer} to {payee}")
    }

    /// A number below `bound` that looks random (xorshift).
    fn draw(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_money_is_made_or_lost() {
        let mut ledger = Ledger::new();
        let mut lines = Vec::new();
        for _ in 0..TRANSFERS {
            lines.push(ledger.transfer());
            assert_eq!(ledger.balances.iter().sum::<u64>(), 400);
        }
        assert!(lines.iter().any(|line| line.starts_with("transfer ")));
        assert!(lines.iter().any(|line| line.starts_with("refuse ")));
    }
}
