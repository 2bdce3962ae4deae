// Memory behind the end of its file: of a mapping that is longer than its file from the
// beginning on, and of one whose file is cut off. The first faults are handled, by two
// kinds of handlers, the last one kills.
// dies: 7
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LEN = 4 * PAGE };

static sigjmp_buf out;
static void *volatile told;

static void must(int holds) {
    if (!holds)
        exit(2);
}

static void with_more(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    told = info->si_addr;
    siglongjmp(out, 1);
}

static void plain(int number) {
    (void)number;
    siglongjmp(out, 1);
}

static int faults(volatile unsigned char *at, unsigned char *value) {
    if (sigsetjmp(out, 1))
        return 1;
    *value = *at;
    return 0;
}

int main(void) {
    int file = memfd_create("cut", 0);
    must(file >= 0 && ftruncate(file, 2 * PAGE) == 0);
    volatile unsigned char *memory = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    must(memory != MAP_FAILED);
    for (int at = 0; at < 2 * PAGE; at++)
        memory[at] = (unsigned char)(at * 7 + 1);
    struct sigaction action = {.sa_sigaction = with_more, .sa_flags = SA_SIGINFO};
    must(sigaction(SIGBUS, &action, NULL) == 0);
    unsigned char value = 0;
    must(faults(memory + 3 * PAGE + 5, &value) && told == memory + 3 * PAGE + 5);
    must(ftruncate(file, 100) == 0);
    struct sigaction simple = {.sa_handler = plain};
    must(sigaction(SIGBUS, &simple, NULL) == 0);
    must(faults(memory + PAGE, &value));
    must(!faults(memory + 50, &value) && value == (unsigned char)(50 * 7 + 1));
    must(!faults(memory + 200, &value) && value == 0);
    // What comes back is zero.
    must(ftruncate(file, LEN) == 0 && !faults(memory + PAGE, &value) && value == 0);
    memory[3 * PAGE] = 9;
    must(ftruncate(file, PAGE) == 0);
    must(signal(SIGBUS, SIG_DFL) != SIG_ERR);
    printf("%d\n", value);
    fflush(stdout);
    return memory[3 * PAGE];
}
