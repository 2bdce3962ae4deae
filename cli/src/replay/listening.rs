//! Whether somebody listens at a port of this machine, without connecting: a JVM
//! takes any connection for its debugger.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// A JVM that has not opened its port by then has other troubles, which it tells
/// whoever attaches.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until somebody listens at this port of the loopback interface, for as
/// long as a JVM may take to start.
pub(super) fn wait(port: u16) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE && is_listening(port) == Some(false) {
        thread::sleep(Duration::from_millis(20));
    }
}

/// `None` when the system does not say.
fn is_listening(port: u16) -> Option<bool> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    let mut known = None;
    for table in tables.into_iter().flatten() {
        let found = *known.get_or_insert(false) || in_table(&table, port);
        known = Some(found);
    }
    known
}

/// Lines of the table are `number: local remote state …` in hexadecimal.
fn in_table(table: &str, port: u16) -> bool {
    let local = format!("0100007F:{port:04X}");
    table.lines().any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let address = words.next().unwrap_or_default();
        address.ends_with(&local) && words.nth(1) == Some("0A")
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_listener_is_seen_and_its_end_too() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(is_listening(port), Some(true));
        wait(port);
        drop(listener);
        assert_eq!(is_listening(port), Some(false));
    }

    #[test]
    fn addresses_of_the_newer_protocol_are_seen() {
        let table = "  sl  local_address\n   0: \
                     0000000000000000FFFF00000100007F:1F90 00000000:0000 0A 0 0";
        assert!(in_table(table, 8080));
        assert!(!in_table(table, 8081));
        assert!(!in_table(&table.replace(" 0A ", " 01 "), 8080));
    }
}
