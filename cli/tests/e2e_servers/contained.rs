//! As an ordinary user in a place like a container: no capabilities, no new ones, a
//! filter of system calls like the one that containers have, a root that cannot be
//! written to, 256 MB of memory. What is tried there works, or says what it lacks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::{is_there, program};

const MEMORY: &str = "268435456";

/// Where control groups are: those of version 2, and those of version 1 for memory;
/// and what a limit of memory is called there.
const GROUPS: [(&str, &str); 2] = [
    ("/sys/fs/cgroup", "memory.max"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
];

/// Makes a control group with little memory, where that can be.
fn group() -> Option<String> {
    GROUPS.into_iter().find_map(|(root, limit)| {
        let group = format!("{root}/reprise-study-{}", std::process::id());
        Path::new(root)
            .join("cgroup.procs")
            .exists()
            .then_some(())?;
        fs::create_dir(&group).ok()?;
        fs::write(format!("{group}/{limit}"), MEMORY).ok()?;
        Some(group)
    })
}

/// Calls that such filters refuse: mounts, namespaces, keys, modules, clocks, rings,
/// `userfaultfd` and what else is the administrator's.
const REFUSED: [u32; 34] = [
    135, 155, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 227, 237, 238,
    239, 246, 248, 249, 250, 272, 279, 298, 304, 308, 313, 321, 323, 425, 426,
];
const CLONE: u32 = 56;
const CLONE3: u32 = 435;

/// The filter, as the kernel reads it.
fn filter() -> Vec<u8> {
    const ALLOW: u32 = 0x7fff_0000;
    const ERROR: u32 = 0x0005_0000;
    const KILL: u32 = 0x8000_0000;
    const NAMESPACES: u32 = 0x7e02_0000;
    let mut bytes = Vec::new();
    let mut add = |code: u16, yes: u8, no: u8, value: u32| {
        bytes.extend(code.to_le_bytes());
        bytes.extend([yes, no]);
        bytes.extend(value.to_le_bytes());
    };
    let (load, equal, has, done) = (0x20, 0x15, 0x45, 0x06);
    add(load, 0, 0, 4);
    add(equal, 1, 0, 0xc000_003e);
    add(done, 0, 0, KILL);
    add(load, 0, 0, 0);
    for number in REFUSED {
        add(equal, 0, 1, number);
        add(done, 0, 0, ERROR | 1);
    }
    add(equal, 0, 1, CLONE3);
    add(done, 0, 0, ERROR | 38);
    add(equal, 0, 3, CLONE);
    add(load, 0, 0, 16);
    add(has, 0, 1, NAMESPACES);
    add(done, 0, 0, ERROR | 1);
    add(done, 0, 0, ALLOW);
    bytes
}

/// Runs a script there, and returns its status and what it said.
fn inside(folder: &Path, group: Option<&str>, script: &str) -> (Option<i32>, String) {
    let group = group.map_or("/dev/null".to_owned(), |group| {
        format!("{group}/cgroup.procs")
    });
    let setup = format!(
        "echo $$ > {group}; exec bwrap --ro-bind / / --dev /dev --proc /proc \
         --tmpfs /tmp --bind {folder} /tmp/here --ro-bind {program} /tmp/reprise --chdir /tmp/here \
         --unshare-pid --unshare-net --seccomp 9 --setenv XDG_RUNTIME_DIR /tmp/here --setenv TMPDIR /tmp/here -- setpriv \
         --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
         --no-new-privs sh -c \"$SCRIPT\" 9<{folder}/filter",
        folder = folder.display(),
        program = program(),
    );
    let output = Command::new("sh")
        .args(["-c", &setup])
        .env("SCRIPT", script)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn compile(folder: &Path, name: &str, source: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(source);
    let compiled = Command::new("gcc")
        .args(["-g", "-O0", "-w", "-pthread", "-o"])
        .arg(folder.join(name))
        .arg(source)
        .status();
    assert!(compiled.unwrap().success());
}

#[test]
fn in_a_place_like_a_container() {
    if std::env::var("LAST_CONTAINED").is_err() {
        println!("skipped: LAST_CONTAINED is not set");
        return;
    }
    let is_root = nix::unistd::geteuid().is_root();
    if !is_root || !is_there("bwrap") || !is_there("setpriv") {
        println!("skipped: setting it up takes root, bwrap and setpriv");
        return;
    }
    let group = group();
    let group = group.as_deref();
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.join("filter"), filter()).unwrap();
    compile(folder, "crashes", "studies/last-bugs/programs/gzip.c");
    compile(folder, "computes", "subjects/process-preempt/main.c");
    let tries = [
        ("doctor", "/tmp/reprise doctor"),
        (
            "a crash, recorded",
            "/tmp/reprise record --last 10s -o a.reprise -- ./crashes 90; test $? = 139",
        ),
        ("replayed", "/tmp/reprise replay a.reprise"),
        (
            "found in gdb, backwards",
            "/tmp/reprise replay a.reprise --debug -- -batch -ex continue -ex 'watch \
             state.close_input' -ex reverse-continue -ex up > said 2>&1; tail -3 said; grep -q \
             'in treat_file' said",
        ),
        (
            "threads that compute",
            "/tmp/reprise record --last 10s --keep all -o b.reprise -- ./computes && /tmp/reprise \
             replay b.reprise",
        ),
        (
            "a program of 120 MB",
            "/tmp/reprise record --last 2s --interval 200ms --keep all -o c.reprise -- /usr/bin/python3 \
             -c 'x = bytearray(120 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nimport os\nfor \
             i in range(30000): os.getppid()\nprint(len(x))' && /tmp/reprise replay c.reprise",
        ),
    ];
    println!("memory limited to 256 MB by the control group {group:?}");
    let mut failed = Vec::new();
    for (name, script) in tries {
        let (status, said) = inside(folder, group, script);
        println!("\n{name}: status {status:?}\n{}", said.trim_end());
        if status != Some(0) {
            failed.push(name);
        }
    }
    if let Some(group) = group {
        let _ = fs::remove_dir(group);
    }
    assert!(failed.is_empty(), "{failed:?}");
}
