//! What cannot be recorded or replayed is said, and the program runs on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use crate::stage::{REPRISE, Stage, check, check_end};

/// Calls that are answered with an error, and one that nobody knows.
const CALLS: &str = "
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *sleeps(void *unused) {
    pause();
    return unused;
}
int main(int count, char **arguments) {
    char room[256] = {0};
    long rings = syscall(SYS_io_uring_setup, 4, room);
    printf(\"%ld %d\\n\", rings, errno == ENOSYS);
    long queue = syscall(SYS_io_setup, 4, room);
    printf(\"%ld %d\\n\", queue, errno == ENOSYS);
    fflush(stdout);
    pthread_t thread;
    if (count > 2)
        pthread_create(&thread, 0, sleeps, 0);
    if (count > 1) {
        printf(\"%ld\\n\", syscall(667, 1, 2, 3));
        // Who gets its signals, which is rarely asked.
        printf(\"%d\\n\", ioctl(socket(AF_UNIX, SOCK_STREAM, 0), 0x8904, room));
        size_t much = 129 << 20;
        printf(\"%zd\\n\", read(open(\"/dev/zero\", O_RDONLY), malloc(much), much));
        fflush(stdout);
        // A machine that has much to do takes its time to begin anew.
        for (int i = 0; i < 30; i++)
            usleep(100000);
        printf(\"behind\\n\");
    }
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

/// Nobody knows what they have written, or it is too much: what is kept begins behind them.
#[test]
fn calls_that_nobody_knows_are_not_played_over() {
    let stage = Stage::new();
    assert!(compiled(&stage, CALLS, &["-pthread"]));
    for arguments in [&["unknown"][..], &["unknown", "beside another thread"]] {
        let command = [&["./program"], arguments].concat();
        let recorded = stage.record(&command, b"");
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert_eq!(
            String::from_utf8_lossy(&recorded.stdout),
            "-1 1\n-1 1\n-1\n0\n135266304\nbehind\n",
            "{said}"
        );
        for call in [
            "system call 667, which is not in the table",
            "ioctl with 0x8904, which is not in the table",
            "a system call that writes over 128 MiB",
        ] {
            let named = format!("not recorded: the time before, {call}");
            assert!(said.contains(&named), "{call}: {said}");
        }
        let output = stage.path("output");
        let replayed = stage.replay_with(&["--output", output.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&replayed.stderr);
        assert_eq!(replayed.status.code(), Some(0), "{said}");
        assert!(said.contains("to the end, exit 0"), "{said}");
        // What was written from there on, in a file of its own.
        assert!(replayed.stdout.is_empty());
        let again = fs::read_to_string(output).unwrap();
        assert!(again.ends_with("behind\n"), "{again}");
        assert!(!again.contains("-1 1\n"), "{again}");
        fs::remove_file(stage.recording()).unwrap();
    }
}

/// Waits in a call that nobody knows, which a signal cuts off: first one after which the
/// kernel makes it again, then one after which it has failed.
const CUT_OFF: &str = "
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int times;
static void comes(int number) {
    struct sigaction again = {.sa_handler = comes};
    sigaction(SIGALRM, &again, 0);
    if (++times == 1)
        ualarm(200000, 0);
    (void)number;
}
int main(void) {
    struct sock_filter all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog filter = {1, all};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int told = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
        SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    if (told < 0) {
        printf(\"no listener here\\n\");
        return 0;
    }
    struct sigaction first = {.sa_handler = comes, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &first, 0);
    ualarm(200000, 0);
    struct seccomp_notif notice;
    memset(&notice, 0, sizeof notice);
    int result = ioctl(told, SECCOMP_IOCTL_NOTIF_RECV, &notice);
    printf(\"%d %d %d\\n\", result, errno == EINTR, times);
    fflush(stdout);
    for (int i = 0; i < 20; i++)
        usleep(50000);
    printf(\"behind\\n\");
    return 0;
}
";

/// That a signal cuts such a call off ends no recording, either.
#[test]
fn calls_that_nobody_knows_may_be_cut_off() {
    let stage = Stage::new();
    assert!(compiled(&stage, CUT_OFF, &[]));
    let recorded = stage.record(&["./program"], b"");
    let said = String::from_utf8_lossy(&recorded.stderr);
    let printed = String::from_utf8_lossy(&recorded.stdout);
    if printed == "no listener here\n" {
        println!("skipped: this kernel, or who runs the test, has no seccomp listeners");
        return;
    }
    assert_eq!(printed, "-1 1 2\nbehind\n", "{said}");
    let named =
        "not recorded: the time before (2 times), ioctl with 0xc0502100, which is not in the table";
    assert!(said.contains(named), "{said}");
    let replayed = stage.replay();
    let said = String::from_utf8_lossy(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{said}");
    assert!(said.contains("to the end, exit 0"), "{said}");
    assert!(replayed.stdout.ends_with(b"behind\n"), "{replayed:?}");
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

/// What there is no room for is said before and at the failure, and when a dump is asked for;
/// nothing half-written is left, and the program runs on.
#[test]
fn a_full_disk() {
    let stage = Stage::new();
    fs::create_dir(stage.path("small")).unwrap();
    let within = |command: &str| {
        let script = format!("mount -t tmpfs -o size=64k none small && {command}");
        Command::new("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", &script])
            .current_dir(stage.path(""))
            .env("XDG_RUNTIME_DIR", stage.path(""))
            .env("REPRISE", REPRISE)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    if !within("true").status.success() {
        println!("skipped: nobody may mount anything here");
        return;
    }
    let record = "\"$REPRISE\" record --last 10s -o small/%p.reprise --";
    let crash = within(&format!(
        "{record} sh -c 'kill -SEGV $$'; echo $?; ls small"
    ));
    let said = String::from_utf8_lossy(&crash.stderr);
    assert_eq!(String::from_utf8_lossy(&crash.stdout), "139\n", "{said}");
    assert!(said.contains("there is room for 64.0 kB"), "{said}");
    assert!(said.contains("nothing was recorded: small/"), "{said}");
    assert!(said.contains(".reprise: the disk is full"), "{said}");

    let asked = within(&format!(
        "{record} sh -c '\"$REPRISE\" dump $$; echo $?; exit 7'; echo $?; ls small"
    ));
    let said = String::from_utf8_lossy(&asked.stderr);
    assert_eq!(String::from_utf8_lossy(&asked.stdout), "1\n7\n", "{said}");
    assert!(said.contains(".reprise: the disk is full"), "{said}");
}
