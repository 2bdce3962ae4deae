//! What cannot be recorded or replayed is said, and the program runs on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::stage::{Stage, check, check_end};

/// Calls that are answered with an error, and one that nobody knows.
const CALLS: &str = "
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **arguments) {
    char room[256] = {0};
    long rings = syscall(SYS_io_uring_setup, 4, room);
    printf(\"%ld %d\\n\", rings, errno == ENOSYS);
    long queue = syscall(SYS_io_setup, 4, room);
    printf(\"%ld %d\\n\", queue, errno == ENOSYS);
    fflush(stdout);
    if (count > 1)
        printf(\"%ld\\n\", syscall(667, 1, 2, 3));
    (void)arguments;
    return 0;
}
";

/// Draws by an instruction that nobody sees, in code that it has made, until it has drawn
/// enough zeros, and then makes a call. Signals come meanwhile.
const DRAWS: &str = "
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
static void comes(int number) {
    static int times;
    if (++times == 20)
        _exit(0);
    (void)number;
}
int main(void) {
    // again: rdrand %rax; test %rdi, %rax; jnz again; ret
    static const char code[] = \"\\x48\\x0f\\xc7\\xf0\\x48\\x85\\xf8\\x75\\xf7\\xc3\";
    void *made = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(made, code, sizeof code);
    mprotect(made, 4096, PROT_READ | PROT_EXEC);
    signal(SIGALRM, comes);
    struct itimerval often = {{0, 20000}, {0, 20000}};
    setitimer(ITIMER_REAL, &often, 0);
    for (;;) {
        ((void (*)(long))made)((1 << 17) - 1);
        getppid();
    }
}
";

/// Compiles a text; not every compiler knows all flags.
fn compiled(stage: &Stage, text: &str, flags: &[&str]) -> bool {
    stage.write("program.c", text.as_bytes());
    let compiled = Command::new("gcc")
        .args(flags)
        .args(["-o", "program", "program.c"])
        .current_dir(stage.path(""))
        .stderr(Stdio::null())
        .status();
    compiled.unwrap().success()
}

#[test]
fn calls_that_are_not_made_are_named() {
    let stage = Stage::new();
    assert!(compiled(&stage, CALLS, &[]));
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.stdout, b"-1 1\n-1 1\n", "{said}");
    for call in ["io_uring_setup", "io_setup"] {
        let named = format!("not recorded: {call}, answered with ENOSYS");
        assert!(said.contains(&named), "{said}");
    }
    check("calls", &recorded, &stage.replay());
}

#[test]
fn a_call_that_nobody_knows_ends_the_recording_only() {
    let stage = Stage::new();
    assert!(compiled(&stage, CALLS, &[]));
    let recorded = stage.record(&["./program", "unknown"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.stdout, b"-1 1\n-1 1\n-1\n", "{said}");
    let early = "ended early by system call 667, which is not in the table";
    assert!(said.contains(early), "{said}");
    let output = stage.path("output");
    let replayed = stage.replay_with(&["--output", output.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{said}");
    assert!(said.contains("as far as the recording goes"), "{said}");
    // What was written up to there, in a file of its own.
    assert!(replayed.stdout.is_empty());
    assert_eq!(fs::read(output).unwrap(), b"-1 1\n-1 1\n");
}

#[test]
fn programs_of_other_kinds_run_and_are_named() {
    let stage = Stage::new();
    // It reads the time-stamp counter, which it has got back, and exits with 7.
    let text = "void _start(void) { __asm__(\"rdtsc; mov $1, %eax; mov $7, %ebx; int $0x80\"); }";
    if compiled(&stage, text, &["-m32", "-nostdlib", "-static"]) {
        let recorded = stage.record(&["./program"], b"");
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert_eq!(recorded.status.code(), Some(7), "{said}");
        assert!(said.contains("the subject is a 32-bit program"), "{said}");
    } else {
        println!("skipped: no 32-bit programs here");
    }
    // The beginning of one for AArch64.
    let mut other = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0\x01\0\0\0".to_vec();
    other.resize(256, 0);
    stage.write("other", &other);
    fs::set_permissions(stage.path("other"), fs::Permissions::from_mode(0o755)).unwrap();
    let recorded = stage.record_with(&["-o", "other.reprise"], &["./other"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert!(
        said.contains("is a program for another processor"),
        "{said}"
    );
}

/// Such a computation never comes to the place again where it was interrupted. Then what was
/// before is given up, in two steps at most.
#[test]
fn a_computation_that_is_not_the_same_again_is_left_out() {
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap();
    if !flags.contains(" rdrand ") {
        println!("skipped: this processor draws no numbers");
        return;
    }
    let stage = Stage::new();
    assert!(compiled(&stage, DRAWS, &[]));
    let options = ["--last", "10s", "--interval", "5ms"];
    let recorded = stage.record_last(&options, &["./program"]);
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{said}");
    assert!(said.contains("not recorded: the time before"), "{said}");
    assert!(said.contains("not found again"), "{said}");
    assert!(!said.contains("unverified"), "{said}");
    check_end("draws", &recorded, &stage.replay());
}

#[test]
fn a_file_that_is_cut_off_is_no_divergence() {
    let stage = Stage::new();
    let recorded = stage.record(&["sh", "-c", "echo x"], b"");
    assert_eq!(recorded.status.code(), Some(0));
    let whole = fs::read(stage.recording()).unwrap();
    for len in [whole.len() / 20, whole.len() / 2] {
        stage.write("cut.reprise", &whole[..len]);
        let replayed = stage.replay_file(&stage.path("cut.reprise"));
        let said = String::from_utf8_lossy(&replayed.stderr);
        assert_eq!(replayed.status.code(), Some(2), "{len}: {said}");
        assert!(said.contains("cut off"), "{len}: {said}");
    }
}
