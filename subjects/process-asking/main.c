// Instructions that ask the processor for random numbers and about itself: what they
// answer is another thing in every run, and on every machine.
// cc: -mrdrnd -mrdseed -mxsave
#include <cpuid.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>

static unsigned long long sum;

static void draw(void) {
    unsigned short small;
    unsigned middle;
    unsigned long long large;
    for (int i = 0; i < 20; i++) {
        if (_rdrand16_step(&small))
            sum += small;
        if (_rdrand32_step(&middle))
            sum = sum * 31 + middle;
        if (_rdrand64_step(&large))
            sum ^= large;
    }
}

static void *other(void *unused) {
    draw();
    return unused;
}

int main(void) {
    unsigned a, b, c, d;
    __get_cpuid(1, &a, &b, &c, &d);
    // The number of the core that answers is among it.
    printf("%08x %08x %08x %08x\n", a, b, c, d);
    if (c & bit_OSXSAVE)
        printf("parts of registers: %llx\n", (unsigned long long)_xgetbv(0));
    if (c & bit_RDRND) {
        draw();
        pthread_t thread;
        pthread_create(&thread, NULL, other, NULL);
        pthread_join(thread, NULL);
        printf("drawn: %llx\n", sum);
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_RDSEED)) {
        unsigned long long seed = 0;
        while (!_rdseed64_step(&seed))
            ;
        printf("seed: %llx\n", seed);
    }
    return 0;
}
