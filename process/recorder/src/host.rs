//! What a recording says about the run and the machine.

use std::arch::x86_64::{__cpuid_count, __get_cpuid_max};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use reprise_process_events::RECORDING;
use reprise_recording::Manifest;
use reprise_recording::manifest::Host;

/// The manifest of a recording that begins now.
pub(crate) fn manifest(command: &[OsString], processor: Option<usize>) -> Manifest {
    let program = command.first().map(Path::new);
    let name = program.and_then(Path::file_name).unwrap_or_default();
    let kernel = rustix::system::uname();
    Manifest {
        kind: RECORDING.to_owned(),
        subject: name.to_string_lossy().into_owned(),
        command: command.iter().map(|word| word.as_bytes().into()).collect(),
        host: Host {
            os: "linux".to_owned(),
            arch: "x86_64".to_owned(),
            kernel: kernel.release().to_string_lossy().into_owned(),
            cpus: 1,
        },
        started: now(),
        versions: [("reprise".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        details: serde_json::json!({
            "processor": processor,
            "cpuid": cpuid(),
        }),
        ..Manifest::default()
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// What the processor says about itself, where a program may have asked: a
/// replay cannot answer that question, since it does not see it.
pub(crate) fn cpuid() -> Vec<[u32; 4]> {
    const LEAVES: [u32; 5] = [0, 1, 7, 0xd, 0x8000_0001];
    let mut found = Vec::new();
    for leaf in LEAVES {
        let known = __get_cpuid_max(leaf & 0x8000_0000).0 >= leaf;
        let answer = known.then(|| __cpuid_count(leaf, 0));
        found.push(answer.map_or([0; 4], |a| {
            // The number of the core that happens to answer is no property of
            // the processor.
            let ebx = if leaf == 1 {
                a.ebx & 0x00ff_ffff
            } else {
                a.ebx
            };
            [a.eax, ebx, a.ecx, a.edx]
        }));
    }
    found
}
