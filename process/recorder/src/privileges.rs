//! Programs that get more rights when they are run. The kernel gives them none
//! when somebody without those rights traces them, so they must not be traced.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::libc;
use nix::unistd::{Pid, geteuid};
use reprise_tracee::Tracee;

/// The longest path.
const PATH: usize = libc::PATH_MAX as usize;

/// Whether a program on the search path gets more rights than its caller has.
pub(crate) fn raised_by_command(program: &Path) -> bool {
    if program.components().count() > 1 {
        return raised_by(program);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path);
    let mut found = folders.map(|folder| folder.join(program));
    found
        .find(|program| program.is_file())
        .is_some_and(|program| raised_by(&program))
}

/// Whether the program that a process is about to become gets more rights.
pub(crate) fn raised_by_call(process: Tracee, number: i64, arguments: &[u64; 6]) -> bool {
    let (folder, name) = match number {
        libc::SYS_execve => (None, arguments[0]),
        libc::SYS_execveat => (Some(arguments[0] as i32), arguments[1]),
        _ => return false,
    };
    let name = process.read_some(name, PATH);
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    let name = String::from_utf8_lossy(name);
    raised_by(&seen_by(process.pid(), folder, &name))
}

/// A path of another process, as it looks from here.
fn seen_by(pid: Pid, folder: Option<i32>, name: &str) -> PathBuf {
    let base = PathBuf::from(format!("/proc/{pid}"));
    match (name.strip_prefix('/'), folder) {
        (Some(name), _) => base.join("root").join(name),
        (None, Some(folder)) if folder != libc::AT_FDCWD => {
            let folder = base.join("fd").join(folder.to_string());
            if name.is_empty() {
                folder
            } else {
                folder.join(name)
            }
        }
        _ => base.join("cwd").join(name),
    }
}

fn raised_by(program: &Path) -> bool {
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2010;
    if geteuid().is_root() {
        // Its tracer has all rights, so it gets its own.
        return false;
    }
    let Ok(metadata) = fs::metadata(program) else {
        return false;
    };
    let mode = metadata.mode();
    let capabilities = rustix::fs::getxattr(program, "security.capability", &mut [0u8; 64][..]);
    mode & SET_USER == SET_USER || mode & SET_GROUP == SET_GROUP || capabilities.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_process() {
        let pid = Pid::from_raw(7);
        let check = |folder, name, expected: &str| {
            assert_eq!(seen_by(pid, folder, name), Path::new(expected));
        };
        check(None, "/bin/su", "/proc/7/root/bin/su");
        check(None, "./su", "/proc/7/cwd/./su");
        check(Some(libc::AT_FDCWD), "su", "/proc/7/cwd/su");
        check(Some(3), "su", "/proc/7/fd/3/su");
        check(Some(3), "", "/proc/7/fd/3");
    }
}
