// Files in memory that change in other ways than by storing to them there: by calls that
// write to the file, where it can only be read, where it is mapped for one process alone,
// and by another process that has mapped it itself. Once with little memory, which is
// compared, and once with much, of which the kernel tells who has written where. Files
// also become shorter and longer again, by descriptor, by name, and when they are opened.
// needs: written
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, ROUNDS = 20, STEP = 1111 };

static int file;
static size_t len;

static void must(int holds) {
    if (!holds)
        exit(2);
}

static volatile unsigned char *map(int descriptor, int protection, int flags) {
    void *at = mmap(NULL, len, protection, flags, descriptor, 0);
    must(at != MAP_FAILED);
    return at;
}

static size_t place(int round) { return (size_t)round * STEP % len; }

// Writes by three calls in turn.
static void store(int round) {
    unsigned char byte = (unsigned char)(round + 1);
    struct iovec piece = {&byte, 1};
    switch (round % 3) {
    case 0:
        must(pwrite(file, &byte, 1, (off_t)place(round)) == 1);
        break;
    case 1:
        must(lseek(file, (off_t)place(round), SEEK_SET) >= 0 && write(file, &byte, 1) == 1);
        break;
    default:
        must(pwritev(file, &piece, 1, (off_t)place(round)) == 1);
    }
}

// One process writes by calls and reads what it has in memory.
static void alone(int protection, int flags) {
    volatile unsigned char *memory = map(file, protection, flags);
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        store(round);
        sum = sum * 3 + memory[place(round)];
    }
    // What is cut off and comes back is zero.
    must(ftruncate(file, 100) == 0 && ftruncate(file, (off_t)len) == 0);
    for (size_t at = 0; at < len; at += 100)
        sum = sum * 3 + memory[at];
    printf("%u\n", sum);
    munmap((void *)memory, len);
}

// A child has the file in memory and can only read it; its parent writes, to its own
// memory or by calls.
static void together(int in_memory) {
    int go[2], done[2];
    must(pipe(go) == 0 && pipe(done) == 0);
    char path[64], byte = 0;
    sprintf(path, "/proc/self/fd/%d", file);
    int readable = open(path, O_RDONLY);
    must(readable >= 0);
    pid_t child = fork();
    if (child == 0) {
        volatile unsigned char *memory = map(readable, PROT_READ, MAP_SHARED);
        unsigned sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            must(read(go[0], &byte, 1) == 1);
            sum = sum * 3 + memory[place(round)];
            must(write(done[1], &byte, 1) == 1);
        }
        must(write(done[1], &sum, sizeof sum) == sizeof sum);
        _exit(0);
    }
    volatile unsigned char *memory =
        in_memory ? map(file, PROT_READ | PROT_WRITE, MAP_SHARED) : NULL;
    for (int round = 0; round < ROUNDS; round++) {
        if (memory)
            memory[place(round)] = (unsigned char)(round + 1);
        else
            store(round);
        must(write(go[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1);
    }
    unsigned sum;
    must(read(done[0], &sum, sizeof sum) == sizeof sum);
    printf("%u\n", sum);
    int status;
    must(waitpid(child, &status, 0) == child && status == 0);
    if (memory)
        munmap((void *)memory, len);
    close(readable);
}

// A file is emptied and has something else in it then.
static void refill(const char *path, unsigned char byte) {
    int other = open(path, O_WRONLY | O_TRUNC);
    unsigned char page[PAGE];
    memset(page, byte, sizeof page);
    must(other >= 0);
    for (size_t done = 0; done < len; done += PAGE)
        must(write(other, page, PAGE) == PAGE);
    close(other);
}

// A child has the file for itself, and sees what its parent writes where it has not
// written itself.
static void behind(void) {
    int go[2], done[2];
    must(pipe(go) == 0 && pipe(done) == 0);
    char path[64], byte = 0;
    sprintf(path, "/proc/%d/fd/%d", getpid(), file);
    pid_t child = fork();
    if (child == 0) {
        volatile unsigned char *memory = map(file, PROT_READ | PROT_WRITE, MAP_PRIVATE);
        unsigned sum = 0;
        memory[PAGE] = 77;
        for (int round = 0; round < ROUNDS; round++) {
            must(read(go[0], &byte, 1) == 1);
            sum = sum * 3 + memory[place(round)] + memory[PAGE] + memory[len - 1];
            must(write(done[1], &byte, 1) == 1);
        }
        must(write(done[1], &sum, sizeof sum) == sizeof sum);
        _exit(0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        if (round == 10)
            must(truncate(path, 50) == 0 && truncate(path, (off_t)len) == 0);
        else if (round == 15)
            refill(path, 9);
        else
            store(round);
        must(write(go[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1);
    }
    unsigned sum;
    must(read(done[0], &sum, sizeof sum) == sizeof sum);
    printf("%u\n", sum);
    int status;
    must(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    const size_t lens[] = {2 * PAGE, 400 * PAGE};
    for (int which = 0; which < 2; which++) {
        len = lens[which];
        file = memfd_create("mapped", 0);
        must(file >= 0 && ftruncate(file, (off_t)len) == 0);
        alone(PROT_READ | PROT_WRITE, MAP_SHARED);
        alone(PROT_READ, MAP_SHARED);
        alone(PROT_READ, MAP_PRIVATE);
        together(1);
        together(0);
        if (which == 0)
            behind();
        close(file);
    }
    return 0;
}
