// cc: -Wl,-z,lazy -fno-builtin
// Functions of a library that are called for the first time, on a stack that
// outlives the call: the dynamic linker leaves the vector registers there, as
// the processor saved them, and which of them it saves is a matter of chance.
#include <ctype.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t stack[8192];
static volatile long spun;

// Fills vector registers, waits for the next interrupt or not, and clears them:
// now they may count as used or as unused.
static void clear(void) {
    __asm__ volatile("pcmpeqb %%xmm0, %%xmm0\n movaps %%xmm0, %%xmm7\n" ::: "xmm0", "xmm7");
    for (int i = 0; i < 100000; i++)
        spun++;
    __asm__ volatile("pxor %%xmm0, %%xmm0\n pxor %%xmm7, %%xmm7\n" ::: "xmm0", "xmm7");
}

static void handler(int number) {
    long sum = number;
    clear();
    sum += ffs(12);
    clear();
    sum += toupper('a');
    clear();
    sum += labs(-3);
    clear();
    sum += (long)strlen("first");
    clear();
    sum += atoi("17");
    spun = sum;
}

int main(void) {
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&own, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    // A saved area has two masks: which parts are in use, and, with the top bit
    // set, which were asked for.
    int whole = 0, in_part = 0;
    for (size_t i = 0; i + 1 < sizeof stack / sizeof *stack; i++) {
        uint64_t used = stack[i], asked = stack[i + 1] ^ 1ull << 63;
        if (asked < 2 || asked > 0xffffff || used & ~asked || (uintptr_t)&stack[i] % 64)
            continue;
        if (used == asked)
            whole++;
        else
            in_part++;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof stack / sizeof *stack; i++)
        sum = sum * 31 + stack[i];
    printf("saved whole: %d, in part: %d, all in all: %lx\n", whole, in_part, (unsigned long)sum);
    return 0;
}
