//! What a recording says about the run and the machine.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use reprise_process_events::RECORDING;
use reprise_recording::Manifest;
use reprise_recording::manifest::Host;
use reprise_tracee::{extended, processor};

/// How many processors this process may use.
pub(crate) fn processors() -> u32 {
    let processors = thread::available_parallelism().map_or(0, usize::from);
    u32::try_from(processors).unwrap_or(u32::MAX)
}

/// The manifest of a recording that begins now, on a machine with so many
/// processors, on one of them.
pub(crate) fn manifest(command: &[OsString], cpus: u32, core: Option<usize>) -> Manifest {
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
            cpus,
        },
        started: now(),
        versions: [("reprise".to_owned(), env!("CARGO_PKG_VERSION").to_owned())].into(),
        details: serde_json::json!({
            "processor": core,
            "cpuid": processor::ask(),
            "extended": extended::layout(),
        }),
        ..Manifest::default()
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
