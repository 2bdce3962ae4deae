//! A process that runs already: could a recorder attach to it?

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use serde::Serialize;

use super::finding::Finding;
use super::probes::Inner;

/// What was found out about a process.
#[derive(Clone, Debug, Serialize)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its name, as the kernel has it.
    pub name: String,
    /// How many threads it has.
    pub threads: u64,
    /// How many bytes of its memory are resident.
    pub resident: u64,
    /// Is it a program for this kind of machine?
    pub architecture: Finding,
    /// May it be traced?
    pub tracing: Finding,
    /// Does it use rings that the kernel writes to behind a recorder's back?
    pub rings: Finding,
    /// Is it a JVM, and can it be recorded?
    pub jvm: Finding,
}

/// Looks at a process and tries to attach to it, without stopping it.
pub fn look_at(pid: u32) -> io::Result<Process> {
    let status = read(pid, "status")?;
    let status = String::from_utf8_lossy(&status);
    let group: u32 = number(&status, "Tgid")
        .and_then(|n| n.try_into().ok())
        .unwrap_or(pid);
    if group != pid {
        let what = format!("it is a thread; its process is {group}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let state = field(&status, "State").unwrap_or_default();
    if state.starts_with(['Z', 'X']) {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "it has ended; only its exit status is left",
        ));
    }
    Ok(Process {
        pid,
        name: field(&status, "Name").unwrap_or_default().into(),
        threads: number(&status, "Threads").unwrap_or(0),
        resident: number(&status, "VmRSS").unwrap_or(0) * 1024,
        architecture: architecture(pid, &status),
        tracing: tracing(pid, number(&status, "TracerPid").unwrap_or(0)),
        rings: rings(pid),
        jvm: jvm(pid),
    })
}

fn architecture(pid: u32, status: &str) -> Finding {
    if field(status, "VmSize").is_none() {
        return Finding::fails("it is a thread of the kernel, not a program");
    }
    let mut header = [0; 20];
    let opened = File::open(path(pid, "exe")).and_then(|mut exe| exe.read_exact(&mut header));
    match opened {
        Err(error) => Finding::fails(format!("its program cannot be read: {error}"))
            .fix(format!("sudo reprise doctor --pid {pid}")),
        // The magic, the class for 64 bits, and the machine number of x86-64.
        Ok(()) if header.starts_with(b"\x7fELF\x02") && header[18..20] == [62, 0] => {
            Finding::works("64-bit x86-64 program")
        }
        Ok(()) => Finding::fails("it is not a 64-bit x86-64 program"),
    }
}

fn tracing(pid: u32, tracer: u64) -> Finding {
    if tracer == 0 {
        return Inner::Seize.examine_with(Some(pid));
    }
    let name = fs::read_to_string(format!("/proc/{tracer}/comm")).unwrap_or_default();
    Finding::fails(format!(
        "it is being traced already, by process {tracer} ({})",
        name.trim_end()
    ))
    .fix(format!(
        "end process {tracer}, or detach it: a process has one tracer at a time"
    ))
}

/// io_uring and AIO: the kernel writes into the process at any time, and no
/// system call says when.
fn rings(pid: u32) -> Finding {
    let folder = path(pid, "fd");
    let descriptors = fs::read_dir(&folder);
    let maps = read(pid, "maps");
    let (Ok(descriptors), Ok(maps)) = (descriptors, maps) else {
        return Finding::limited("whether it uses io_uring or AIO cannot be seen")
            .fix(format!("sudo reprise doctor --pid {pid}"));
    };
    let uring = descriptors
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|target| target.as_os_str().as_bytes().ends_with(b"[io_uring]"));
    let maps = String::from_utf8_lossy(&maps);
    let aio = maps.lines().any(|line| line.contains("/[aio]"));
    match (uring, aio) {
        (false, false) => Finding::works("no io_uring, no AIO"),
        (true, _) => refused_ring("io_uring"),
        (false, true) => refused_ring("AIO"),
    }
}

fn refused_ring(name: &str) -> Finding {
    Finding::fails(format!(
        "it uses {name}, which cannot be recorded once it is set up"
    ))
    .fix(format!(
        "start the program with: reprise record --last … (it then finds no {name} and does without)"
    ))
}

/// An agent that comes later finds objects that have no room for their numbers.
fn jvm(pid: u32) -> Finding {
    let Ok(maps) = read(pid, "maps") else {
        return Finding::fails("whether it is a JVM cannot be seen")
            .fix(format!("sudo reprise doctor --pid {pid}"));
    };
    let maps = String::from_utf8_lossy(&maps);
    let mut lines = maps.lines();
    match lines.any(|line| line.ends_with("/libjvm.so") || line.contains("/libjvm.so (")) {
        true => Finding::fails("a JVM is recorded from its start, not when it runs")
            .fix("start it with: reprise record … -- java …"),
        false => Finding::fails("it is not a JVM"),
    }
}

fn read(pid: u32, file: &str) -> io::Result<Vec<u8>> {
    fs::read(path(pid, file)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "there is no such process"),
        _ => error,
    })
}

fn path(pid: u32, file: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{file}"))
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim())
}

fn number(status: &str, name: &str) -> Option<u64> {
    field(status, name)?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_status_are_found_by_their_whole_name() {
        let status = "Name:\ta b\nVmRSSx:\t9 kB\nVmRSS:\t  12 kB\nTgid:\t7\n";
        assert_eq!(field(status, "Name"), Some("a b"));
        assert_eq!(number(status, "VmRSS"), Some(12));
        assert_eq!(number(status, "Threads"), None);
    }
}
