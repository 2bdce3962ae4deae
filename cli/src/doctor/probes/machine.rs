//! The machine: cores, memory, disk.

use std::fs;
use std::path::Path;
use std::thread;

use serde::Serialize;

use super::settings::sysctl;
use crate::doctor::finding::Finding;
use crate::readable::size;

/// Less memory than this leaves no room for a shadow of anything.
const LITTLE_MEMORY: u64 = 256 << 20;
/// Less disk than this is full after a few recordings.
const LITTLE_DISK: u64 = 256 << 20;

/// What there is.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The kernel's release.
    pub kernel: String,
    /// Cores this process may use.
    pub cores: usize,
    /// Bytes of memory that a program could get now, limits considered.
    pub memory_available: Option<u64>,
    /// The limit of the cgroup, when there is one.
    pub memory_limit: Option<u64>,
    /// Bytes that can be written in the current folder.
    pub disk_free: Option<u64>,
}

/// Looks at the machine.
pub fn look() -> Machine {
    let limits = memory_limits(
        &fs::read_to_string("/proc/self/cgroup").unwrap_or_default(),
        Path::new("/sys/fs/cgroup"),
    );
    let of_system = system_memory(&fs::read_to_string("/proc/meminfo").unwrap_or_default());
    let of_limits = limits.iter().map(Limit::left).min();
    let disk = rustix::fs::statvfs(".").ok();
    Machine {
        kernel: sysctl("kernel.osrelease").unwrap_or_default(),
        cores: thread::available_parallelism().map_or(1, usize::from),
        memory_available: of_system.into_iter().chain(of_limits).min(),
        memory_limit: limits.iter().map(|limit| limit.bytes).min(),
        disk_free: disk.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
    }
}

/// Is there memory for a shadow of the subject?
pub fn memory(machine: &Machine) -> Finding {
    let Some(available) = machine.memory_available else {
        return Finding::limited("how much memory is available cannot be found out");
    };
    let mut detail = format!("{} available", size(available));
    if let Some(limit) = machine.memory_limit {
        detail += &format!(" (cgroup limit {})", size(limit));
    }
    if available >= LITTLE_MEMORY {
        return Finding::works(detail);
    }
    let finding = Finding::limited(format!("little memory: {detail}"));
    match machine.memory_limit {
        Some(_) => finding.fix("raise the memory limit of the container or service"),
        None => finding.fix("end programs that are not needed, or add swap"),
    }
}

/// Is there room for a recording in the current folder?
pub fn disk(machine: &Machine) -> Finding {
    match machine.disk_free {
        Some(free) if free >= LITTLE_DISK => {
            Finding::works(format!("{} free in this folder", size(free)))
        }
        Some(free) => Finding::limited(format!("only {} free in this folder", size(free)))
            .fix("record into another folder: -o /path/with/room/%e-%t-%p.reprise"),
        None => Finding::limited("how much disk is free in this folder cannot be found out"),
    }
}

/// A memory limit and what counts against it.
#[derive(Debug, PartialEq, Eq)]
struct Limit {
    bytes: u64,
    used: u64,
}

impl Limit {
    fn left(&self) -> u64 {
        self.bytes.saturating_sub(self.used)
    }
}

fn system_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The limits of this process's cgroup and of all above it, in either version
/// of cgroups. In a container the path may be one that only the host sees; then
/// the container's own root is what can be read, and what counts.
fn memory_limits(own: &str, root: &Path) -> Vec<Limit> {
    let mut limits = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let is_v2 = controllers.is_empty();
        let is_v1 = controllers.split(',').any(|name| name == "memory");
        let (base, limit, usage) = if is_v2 {
            (root.to_path_buf(), "memory.max", "memory.current")
        } else if is_v1 {
            let base = root.join("memory");
            (base, "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            continue;
        };
        let folder = base.join(path.trim_start_matches('/'));
        for folder in folder
            .ancestors()
            .take_while(|above| above.starts_with(&base))
        {
            let read = |name| {
                let text = fs::read_to_string(folder.join(name)).ok()?;
                text.trim().parse::<u64>().ok()
            };
            // "No limit" is the word max in version 2 and a number beyond any
            // machine in version 1.
            if let Some(bytes) = read(limit).filter(|bytes| *bytes < 1 << 60) {
                let used = read(usage).unwrap_or(0);
                let used = used.saturating_sub(reclaimable(folder));
                limits.push(Limit { bytes, used });
            }
        }
    }
    limits
}

/// Bytes that count as used and would be given up at once: files read and not
/// needed any more. Version 1 counts those of the groups below separately.
fn reclaimable(folder: &Path) -> u64 {
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let find = |name: &str| {
        let mut lines = stat.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        value.parse().ok()
    };
    find("total_inactive_file")
        .or_else(|| find("inactive_file"))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(memory: u64, disk: u64) -> Machine {
        Machine {
            kernel: "6.1".into(),
            cores: 1,
            memory_available: Some(memory),
            memory_limit: None,
            disk_free: Some(disk),
        }
    }

    #[test]
    fn every_cgroup_up_to_the_root_is_asked() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/memory.max", "1000\n");
        write("a/memory.current", "400\n");
        write("a/memory.stat", "anon 1\ninactive_file 100\n");
        write("a/b/memory.max", "max\n");
        write("memory/x/memory.limit_in_bytes", "5000\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(
            memory_limits("0::/a/b\n", root.path()),
            [Limit {
                bytes: 1000,
                used: 300
            }]
        );
        assert_eq!(
            memory_limits("4:cpu,memory:/x\n3:cpuset:/a\n", root.path()),
            [Limit {
                bytes: 5000,
                used: 0
            }]
        );
        assert_eq!(memory_limits("0::/only/the/host/sees\n", root.path()), []);
        assert_eq!(memory_limits("garbage", root.path()), []);
    }

    #[test]
    fn little_memory_and_disk_are_said() {
        use crate::doctor::finding::State;
        let poor = machine(100 << 20, 5 << 20);
        assert_eq!(memory(&poor).state, State::Limited);
        assert_eq!(disk(&poor).detail, "only 5.0 MB free in this folder");
        let rich = machine(4 << 30, 40 << 30);
        assert_eq!(memory(&rich).detail, "4.0 GB available");
        assert_eq!(disk(&rich).state, State::Works);
    }

    #[test]
    fn the_systems_memory_is_read() {
        assert_eq!(
            system_memory("MemTotal: 9 kB\nMemAvailable:   2 kB\n"),
            Some(2048)
        );
        assert_eq!(system_memory(""), None);
    }
}
