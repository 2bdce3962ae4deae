// Reserves all addresses of up to 32 bits, so that a pointer that was cut off points to
// nothing, as browsers do, and has two threads compute that have to be interrupted. Then it
// follows such a pointer, and handles the fault.
// cc: -pthread
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static volatile unsigned long shared;
static volatile int done;
static sigjmp_buf back;
static unsigned long at;

static void *computes(void *seed) {
    unsigned long x = (unsigned long)seed;
    for (unsigned long i = 0; i < 30000000; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        if (x >> 58 == 0)
            shared = shared * 3 + (x >> 40);
    }
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    return (void *)x;
}

static void faults(int number, siginfo_t *info, void *unused) {
    at = (unsigned long)info->si_addr;
    siglongjmp(back, number);
}

int main(void) {
    char *low = (char *)0x10000;
    unsigned long size = 0x100000000ul;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE;
    if (mmap(low, size, PROT_NONE, flags, -1, 0) != low)
        return 2;
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        if (pthread_create(&threads[i], 0, computes, (void *)(i + 1)) != 0)
            return 3;
    while (done < 2)
        ;
    unsigned long sum = 0;
    for (int i = 0; i < 2; i++) {
        void *one;
        pthread_join(threads[i], &one);
        sum = sum * 31 + (unsigned long)one;
    }
    struct sigaction action = {.sa_sigaction = faults, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, 0);
    char *volatile cut_off = (char *)((unsigned long)&shared & 0xfffffff0);
    if (sigsetjmp(back, 1) == 0)
        *cut_off = 1;
    printf("%lx %lx %d\n", sum, shared, at == (unsigned long)cut_off);
    return 0;
}
