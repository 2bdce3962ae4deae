//! Programs with filters of their own for system calls (seccomp): a recorder does in
//! their name what they never do, and they must not pay for it.

use std::process::{Command, Output};

use crate::stage::{REPRISE, Stage, check_end};

/// Allows what it does itself, and is killed for anything else, or hears that it is
/// refused. It sleeps, is interrupted, and asks for the time if told to.
const LISTED: &str = r#"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile int alarms;
static void comes(int number) { alarms += number == SIGALRM; }
#define ALLOWED(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int main(int count, char **words) {
    int asks = count > 2;
    unsigned other = strcmp(words[1], "kills") ? SECCOMP_RET_ERRNO | 1 : SECCOMP_RET_KILL_PROCESS;
    struct sock_filter list[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOWED(write), ALLOWED(clock_nanosleep), ALLOWED(rt_sigreturn), ALLOWED(restart_syscall),
        ALLOWED(exit_group), BPF_STMT(BPF_RET | BPF_K, other),
    };
    struct sock_fprog filter = {sizeof list / sizeof *list, list};
    struct itimerval often = {{0, 30000}, {0, 30000}};
    struct sigaction handler = {.sa_handler = comes};
    int ends[2];
    if (pipe(ends) || sigaction(SIGALRM, &handler, 0) || setitimer(ITIMER_REAL, &often, 0))
        return 1;
    if (fork()) {
        /* Nobody else is to hold the other end when the child has ended. */
        char byte;
        close(ends[1]);
        while (read(ends[0], &byte, 1) != 0)
            ;
        printf("over\n");
        return 0;
    }
    setitimer(ITIMER_REAL, &often, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter))
        return 2;
    struct timespec now = {1, 0}, nap = {0, 10000000};
    for (int i = 0; i < 60; i++) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, 0);
        if (asks && clock_gettime(CLOCK_MONOTONIC, &now))
            _exit(3);
    }
    write(1, alarms > 3 ? "many\n" : "few\n", alarms > 3 ? 5 : 4);
    write(1, "did\n", 4);
    _exit(0);
}
"#;

const NAMED: &str = "a filter of its own for system calls (seccomp), which only root can set aside";

/// Short segments, so that many begin behind the filter.
const SHORT: &[&str] = &["--last", "1s", "--interval", "20ms"];

fn stage() -> Stage {
    let stage = Stage::new();
    stage.write("main.c", LISTED.as_bytes());
    let compiled = Command::new("cc")
        .args(["-O1", "-o"])
        .arg(stage.path("program"))
        .arg(stage.path("main.c"))
        .status();
    assert!(compiled.unwrap().success());
    stage
}

fn check(name: &str, recorded: &Output) {
    let said = String::from_utf8_lossy(&recorded.stderr);
    assert_eq!(recorded.status.code(), Some(0), "{name}: {said}");
    let printed = String::from_utf8_lossy(&recorded.stdout);
    assert_eq!(printed, "many\ndid\nover\n", "{name}: {said}");
}

/// Whether this process may set filters of others aside: everything, with none of its own.
fn may_set_aside() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        u64::from_str_radix(line.unwrap_or("0").trim(), 16).unwrap_or(0)
    };
    const SYS_ADMIN: u64 = 1 << 21;
    field("CapEff:") & SYS_ADMIN != 0 && field("Seccomp:") == 0
}

#[test]
fn who_lists_its_calls_is_recorded_by_whoever_may_set_that_aside() {
    if !may_set_aside() {
        println!("skipped: this user cannot set filters aside");
        return;
    }
    for how in [&["kills", "asks"][..], &["refuses", "asks"]] {
        let stage = stage();
        let recorded = stage.record_last(SHORT, &[&["./program"], how].concat());
        check(how[0], &recorded);
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert!(!said.contains("not recorded"), "{said}");
        check_end(how[0], &recorded, &stage.replay_with(&["--process", "1"]));
        let replayed = stage.replay_with(&["--process", "2"]);
        let said = String::from_utf8_lossy(&replayed.stderr);
        assert!(said.contains("registers and memory are the same"), "{said}");
        assert_eq!(replayed.stdout, b"many\ndid\n", "{said}");
        let events = stage.show(&["--events"]);
        assert!(events.contains("clock_gettime"), "{events}");
    }
}

#[test]
fn who_lists_its_calls_is_let_go_by_others() {
    // Who would have found out the time by itself finds it out also then.
    for how in [
        &["kills"][..],
        &["refuses"],
        &["kills", "asks"],
        &["refuses", "asks"],
    ] {
        let stage = stage();
        let recorded = Command::new("setpriv")
            .args(["--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"])
            .args([REPRISE, "record", "--keep", "all", "-o", "run.reprise"])
            .args(SHORT)
            .args(["--", "./program"])
            .args(how)
            .current_dir(stage.path("."))
            .output();
        let Ok(recorded) = recorded else {
            println!("skipped: no setpriv here");
            return;
        };
        if recorded.status.code() == Some(127) {
            println!("skipped: this user cannot give up capabilities");
            return;
        }
        let name = how.join(" ");
        check(&name, &recorded);
        let said = String::from_utf8_lossy(&recorded.stderr);
        assert!(said.contains(NAMED), "{said}");
        check_end(&name, &recorded, &stage.replay_with(&["--process", "1"]));
    }
}
