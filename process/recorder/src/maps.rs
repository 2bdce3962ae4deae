//! What `/proc` says about a process.

use std::fs;
use std::io;

use nix::unistd::Pid;
use reprise_process_events::Region;

use crate::mirror::Object;

/// A line of `/proc/PID/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapped {
    pub(crate) region: Region,
    /// Where in its file it begins.
    pub(crate) offset: u64,
    /// Changes are seen by others, and theirs are seen here.
    pub(crate) shared: bool,
    /// There is a file behind it.
    pub(crate) file: bool,
    /// What others may have mapped, too.
    pub(crate) object: Object,
}

impl Mapped {
    /// The part of it between two addresses, if there is one.
    pub(crate) fn within(&self, start: u64, end: u64) -> Option<Self> {
        let mut part = self.clone();
        part.region.start = part.region.start.max(start);
        part.offset += part.region.start - self.region.start;
        part.region.end = part.region.end.min(end);
        (part.region.start < part.region.end).then_some(part)
    }

    /// Where in its file it ends.
    pub(crate) fn end_in_file(&self) -> u64 {
        let len = self.region.end - self.region.start;
        self.offset.saturating_add(len)
    }

    /// Memory that is the kernel's and not the subject's.
    fn is_kernels(&self) -> bool {
        let name = self.region.name.as_str();
        name == "[vsyscall]" || name.starts_with("[vvar")
    }
}

/// The name of a process's program, as it was called. The kernel keeps the first
/// letters only; the file may have another name.
pub(crate) fn program(pid: Pid) -> String {
    let called = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    let called = String::from_utf8_lossy(&called).trim_end().to_owned();
    let file = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    if file.starts_with(&called) {
        return file.into_owned();
    }
    called
}

/// What is mapped in a process, but for the kernel's own pages.
pub(crate) fn mapped(pid: Pid) -> io::Result<Vec<Mapped>> {
    let text = fs::read(format!("/proc/{pid}/maps"))?;
    let text = String::from_utf8_lossy(&text);
    let all = text.lines().filter_map(parse);
    Ok(all.filter(|mapped| !mapped.is_kernels()).collect())
}

fn parse(line: &str) -> Option<Mapped> {
    let mut rest = line;
    let mut field = || {
        let (field, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start();
        field
    };
    let (start, end) = field().split_once('-')?;
    let flags = field().as_bytes();
    let (offset, device, inode) = (field(), field(), field());
    let protection = flags
        .iter()
        .zip(b"rwx")
        .zip([1, 2, 4])
        .filter(|((found, letter), _)| found == letter)
        .map(|(_, bit)| bit)
        .sum();
    Some(Mapped {
        region: Region {
            start: u64::from_str_radix(start, 16).ok()?,
            end: u64::from_str_radix(end, 16).ok()?,
            protection,
            name: rest.to_owned(),
        },
        offset: u64::from_str_radix(offset, 16).ok()?,
        shared: flags.get(3) == Some(&b's'),
        // The kernel's code for all programs is there before it is used, too.
        // The first memory that was made for `shmat` has the number 0.
        file: inode != "0" || rest == "[vdso]" || rest.starts_with("/SYSV"),
        object: Object {
            device: device.to_owned(),
            inode: inode.parse().ok()?,
            attached: rest.starts_with("/SYSV"),
        },
    })
}

/// How long the memory is that a process has attached at an address: parts of it
/// may have got other protections since.
pub(crate) fn attached(pid: Pid, start: u64) -> io::Result<u64> {
    let all = mapped(pid)?;
    let first = all.iter().find(|mapped| mapped.region.start == start);
    let Some(first) = first else { return Ok(0) };
    let mut end = start;
    for next in &all {
        let goes_on = next.region.start == end && next.offset == end - start;
        if goes_on && next.shared && next.region.name == first.region.name {
            end = next.region.end;
        }
    }
    Ok(end - start)
}

/// Where the heap of a fresh program begins, and so ends.
pub(crate) fn start_of_heap(pid: Pid) -> io::Result<u64> {
    const START_BRK: usize = 47;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The second field is in parentheses and may contain anything.
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let field = rest.split(' ').nth(START_BRK - 3);
    let field = field.and_then(|field| field.parse().ok());
    field.ok_or_else(|| io::Error::other("/proc/PID/stat has no start of the heap"))
}

/// Memory that a process keeps from its copies.
pub(crate) fn unforked(pid: Pid) -> io::Result<Vec<(u64, u64)>> {
    let text = fs::read(format!("/proc/{pid}/smaps"))?;
    let text = String::from_utf8_lossy(&text);
    let mut ranges = Vec::new();
    let mut last = None;
    for line in text.lines() {
        if let Some(flags) = line.strip_prefix("VmFlags:") {
            let kept = flags
                .split_whitespace()
                .any(|flag| flag == "dc" || flag == "wf");
            let last: Option<Mapped> = last.take();
            let last = last.filter(|last| kept && !last.is_kernels());
            ranges.extend(last.map(|last| (last.region.start, last.region.end)));
        } else if let Some(mapped) = parse(line) {
            last = Some(mapped);
        }
    }
    Ok(ranges)
}

/// How far the stack may grow.
pub(crate) fn stack_limit(pid: Pid) -> io::Result<Option<u64>> {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits"))?;
    let line = limits
        .lines()
        .find_map(|l| l.strip_prefix("Max stack size"));
    let soft = line.and_then(|line| line.split_whitespace().next());
    Ok(soft.and_then(|soft| soft.parse().ok()))
}

/// What a process does about signals, each as a bit of a mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dispositions {
    pub(crate) ignored: u64,
    pub(crate) caught: u64,
}

pub(crate) fn dispositions(pid: Pid) -> io::Result<Dispositions> {
    let status = fs::read(format!("/proc/{pid}/status"))?;
    let status = String::from_utf8_lossy(&status);
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    };
    Ok(Dispositions {
        ignored: mask("SigIgn:"),
        caught: mask("SigCgt:"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood() {
        let line = "7f00-8f00 rw-s 00001000 00:01 1037   /dev/shm/a b (deleted)";
        let mapped = parse(line).unwrap();
        let name = "/dev/shm/a b (deleted)".to_owned();
        let region = Region {
            start: 0x7f00,
            end: 0x8f00,
            protection: 3,
            name,
        };
        assert_eq!(mapped.region, region);
        assert!(mapped.shared && mapped.file);
        let object = &mapped.object;
        assert_eq!((object.device.as_str(), object.inode), ("00:01", 1037));
        let stack = parse("7ffd0000-7ffe0000 r-xp 00000000 00:00 0    [stack]").unwrap();
        assert_eq!(stack.region.name, "[stack]");
        assert_eq!(stack.region.protection, 5);
        assert!(!stack.shared && !stack.file);
        assert_eq!(parse("nonsense"), None);
    }

    #[test]
    fn this_process_has_a_stack_and_a_heap() {
        let pid = nix::unistd::getpid();
        let all = mapped(pid).unwrap();
        assert!(all.iter().any(|mapped| mapped.region.name == "[stack]"));
        assert!(all.iter().all(|mapped| !mapped.is_kernels()));
        assert!(start_of_heap(pid).unwrap() > 0);
        assert!(stack_limit(pid).is_ok());
        assert!(dispositions(pid).is_ok());
    }
}
