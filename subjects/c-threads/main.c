/* Threads that all come inside, with variables on the inside stack and memory of the
 * inside heap, and calls to outside in between, where others take their turn. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 300 };

__attribute__((noinline)) static int out_random(unsigned *seed) {
    return rand_r(seed);
}

__attribute__((noinline)) static void in_fill(long *numbers, int count, long by) {
    for (int i = 0; i < count; i++)
        numbers[i] = by * i;
}

__attribute__((noinline)) long in_work(int depth, long by) {
    long numbers[32], sum = 0;
    unsigned seed = (unsigned)by;
    in_fill(numbers, 32, by);
    char *text = malloc((size_t)depth + 8);
    memset(text, depth, (size_t)depth + 8);
    (void)out_random(&seed);
    if (depth > 0)
        sum += in_work(depth - 1, by + 1);
    (void)out_random(&seed);
    for (int i = 0; i < 32; i++)
        sum += numbers[i] == by * i ? 1 : 1000000;
    for (int i = 0; i < depth + 8; i++)
        sum += text[i] == depth ? 1 : 1000000;
    free(text);
    return sum;
}

static void *begin(void *given) {
    long *sum = given;
    for (int round = 0; round < ROUNDS; round++)
        *sum += in_work(round % 10, round);
    return NULL;
}

int main(int argc, char **argv) {
    (void)argv;
    pthread_t threads[THREADS];
    long sums[THREADS + 1] = {0}, all = 0;
    if (argc == 1)
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, begin, &sums[i]);
    begin(&sums[THREADS]);
    for (int i = 0; i <= THREADS; i++) {
        if (argc == 1 && i < THREADS)
            pthread_join(threads[i], NULL);
        all += sums[i];
    }
    printf("%ld\n", all);
    return 0;
}
