/* Inside threads that wait for each other in loops without calling anything: whoever waits
 * must not keep the others from coming inside. The functions whose names begin with in_
 * are the target. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 5 };

static volatile int turn;
static volatile long sum;

__attribute__((noinline)) static void *in_ping(void *given) {
    int me = given != NULL;
    for (int round = 0; round < ROUNDS; round++) {
        while (turn != me)
            ;
        sum = sum * 3 + round + me;
        turn = !me;
    }
    return NULL;
}

__attribute__((noinline)) long in_all(void) { return sum; }

static void *begin(void *given) { return in_ping(given); }

int main(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, begin, &other) != 0)
        return 1;
    in_ping(NULL);
    pthread_join(other, NULL);
    printf("%ld\n", in_all());
    return 0;
}
