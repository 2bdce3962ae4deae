//! What keeps the JVM that plays from doing anything but that.
//!
//! A recording may come from a stranger, and the classes in it run. A process
//! takes from itself what they must not have, and becomes the JVM:
//!
//! - **files** (Landlock): it reads the JDK, the system's libraries and the
//!   player's jar, and writes nothing;
//! - **network and children** (seccomp): no sockets, no processes, and no other
//!   system call that a JVM with nothing to do has no use for. With a debugger,
//!   it may listen at one port of its own machine;
//! - **resources**: no files grow, nothing is dumped, processor time is limited.
//!
//! A kernel without Landlock cannot keep files from it, so nothing is played
//! there; parts of Landlock that are newer than the kernel are left out.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort,
    PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus,
};
use nix::libc;
use nix::sys::resource::{Resource, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// What the JVM may have.
#[derive(Clone, Debug)]
pub struct Walls {
    /// How many seconds of processor time; 0 for any.
    pub seconds: u64,
    /// A port where it may wait for a debugger.
    pub port: Option<u16>,
}

/// Why a wall could not be built.
#[derive(Debug, thiserror::Error)]
pub enum WallError {
    /// There is nothing to become.
    #[error("there is no command to run")]
    Nothing,
    /// The kernel cannot deny files.
    #[error("this kernel cannot deny files: it needs Landlock (Linux 5.13)")]
    NoLandlock,
    /// The files could not be denied.
    #[error("deny files: {0}")]
    Files(#[from] RulesetError),
    /// The system calls could not be denied.
    #[error("deny system calls: {0}")]
    Calls(#[from] seccompiler::Error),
    /// The same, in making the filter.
    #[error("deny system calls: {0}")]
    Filter(#[from] seccompiler::BackendError),
    /// The limits could not be set.
    #[error("limit what it may use: {0}")]
    Limits(#[from] nix::errno::Errno),
    /// The JVM could not be started.
    #[error("run {program}: {error}")]
    Run {
        /// The program.
        program: String,
        /// What the system said.
        error: io::Error,
    },
}

impl Walls {
    /// Builds the walls around this process and makes it the JVM. Returns only
    /// when that fails.
    pub fn enter(&self, command: &[OsString]) -> WallError {
        match self.build(command) {
            Ok(error) => error,
            Err(error) => error,
        }
    }

    fn build(&self, command: &[OsString]) -> Result<WallError, WallError> {
        let (program, arguments) = command.split_first().ok_or(WallError::Nothing)?;
        let program = std::fs::canonicalize(program).unwrap_or_else(|_| program.into());
        // The one file of ours that the JVM reads stands behind this option.
        let jar = arguments
            .iter()
            .skip_while(|argument| *argument != "-cp")
            .nth(1);
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
        if self.seconds > 0 {
            setrlimit(Resource::RLIMIT_CPU, self.seconds, self.seconds)?;
        }
        self.deny_files(&program, jar.map(Path::new))?;
        self.deny_calls()?;
        let error = Command::new(&program).args(arguments).exec();
        Ok(WallError::Run {
            program: program.display().to_string(),
            error,
        })
    }

    fn deny_files(&self, java: &Path, jar: Option<&Path>) -> Result<(), WallError> {
        let abi = ABI::V5;
        let read = AccessFs::from_read(abi);
        let home = java.parent().and_then(Path::parent).unwrap_or(java);
        let mut rules: Vec<(PathBuf, BitFlags<AccessFs>)> = vec![(home.to_owned(), read)];
        for folder in ["/lib", "/lib64", "/usr/lib", "/usr/lib64"] {
            rules.push((folder.into(), read));
        }
        let content = AccessFs::ReadFile | AccessFs::ReadDir;
        for path in [
            "/etc/ld.so.cache",
            "/etc/localtime",
            "/usr/share/zoneinfo",
            "/proc/self",
            "/proc/meminfo",
            "/proc/cpuinfo",
            "/proc/stat",
            "/proc/mounts",
            "/proc/sys/vm",
            "/sys/fs/cgroup",
            "/sys/devices/system/cpu",
            "/sys/kernel/mm/transparent_hugepage",
            "/dev/null",
            "/dev/random",
            "/dev/urandom",
        ] {
            rules.push((path.into(), content));
        }
        // Debian keeps the settings of its JDKs there.
        let settings = std::fs::read_dir("/etc").into_iter().flatten().flatten();
        let settings =
            settings.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"java-"));
        rules.extend(settings.map(|entry| (entry.path(), content)));
        rules.extend(jar.map(|jar| (jar.to_owned(), AccessFs::ReadFile.into())));
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .create()?;
        for (path, access) in rules {
            let Ok(fd) = PathFd::new(&path) else {
                continue;
            };
            // A rule about a file cannot speak of folders.
            let access = match path.is_dir() {
                true => access,
                false => access & AccessFs::from_file(abi),
            };
            ruleset = ruleset.add_rule(PathBeneath::new(fd, access))?;
        }
        if let Some(port) = self.port {
            ruleset = ruleset.add_rule(NetPort::new(port, AccessNet::BindTcp))?;
        }
        match ruleset.restrict_self()?.ruleset {
            RulesetStatus::NotEnforced => Err(WallError::NoLandlock),
            _ => Ok(()),
        }
    }

    fn deny_calls(&self) -> Result<(), WallError> {
        // The C library falls back to `clone`, whose flags a filter can see.
        let no_clone3 = SeccompFilter::new(
            [(libc::SYS_clone3, vec![])].into_iter().collect(),
            SeccompAction::Allow,
            SeccompAction::Errno(libc::ENOSYS.cast_unsigned()),
            TargetArch::x86_64,
        )?;
        apply_filter(&BpfProgram::try_from(no_clone3)?)?;
        let mut rules: Vec<(i64, Vec<SeccompRule>)> =
            CALLS.iter().map(|call| (*call, Vec::new())).collect();
        let thread = u64::from(libc::CLONE_THREAD.cast_unsigned());
        let thread = SeccompCmpOp::MaskedEq(thread);
        let flag = u64::from(libc::CLONE_THREAD.cast_unsigned());
        rules.push((libc::SYS_clone, vec![only(0, thread, flag)?]));
        let own = u64::from(std::process::id());
        rules.push((libc::SYS_tgkill, vec![only(0, SeccompCmpOp::Eq, own)?]));
        if self.port.is_some() {
            rules.extend(SOCKETS.iter().map(|call| (*call, Vec::new())));
            let mut families = Vec::new();
            for family in [libc::AF_INET, libc::AF_INET6] {
                let family = u64::from(family.cast_unsigned());
                families.push(only(0, SeccompCmpOp::Eq, family)?);
            }
            rules.push((libc::SYS_socket, families));
        }
        let filter = SeccompFilter::new(
            rules.into_iter().collect(),
            SeccompAction::Errno(libc::EPERM.cast_unsigned()),
            SeccompAction::Allow,
            TargetArch::x86_64,
        )?;
        apply_filter(&BpfProgram::try_from(filter)?)?;
        Ok(())
    }
}

/// The call with that argument.
fn only(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, seccompiler::BackendError> {
    let length = SeccompCmpArgLen::Dword;
    SeccompRule::new(vec![SeccompCondition::new(
        argument, length, operator, value,
    )?])
}

/// What a JVM does that opens nothing but its own files: memory, threads,
/// clocks, and reading.
const CALLS: &[i64] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_clone3,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup2,
    libc::SYS_dup3,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fcntl,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_futex,
    libc::SYS_get_mempolicy,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getrandom,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_ioctl,
    libc::SYS_lseek,
    libc::SYS_lstat,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mincore,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_pipe2,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_prctl,
    libc::SYS_pread64,
    libc::SYS_prlimit64,
    libc::SYS_read,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_stat,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_write,
    libc::SYS_writev,
];

/// What waiting for a debugger takes besides.
const SOCKETS: &[i64] = &[
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_listen,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
];
