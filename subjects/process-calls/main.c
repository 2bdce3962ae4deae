// Calls that other subjects do not make: processes by descriptors, signals by descriptors,
// processes by clone3, calls that are restarted behind a handler or cut off, prctl, what terminals are
// asked, and ways to send bytes from file to file.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
// cc: -lutil

static void check(int holds, int line) {
    if (!holds) {
        printf("wrong in line %d: %s\n", line, strerror(errno));
        exit(1);
    }
}
#define CHECK(holds) check(holds, __LINE__)

static void descriptors_of_processes(void) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        pause();
        _exit(1);
    }
    int process = (int)syscall(SYS_pidfd_open, child, 0);
    CHECK(process >= 0);
    CHECK(syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0) == 0);
    siginfo_t info = {0};
    CHECK(waitid((idtype_t)3, (id_t)process, &info, WEXITED) == 0);
    CHECK(info.si_pid == child && info.si_code == CLD_KILLED && info.si_status == SIGTERM);
    close(process);
}

static void a_process_by_clone3(void) {
    int descriptor = -1;
    struct clone_args how = {0};
    how.flags = CLONE_PIDFD;
    how.pidfd = (uint64_t)(uintptr_t)&descriptor;
    how.exit_signal = SIGCHLD;
    long child = syscall(SYS_clone3, &how, sizeof how);
    CHECK(child >= 0);
    if (child == 0)
        _exit(7);
    int status;
    CHECK(descriptor >= 0 && waitpid((pid_t)child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    close(descriptor);
}

static void signals_by_descriptor(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, &signals, NULL) == 0);
    int descriptor = signalfd(-1, &signals, SFD_CLOEXEC);
    CHECK(descriptor >= 0);
    union sigval value = {.sival_int = 42};
    CHECK(sigqueue(getpid(), SIGUSR2, value) == 0);
    struct signalfd_siginfo info;
    CHECK(read(descriptor, &info, sizeof info) == sizeof info);
    CHECK(info.ssi_signo == SIGUSR2 && info.ssi_int == 42 && info.ssi_pid == (uint32_t)getpid());
    close(descriptor);
}

static volatile sig_atomic_t handled;
static int into;
// Whether the next alarm is set: one that came before a call that it was meant for is not enough.
static volatile sig_atomic_t again = 1;

static void handler(int signal) {
    (void)signal;
    handled++;
    if (handled == 2)
        CHECK(write(into, "x", 1) == 1);
    else if (again)
        ualarm(2000, 0);
}

// A read that waits is interrupted twice, goes on each time, and at last has something.
static void restarted(void) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    into = ends[1];
    struct sigaction action = {0};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    ualarm(2000, 0);
    char byte = 0;
    CHECK(read(ends[0], &byte, 1) == 1);
    CHECK(byte == 'x' && handled == 2);
    // And one that does not go on.
    action.sa_flags = 0;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    handled = 4;
    ualarm(2000, 0);
    CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR && handled >= 5);
    again = 0;
    ualarm(0, 0);
    close(ends[0]);
    close(ends[1]);
}

static void nothing(int signal) { (void) signal; }

// A signal cuts a `ppoll` off, which says all the same that nothing happened: what an earlier
// one has said is gone. The signal waits until the call lets it through.
static void polls_that_are_cut_off(void) {
    int ends[2];
    char byte = 'x';
    CHECK(pipe(ends) == 0 && write(ends[1], &byte, 1) == 1);
    struct pollfd input = {.fd = ends[0], .events = POLLIN};
    CHECK(poll(&input, 1, -1) == 1 && input.revents == POLLIN);
    CHECK(read(ends[0], &byte, 1) == 1);
    sigset_t one, none;
    sigemptyset(&none);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    CHECK(signal(SIGUSR2, nothing) != SIG_ERR);
    CHECK(sigprocmask(SIG_BLOCK, &one, NULL) == 0 && raise(SIGUSR2) == 0);
    CHECK(ppoll(&input, 1, NULL, &none) == -1 && errno == EINTR);
    CHECK(input.revents == 0);
    CHECK(sigprocmask(SIG_UNBLOCK, &one, NULL) == 0);
    close(ends[0]);
    close(ends[1]);
}

// A call that fails for a length that the kernel does not know tells the one that it knows.
static void told_by_a_call_that_fails(void) {
    union {
        uint32_t size;
        unsigned char bytes[512];
    } attributes = {0};
    attributes.size = sizeof attributes;
    attributes.bytes[sizeof attributes - 1] = 1;
    CHECK(syscall(SYS_sched_setattr, 0, &attributes, 0) == -1 && errno == E2BIG);
    CHECK(attributes.size != sizeof attributes && attributes.size >= 48);
}

static void names(void) {
    char name[16] = {0};
    CHECK(prctl(PR_SET_NAME, "calls") == 0 && prctl(PR_GET_NAME, name) == 0);
    CHECK(strcmp(name, "calls") == 0);
    int deadly = -1;
    CHECK(prctl(PR_GET_PDEATHSIG, &deadly) == 0);
    CHECK(prctl(PR_SET_DUMPABLE, 1) == 0 && prctl(PR_GET_DUMPABLE) == 1);
}

static void terminals(void) {
    int main, other;
    struct winsize size = {.ws_row = 33, .ws_col = 77};
    CHECK(openpty(&main, &other, NULL, NULL, &size) == 0);
    struct winsize told = {0};
    CHECK(ioctl(other, TIOCGWINSZ, &told) == 0 && told.ws_row == 33 && told.ws_col == 77);
    struct termios raw;
    CHECK(tcgetattr(other, &raw) == 0);
    cfmakeraw(&raw);
    CHECK(tcsetattr(other, TCSANOW, &raw) == 0);
    CHECK(write(main, "typed", 5) == 5);
    struct pollfd input = {.fd = other, .events = POLLIN};
    CHECK(poll(&input, 1, -1) == 1);
    int waiting = 0;
    CHECK(ioctl(other, FIONREAD, &waiting) == 0 && waiting == 5);
    char typed[8] = {0};
    CHECK(read(other, typed, sizeof typed) == 5 && strcmp(typed, "typed") == 0);
    CHECK(isatty(other) && !isatty(memfd_create("no", 0)));
    close(main);
    close(other);
}

static void from_file_to_file(void) {
    int one = memfd_create("one", 0), other = memfd_create("other", 0), ends[2];
    CHECK(one >= 0 && other >= 0 && pipe(ends) == 0);
    CHECK(pwrite(one, "some bytes", 10, 0) == 10);
    off_t from = 5;
    CHECK(sendfile(other, one, &from, 5) == 5 && from == 10);
    off_t at = 0;
    CHECK(copy_file_range(one, &at, other, NULL, 4, 0) == 4 && at == 4);
    at = 0;
    CHECK(splice(other, &at, ends[1], NULL, 9, 0) == 9 && at == 9);
    char bytes[16] = {0};
    CHECK(read(ends[0], bytes, sizeof bytes) == 9 && strcmp(bytes, "bytessome") == 0);
}

int main(void) {
    descriptors_of_processes();
    a_process_by_clone3();
    signals_by_descriptor();
    restarted();
    polls_that_are_cut_off();
    told_by_a_call_that_fails();
    names();
    terminals();
    from_file_to_file();
    printf("all as expected\n");
    return 0;
}
