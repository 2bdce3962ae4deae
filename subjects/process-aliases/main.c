// Memory that is at several addresses of one process: what is written at one of them is
// read, or run, at the others. A compiler's code that is written at one address and executed
// at another, a ring buffer that goes on at its beginning, shared memory that is mapped again
// by mremap, a view that moves, one that grows, one that is mapped over, one that becomes
// writable late. Calls write to one and read from the other. It takes long enough for a
// segment to begin in the middle, and for an interruption in code that changes.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static void check(int holds, int line) {
    if (!holds) {
        printf("wrong in line %d\n", line);
        exit(line & 0x7f ? line & 0x7f : 1);
    }
}
#define CHECK(holds) check(holds, __LINE__)

static int memory(const char *name, size_t len) {
    int file = memfd_create(name, 0);
    CHECK(file >= 0 && ftruncate(file, (off_t)len) == 0);
    return file;
}

static void *view(void *at, size_t len, int protection, int file, off_t offset) {
    int flags = MAP_SHARED | (at ? MAP_FIXED : 0);
    void *view = mmap(at, len, protection, flags, file, offset);
    CHECK(view != MAP_FAILED);
    return view;
}

// Code that is written at one address and executed at another.
typedef int (*Function)(int);
static uint8_t *code;
static Function run;

static void compile(int add) {
    // lea eax, [rdi + add]; ret
    uint8_t bytes[] = {0x8d, 0x87, 0, 0, 0, 0, 0xc3};
    memcpy(bytes + 2, &add, 4);
    memcpy(code, bytes, sizeof bytes);
    __builtin___clear_cache((char *)run, (char *)run + sizeof bytes);
}

static long compute(int rounds) {
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
        if (i % 64 == 0)
            compile(i);
        sum += run(i);
    }
    return sum;
}

// A ring buffer whose end is followed by its beginning.
static long ring(int rounds) {
    size_t len = 2 * PAGE;
    int file = memory("ring", len);
    char *whole = mmap(NULL, 2 * len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(whole != MAP_FAILED);
    view(whole, len, PROT_READ | PROT_WRITE, file, 0);
    view(whole + len, len, PROT_READ | PROT_WRITE, file, 0);
    close(file);
    size_t at = 0;
    long sum = 0;
    for (int i = 0; i < rounds; i++) {
        char text[64];
        int wrote = snprintf(text, sizeof text, "message %d of the ring", i);
        memcpy(whole + at, text, wrote + 1);
        CHECK(strcmp(whole + at, text) == 0);
        if (at + wrote >= len)
            CHECK(memcmp(whole, whole + len, PAGE) == 0);
        sum += whole[(at + wrote / 2) % len];
        at = (at + wrote + 1) % len;
    }
    CHECK(munmap(whole, 2 * len) == 0);
    return sum;
}

// Shared memory without a file is mapped again by mremap.
static void again(void) {
    char *one = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(one != MAP_FAILED);
    strcpy(one + PAGE, "before");
    char *other = mremap(one, 0, 3 * PAGE, MREMAP_MAYMOVE);
    CHECK(other != MAP_FAILED && strcmp(other + PAGE, "before") == 0);
    strcpy(other + PAGE, "after");
    CHECK(strcmp(one + PAGE, "after") == 0);
    // The first one goes to another place, and a part of it away.
    char *free = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *moved = mremap(one, 3 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, free);
    CHECK(free != MAP_FAILED && moved == free);
    strcpy(moved + PAGE, "moved");
    CHECK(strcmp(other + PAGE, "moved") == 0);
    CHECK(munmap(moved, PAGE) == 0);
    strcpy(other + PAGE, "less");
    CHECK(strcmp(moved + PAGE, "less") == 0);
    // What is said to be needed no more is still there, as long as it is not removed.
    CHECK(madvise(other + PAGE, PAGE, MADV_DONTNEED) == 0);
    CHECK(strcmp(moved + PAGE, "less") == 0 && strcmp(other + PAGE, "less") == 0);
    CHECK(madvise(other + PAGE, PAGE, MADV_REMOVE) == 0);
    CHECK(moved[PAGE] == 0 && other[PAGE] == 0);
    CHECK(munmap(other, 3 * PAGE) == 0);
    strcpy(moved + 2 * PAGE, "last");
    CHECK(munmap(moved + PAGE, 2 * PAGE) == 0);
}

// Views that grow, that show other parts, that are mapped over, and that become writable.
static void changes(void) {
    int file = memory("changes", 8 * PAGE);
    char *one = view(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, file, 0);
    char *rest = view(NULL, 6 * PAGE, PROT_READ, file, PAGE);
    strcpy(one + PAGE, "shifted");
    CHECK(strcmp(rest, "shifted") == 0);
    char *longer = mremap(one, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
    CHECK(longer != MAP_FAILED);
    strcpy(longer + 3 * PAGE, "grown");
    CHECK(strcmp(rest + 2 * PAGE, "grown") == 0);
    CHECK(mprotect(rest + 4 * PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
    strcpy(rest + 4 * PAGE, "late");
    char *third = view(NULL, 8 * PAGE, PROT_READ, file, 0);
    CHECK(strcmp(third + 5 * PAGE, "late") == 0 && strcmp(third + PAGE, "shifted") == 0);
    // The same once more at the same place.
    view(third, 8 * PAGE, PROT_READ, file, 0);
    strcpy(longer, "anew");
    CHECK(strcmp(third, "anew") == 0);
    // Calls write and read at one address what is used at the other.
    CHECK(pwrite(file, "by a call", 10, 2 * PAGE) == 10);
    CHECK(strcmp(rest + PAGE, "by a call") == 0 && strcmp(third + 2 * PAGE, "by a call") == 0);
    int zero = open("/dev/zero", O_RDONLY);
    CHECK(zero >= 0 && read(zero, longer + 2 * PAGE, 4) == 4);
    CHECK(rest[PAGE] == 0 && third[2 * PAGE + 5] == 'c');
    close(zero);
    strcpy(longer, "written at one address, read at the other\n");
    CHECK(write(STDOUT_FILENO, third, strlen(third)) == (ssize_t)strlen(longer));
    // A child has them, too, and what it writes is seen.
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        strcpy(longer + PAGE, "by a child");
        _exit(strcmp(rest, "by a child") != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(strcmp(rest, "by a child") == 0 && strcmp(third + PAGE, "by a child") == 0);
    close(file);
}

int main(void) {
    int file = memory("code", PAGE);
    code = view(NULL, PAGE, PROT_READ | PROT_WRITE, file, 0);
    run = (Function)view(NULL, PAGE, PROT_READ | PROT_EXEC, file, 0);
    long sum = 0;
    for (int i = 0; i < 10; i++) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        sum += compute(100000) + ring(200);
        again();
    }
    changes();
    printf("%ld\n", sum);
    return 0;
}
