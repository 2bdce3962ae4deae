// Two threads compute in code that the program has written itself and can still write to,
// as compilers in programs do: loops without a system call, whose code is changed between
// their runs. The first goes on until the other has begun, for which it is interrupted, but
// not for ever: on a loaded machine that takes long, and is long to be found again.
// cc: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { LOOPS = 300000, RUNS = 150 };

// rax = 0; do { rax = rax * 31 + FACTOR } while (--rdi); return rax
static const unsigned char LOOP[] = {
    0x31, 0xc0,                         // xor eax, eax
    0x48, 0x6b, 0xc0, 0x1f,             // imul rax, rax, 31
    0x48, 0x81, 0xc0, 1, 0, 0, 0,       // add rax, FACTOR
    0x48, 0xff, 0xcf,                   // dec rdi
    0x75, 0xf0,                         // jne
    0xc3,
};
enum { FACTOR = 9, STEP = 128 };

static unsigned char *code;
static pthread_barrier_t both;
static atomic_int begun[2];
static int runs[2];
static unsigned long sums[2];

static void *compute(void *which) {
    long thread = (long)which;
    unsigned char *own = code + thread * STEP;
    pthread_barrier_wait(&both);
    atomic_store(&begun[thread], 1);
    do {
        own[FACTOR] = (unsigned char)(++runs[thread] % 100);
        sums[thread] ^= ((unsigned long (*)(long))own)(LOOPS);
    } while (!atomic_load(&begun[!thread]) && runs[thread] < RUNS);
    return NULL;
}

static unsigned long expected(int runs) {
    unsigned long all = 0;
    for (int run = 1; run <= runs; run++) {
        unsigned long sum = 0;
        for (int i = 0; i < LOOPS; i++)
            sum = sum * 31 + run % 100;
        all ^= sum;
    }
    return all;
}

int main(void) {
    int protection = PROT_READ | PROT_WRITE | PROT_EXEC;
    code = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return 2;
    pthread_t threads[2];
    pthread_barrier_init(&both, NULL, 2);
    for (long which = 0; which < 2; which++) {
        memcpy(code + which * STEP, LOOP, sizeof LOOP);
        pthread_create(&threads[which], NULL, compute, (void *)which);
    }
    int bad = 0;
    for (int which = 0; which < 2; which++) {
        pthread_join(threads[which], NULL);
        bad += sums[which] != expected(runs[which]);
    }
    printf("%d and %d runs, %d wrong\n", runs[0], runs[1], bad);
    return bad;
}
