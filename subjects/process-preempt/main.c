// Threads that compute without system calls while others wait for their turn. One
// works in registers, one on memory alone, so that its registers come back to the
// same values each time around, and one in vector registers. They race on a
// counter, so what comes out depends on where each was interrupted.
// cc: -pthread
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static volatile unsigned long shared;
static volatile int go, done;
static char from[1 << 16], to[1 << 16];

static void *in_registers(void *unused) {
    while (!go)
        ;
    unsigned long x = 1;
    for (unsigned long i = 0; i < 30000000; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        if (x >> 58 == 0)
            shared = shared * 3 + (x >> 40);
    }
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    return (void *)x;
}

static void *in_memory(void *unused) {
    static volatile unsigned long turns;
    while (!go)
        ;
    while (turns < 30000000)
        turns++;
    shared = shared * 5 + turns;
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    return 0;
}

static void *in_vectors(void *unused) {
    while (!go)
        ;
    double x = 1;
    while (x < 1e10) {
        x = x * 1.000001 + 1e-7;
        if (x > 1000 && x < 1000.001)
            shared++;
    }
    for (int i = 0; i < 1000; i++)
        __asm__ volatile("rep movsb" : : "D"(to), "S"(from), "c"(sizeof to) : "memory");
    shared = shared * 7 + (unsigned long)x;
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    memset(from, 'x', sizeof from);
    pthread_t threads[3];
    pthread_create(&threads[0], 0, in_registers, 0);
    pthread_create(&threads[1], 0, in_memory, 0);
    pthread_create(&threads[2], 0, in_vectors, 0);
    // Without a system call, too: it has to be interrupted.
    unsigned long waited = 0;
    go = 1;
    while (done < 2)
        waited++;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    printf("%lx %d %d\n", shared, done, waited > 0);
    return 0;
}
