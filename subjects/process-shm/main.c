// Memory of the kind that `shmat` attaches, shared with a child and attached twice;
// memory written by another way than storing to it; keys; and a program that wants
// to trace itself. What a system does not have is left out.
// cc: -Wno-unused-result
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static void attached(void) {
    int id = shmget(IPC_PRIVATE, 3 * 4096 + 100, 0600);
    if (id < 0)
        return;
    char *first = shmat(id, NULL, 0);
    const char *second = shmat(id, NULL, SHM_RDONLY);
    shmctl(id, IPC_RMID, NULL);
    strcpy(first, "parent");
    int turn[2];
    pipe(turn);
    pid_t child = fork();
    if (child == 0) {
        first[4096] = 'c';
        strcat(first, " and child");
        write(turn[1], "x", 1);
        shmdt(first);
        _exit(0);
    }
    char x;
    read(turn[0], &x, 1);
    int status;
    waitpid(child, &status, 0);
    printf("attached: %s, %c\n", first, first[4096]);
    (void)second;
    mprotect(first + 4096, 4096, PROT_READ);
    shmdt(second);
    // Gone, and its place used by something else.
    shmdt(first);
    char *again = mmap(first, 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (again != MAP_FAILED)
        printf("detached: %d\n", again[0]);
}

static void written(void) {
    char text[] = "nothing", other[8] = "";
    struct iovec from = {"written", 7}, to = {text, 7};
    if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) == 7)
        printf("written: %s\n", text);
    struct iovec into = {other, 7};
    if (process_vm_readv(getpid(), &into, 1, &to, 1, 0) == 7)
        printf("read: %s\n", other);
}

// A child waits in a call while its parent writes into it.
static void written_into(void) {
    static char text[8] = "before";
    int turn[2], end[2];
    pipe(turn);
    pipe(end);
    pid_t child = fork();
    if (child == 0) {
        char x;
        write(end[1], "x", 1);
        read(turn[0], &x, 1);
        _exit(strcmp(text, "after") != 0);
    }
    char x;
    read(end[0], &x, 1);
    struct iovec from = {"after", 6}, to = {text, 6};
    long wrote = process_vm_writev(child, &from, 1, &to, 1, 0);
    write(turn[1], "x", 1);
    int status;
    waitpid(child, &status, 0);
    if (wrote == 6)
        printf("written into: %d\n", WEXITSTATUS(status));
}

static void keys(void) {
    long key = syscall(SYS_add_key, "user", "reprise:test", "secret", 6, -3);
    char content[16] = "", about[128] = "";
    if (key < 0)
        return;
    // KEYCTL_READ, KEYCTL_DESCRIBE, KEYCTL_REVOKE
    syscall(SYS_keyctl, 11, key, content, sizeof content, 0);
    syscall(SYS_keyctl, 6, key, about, sizeof about, 0);
    syscall(SYS_keyctl, 3, key, 0, 0, 0);
    printf("key: %s, %s\n", content, strrchr(about, ';'));
}

static void terminal(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master))
        return;
    int other = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
    unsigned locked = 7;
    ioctl(master, TIOCGPTLCK, &locked);
    struct winsize size = {24, 80, 0, 0};
    ioctl(master, TIOCSWINSZ, &size);
    size = (struct winsize){0};
    if (ioctl(other, TIOCGWINSZ, &size) == 0)
        printf("terminal: %d rows, locked %u\n", size.ws_row, locked);
}

int main(void) {
    attached();
    written();
    written_into();
    keys();
    terminal();
    long traced = ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    printf("traced: %d\n", traced < 0 ? errno == EPERM : 0);
    return 0;
}
