//! How much memory the shadows take, and how much they may.

use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::Pid;

/// A control group's memory is for the subject; this part of it may be taken.
const SHARE: u64 = 4;

/// What shadows take beside the memory of their subject, as far as the kernel
/// tells: the pages of all together, each counted once, without the subject's.
pub(crate) fn taken_by(subject: u32, shadows: impl Iterator<Item = Pid>) -> u64 {
    let subject = Anonymous::of(&subject.to_string());
    let mut all = subject.shared_out;
    let mut own = 0;
    for pid in shadows {
        let shadow = Anonymous::of(&pid.to_string());
        all += shadow.shared_out;
        own += shadow.own;
    }
    // A subject that shares pages with other processes of its family seems to
    // have less than it has; what a shadow has for itself is taken in any case.
    all.saturating_sub(subject.resident).max(own)
}

/// Memory that is no file's.
#[derive(Clone, Copy, Default)]
struct Anonymous {
    /// All of it.
    resident: u64,
    /// A page that several processes have is divided among them.
    shared_out: u64,
    /// What nobody else has.
    own: u64,
}

impl Anonymous {
    fn of(pid: &str) -> Self {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"));
        let text = text.unwrap_or_default();
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next());
            number.and_then(|number| number.parse::<u64>().ok())
        };
        Self {
            resident: field("Anonymous:").unwrap_or(0) << 10,
            shared_out: field("Pss_Anon:").or(field("Pss:")).unwrap_or(0) << 10,
            own: field("Private_Dirty:").unwrap_or(0) << 10,
        }
    }
}

/// What the user allows, but no more than a part of what the control group does.
pub(crate) fn allowed(wanted: u64) -> u64 {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().filter_map(|line| {
        let (root, group, file) = group_of(line)?;
        limit_of(&root, &root.join(group), file)
    });
    limits
        .min()
        .map_or(wanted, |limit| wanted.min(limit / SHARE))
}

/// Where the limit of memory is of the group that a line of `/proc/self/cgroup` names:
/// the root of all groups, the group there, and the name of the file.
fn group_of(line: &str) -> Option<(PathBuf, &str, &'static str)> {
    let (_, line) = line.split_once(':')?;
    let (controllers, group) = line.split_once(':')?;
    let group = group.trim_start_matches('/');
    if controllers.is_empty() {
        return Some(("/sys/fs/cgroup".into(), group, "memory.max"));
    }
    // The first version has a tree for each controller, and what has no limit there
    // has one that is very high.
    let mut controllers = controllers.split(',');
    controllers
        .any(|controller| controller == "memory")
        .then(|| {
            let root = PathBuf::from("/sys/fs/cgroup/memory");
            (root, group, "memory.limit_in_bytes")
        })
}

/// The lowest limit of a group and those that it is in.
fn limit_of(root: &Path, group: &Path, file: &str) -> Option<u64> {
    let groups = group
        .ancestors()
        .take_while(|group| group.starts_with(root));
    let limit = |group: &Path| {
        let limit = fs::read_to_string(group.join(file)).ok()?;
        limit.trim().parse::<u64>().ok()
    };
    groups.filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_counts() {
        let root = std::env::temp_dir().join(format!("reprise-groups-{}", std::process::id()));
        let inner = root.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(root.join("a/memory.max"), "1000\n").unwrap();
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        assert_eq!(limit_of(&root, &inner, "memory.max"), Some(1000));
        fs::write(inner.join("memory.max"), "500\n").unwrap();
        assert_eq!(limit_of(&root, &inner, "memory.max"), Some(500));
        assert_eq!(limit_of(&root, &root, "memory.max"), None);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn groups_of_both_versions_are_found() {
        let memory = PathBuf::from("/sys/fs/cgroup/memory");
        let unified = PathBuf::from("/sys/fs/cgroup");
        let old = Some((memory, "a/b", "memory.limit_in_bytes"));
        assert_eq!(group_of("4:memory:/a/b"), old);
        assert_eq!(group_of("0::/a"), Some((unified, "a", "memory.max")));
        assert_eq!(group_of("3:cpu,cpuacct:/a"), None);
        assert_eq!(group_of("what?"), None);
    }

    #[test]
    fn this_process_takes_memory_of_its_own() {
        let own = Anonymous::of("self");
        assert!(own.resident > 0 && own.shared_out > 0);
        assert_eq!(taken_by(std::process::id(), std::iter::empty()), 0);
    }
}
