//! What tasks need of the machine: Debian's packages, and what shows that one, or its like, is
//! there.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command;

/// The tasks that need something of the machine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Tour,
    Test,
    /// The part of the gate that cuts C programs.
    TestOfC,
    Bench,
    Fuzz,
    Study,
    /// A study of C programs.
    StudyOfC,
    /// A study on other kernels.
    StudyOfKernels,
    /// A study of the last moments of the paper's programs.
    StudyOfProcesses,
    /// A study of those of many programs.
    StudyOfPrograms,
}
use Task::{
    Bench, Fuzz, Study, StudyOfC, StudyOfKernels, StudyOfProcesses, StudyOfPrograms, Test, TestOfC,
    Tour,
};

/// A system package and what shows that it, or its like, is there.
pub(super) struct Requirement {
    /// The name in Debian.
    pub(super) package: &'static str,
    present: Present,
    pub(super) purpose: &'static str,
    pub(super) needed_by: &'static [Task],
    /// The tasks that can do nothing at all without it.
    pub(super) stops: &'static [Task],
}

/// What shows that something is there.
enum Present {
    /// A program on the search path, or where only root looks.
    Program(&'static str),
    File(&'static str),
    When(fn() -> bool),
}
use Present::{File, Program, When};

impl Requirement {
    pub(super) fn is_present(&self) -> bool {
        match self.present {
            Program(name) => command::on_path(name) || Path::new("/usr/sbin").join(name).exists(),
            File(path) => Path::new(path).exists(),
            When(is_present) => is_present(),
        }
    }
}

/// A program that is recorded and replayed, and its package.
const fn studied(package: &'static str, program: &'static str) -> Requirement {
    Requirement {
        package,
        present: Program(program),
        purpose: "a program to record and replay",
        needed_by: &[StudyOfPrograms],
        stops: &[],
    }
}

/// Whoever compiles something of ours.
const ALL: &[Task] = &[
    Tour,
    Test,
    TestOfC,
    Bench,
    Fuzz,
    Study,
    StudyOfC,
    StudyOfKernels,
    StudyOfProcesses,
    StudyOfPrograms,
];

pub(super) const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        package: "gcc",
        present: Program("gcc"),
        purpose: "compiles and links the subjects written in C, and zstd",
        needed_by: ALL,
        stops: ALL,
    },
    // Debian's gcc only recommends the headers, and recommendations are not installed.
    Requirement {
        package: "libc6-dev",
        present: File("/usr/include/stdio.h"),
        purpose: "the C headers for the subjects and zstd",
        needed_by: ALL,
        stops: ALL,
    },
    Requirement {
        package: "llvm-19-dev",
        present: File("/usr/lib/llvm-19/include/llvm-c/Core.h"),
        purpose: "LLVM, which cuts C programs",
        needed_by: &[TestOfC, StudyOfC],
        stops: &[TestOfC, StudyOfC],
    },
    Requirement {
        package: "clang-19",
        present: Program("clang-19"),
        purpose: "the compiler of C programs that are cut",
        needed_by: &[TestOfC, StudyOfC],
        stops: &[TestOfC, StudyOfC],
    },
    Requirement {
        package: "lld-19",
        present: File("/usr/lib/llvm-19/bin/ld.lld"),
        purpose: "links them with their bitcode",
        needed_by: &[TestOfC, StudyOfC],
        stops: &[TestOfC, StudyOfC],
    },
    Requirement {
        package: "make",
        present: Program("make"),
        purpose: "builds programs from Debian's sources",
        needed_by: &[StudyOfPrograms, StudyOfC],
        stops: &[StudyOfC],
    },
    Requirement {
        package: "xz-utils",
        present: Program("xz"),
        purpose: "unpacks them",
        needed_by: &[StudyOfPrograms, StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "bzip2",
        present: Program("bzip2"),
        purpose: "unpacks them, too",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "ed",
        present: Program("ed"),
        purpose: "edits a file while bc is built",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "zlib1g-dev",
        present: File("/usr/include/zlib.h"),
        purpose: "compression in httpd",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "libexpat1-dev",
        present: File("/usr/include/expat.h"),
        purpose: "a library of httpd's",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "wrk",
        present: Program("wrk"),
        purpose: "asks httpd as often as it answers",
        needed_by: &[StudyOfC, StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "valgrind",
        present: Program("valgrind"),
        purpose: "counts the instructions of httpd",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "qemu-system-x86",
        present: Program("qemu-system-x86_64"),
        purpose: "boots other kernels, on a processor that it emulates",
        needed_by: &[StudyOfKernels],
        stops: &[StudyOfKernels],
    },
    Requirement {
        package: "busybox-static",
        present: Program("busybox"),
        purpose: "what such a kernel starts",
        needed_by: &[StudyOfPrograms, StudyOfKernels],
        stops: &[StudyOfKernels],
    },
    Requirement {
        package: "cpio",
        present: Program("cpio"),
        purpose: "packs that for it",
        needed_by: &[StudyOfKernels],
        stops: &[StudyOfKernels],
    },
    Requirement {
        package: "tcl",
        present: Program("tclsh"),
        purpose: "makes the sources of SQLite",
        needed_by: &[StudyOfC],
        stops: &[],
    },
    Requirement {
        package: "g++",
        present: Program("g++"),
        purpose: "compiles libFuzzer",
        needed_by: &[StudyOfPrograms, Test, Fuzz],
        stops: &[Fuzz],
    },
    Requirement {
        package: "gdb",
        present: Program("gdb"),
        purpose: "the debugger that `replay --debug` opens",
        needed_by: &[
            Tour,
            Test,
            TestOfC,
            StudyOfC,
            StudyOfProcesses,
            StudyOfPrograms,
        ],
        stops: &[],
    },
    Requirement {
        package: "bc",
        present: Program("bc"),
        purpose: "a program that nobody here wrote, to record and replay",
        needed_by: &[Test, StudyOfKernels, StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "sqlite3",
        present: Program("sqlite3"),
        purpose: "another, with files and locks",
        needed_by: &[Test, StudyOfKernels, StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "python3",
        present: File("/usr/bin/python3"),
        purpose: "another, with many libraries and a thread",
        needed_by: &[Test, StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "maven",
        present: Program("mvn"),
        purpose: "fetches Java programs that nobody here wrote",
        needed_by: &[Test, Study],
        stops: &[],
    },
    Requirement {
        package: "default-jdk-headless",
        present: When(|| command::on_path("javac") && jvmti_header()),
        purpose: "a JDK: javac for the Java parts, jvmti.h for the agent",
        needed_by: &[StudyOfPrograms, Tour, Test, Bench, Study],
        stops: &[],
    },
    Requirement {
        package: "apache2-bin",
        present: Program("apache2"),
        purpose: "httpd, whose last moments the paper kept",
        needed_by: &[StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "squid",
        present: Program("squid"),
        purpose: "as its squid",
        needed_by: &[StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "gv",
        present: Program("gv"),
        purpose: "as its gv",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "ghostscript",
        present: Program("gs"),
        purpose: "what gv shows pages with",
        needed_by: &[StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "xvfb",
        present: Program("Xvfb"),
        purpose: "a screen for gv",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "nginx-light",
        present: Program("nginx"),
        purpose: "another server",
        needed_by: &[StudyOfKernels, StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "redis-server",
        present: Program("redis-server"),
        purpose: "another",
        needed_by: &[StudyOfKernels, StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "redis-tools",
        present: Program("redis-benchmark"),
        purpose: "asks redis",
        needed_by: &[StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "golang-go",
        present: Program("go"),
        purpose: "compiles a program with goroutines",
        needed_by: &[StudyOfProcesses, StudyOfPrograms],
        stops: &[],
    },
    Requirement {
        package: "httperf",
        present: Program("httperf"),
        purpose: "asks servers at a rate",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "debootstrap",
        present: Program("debootstrap"),
        purpose: "the root of another system, to replay in",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "bubblewrap",
        present: Program("bwrap"),
        purpose: "makes a place like a container",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "criu",
        present: Program("criu"),
        purpose: "a tool to compare with",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    Requirement {
        package: "rr",
        present: Program("rr"),
        purpose: "a tool to compare with",
        needed_by: &[StudyOfProcesses],
        stops: &[],
    },
    studied("git", "git"),
    studied("perl", "perl"),
    studied("nodejs", "node"),
    studied("erlang-base", "erl"),
    studied("pigz", "pigz"),
    studied("zstd", "zstd"),
    studied("openssl", "openssl"),
    studied("ruby", "ruby"),
    studied("php-cli", "php"),
    studied("lua5.4", "lua5.4"),
    studied("gawk", "gawk"),
    studied("jq", "jq"),
    studied("rsync", "rsync"),
    studied("curl", "curl"),
    studied("vim", "vim"),
    studied("bsdutils", "script"),
    Requirement {
        package: "memcached",
        present: Program("memcached"),
        purpose: "a program to record and replay",
        needed_by: &[StudyOfKernels, StudyOfPrograms],
        stops: &[],
    },
    studied("lighttpd", "lighttpd"),
    studied("socat", "socat"),
    studied("postgresql", "psql"),
    studied("mariadb-server", "mariadbd"),
    studied("mariadb-client", "mariadb"),
    studied("util-linux", "setpriv"),
    studied("haproxy", "haproxy"),
    studied("php8.2-fpm", "php-fpm8.2"),
    studied("libfcgi-bin", "cgi-fcgi"),
];

/// Whether some JDK here has the header that agents are compiled against.
fn jvmti_header() -> bool {
    let mut homes: Vec<PathBuf> = env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    if let Ok(entries) = fs::read_dir("/usr/lib/jvm") {
        homes.extend(entries.flatten().map(|entry| entry.path()));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    for folder in env::split_paths(&path) {
        if let Ok(javac) = folder.join("javac").canonicalize() {
            // HOME/bin/javac.
            homes.extend(javac.ancestors().nth(2).map(Path::to_owned));
        }
    }
    homes
        .iter()
        .any(|home| home.join("include/jvmti.h").exists())
}
