// Two threads compute in code that the program has written itself and can still write to,
// as compilers in programs do: a loop without a system call, which is interrupted, and
// whose code is changed between its runs.
// cc: -pthread
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { RUNS = 2, LOOPS = 15000000 };

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

static void *compute(void *which) {
    long thread = (long)which;
    unsigned char *own = code + thread * STEP;
    unsigned long sum = 0;
    pthread_barrier_wait(&both);
    for (int run = 0; run < RUNS; run++) {
        own[FACTOR] = (unsigned char)(run + 1);
        sum ^= ((unsigned long (*)(long))own)(LOOPS);
    }
    return (void *)sum;
}

static unsigned long expected(void) {
    unsigned long all = 0;
    for (int run = 0; run < RUNS; run++) {
        unsigned long sum = 0;
        for (int i = 0; i < LOOPS; i++)
            sum = sum * 31 + run + 1;
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
    void *sums[2];
    for (int which = 0; which < 2; which++)
        pthread_join(threads[which], &sums[which]);
    int same = sums[0] == sums[1] && (unsigned long)sums[0] == expected();
    printf("%s\n", same ? "the same" : "different");
    return !same;
}
