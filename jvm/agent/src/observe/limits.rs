//! When a recording stops although the program goes on.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::options::Limits;

/// Looks at a recording that is being made, between two rounds of its drainer.
pub(super) struct Watch {
    limits: Limits,
    folder: PathBuf,
    /// When the last look was, and how many events there were.
    looked: Instant,
    events: u64,
}

/// A rate is that of this time, and the disk is asked so often.
const INTERVAL: Duration = Duration::from_secs(1);

impl Watch {
    pub(super) fn new(limits: Limits, out: &Path) -> Self {
        let folder = out.parent().unwrap_or(Path::new(""));
        let here = folder.as_os_str().is_empty();
        Self {
            limits,
            folder: if here { Path::new(".") } else { folder }.to_owned(),
            looked: Instant::now(),
            events: 0,
        }
    }

    /// By what the recording is to be stopped now, if it is.
    pub(super) fn stops(&mut self, events: u64, asked: bool) -> Option<String> {
        if asked {
            return Some("reprise stop".to_owned());
        }
        if let Some(most) = self.limits.events.filter(|most| events >= *most) {
            return Some(format!("the limit of {most} events"));
        }
        let passed = self.looked.elapsed();
        if passed < INTERVAL {
            return None;
        }
        let rate = (events - self.events) as f64 / passed.as_secs_f64();
        self.looked = Instant::now();
        self.events = events;
        if let Some(most) = self.limits.rate.filter(|most| rate > *most as f64) {
            return Some(format!("the limit of {most} events a second"));
        }
        let least = self.limits.free?;
        let disk = rustix::fs::statvfs(&self.folder).ok()?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        (free < least).then(|| format!("the limit of {least} free bytes on the disk"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(limits: Limits) -> Watch {
        let mut watch = Watch::new(limits, Path::new("x.reprise"));
        watch.looked -= Duration::from_secs(2);
        watch
    }

    #[test]
    fn each_limit_stops_it() {
        let mut none = watch(Limits::default());
        assert_eq!(none.stops(u64::MAX, false), None);
        assert_eq!(none.stops(1, true).as_deref(), Some("reprise stop"));
        let mut events = watch(Limits {
            events: Some(10),
            ..Limits::default()
        });
        assert_eq!(events.stops(9, false), None);
        assert_eq!(
            events.stops(10, false).as_deref(),
            Some("the limit of 10 events")
        );
        let mut rate = watch(Limits {
            rate: Some(100),
            ..Limits::default()
        });
        assert_eq!(
            rate.stops(1000, false).as_deref(),
            Some("the limit of 100 events a second")
        );
        // The next second has none.
        rate.looked -= Duration::from_secs(2);
        assert_eq!(rate.stops(1000, false), None);
        let mut free = watch(Limits {
            free: Some(u64::MAX),
            ..Limits::default()
        });
        assert!(free.stops(0, false).is_some());
    }
}
