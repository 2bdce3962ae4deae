/* Two hundred threads that are all inside at once: each has come there and waits in an
 * outside function that it has called. */
#include <pthread.h>
#include <stdio.h>

enum { MANY = 200 };

static pthread_barrier_t all_here;
static long total;

__attribute__((noinline)) static void out_wait(void) {
    pthread_barrier_wait(&all_here);
}

__attribute__((noinline)) static long in_work(long number) {
    long room[32];
    for (int i = 0; i < 32; i++)
        room[i] = number * i;
    out_wait();
    long sum = 0;
    for (int i = 0; i < 32; i++)
        sum += room[i];
    __atomic_fetch_add(&total, sum, __ATOMIC_RELAXED);
    return sum;
}

static void *begin(void *number) {
    return (void *)in_work((long)number);
}

int main(void) {
    static pthread_t threads[MANY];
    pthread_attr_t small;
    pthread_barrier_init(&all_here, NULL, MANY);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (long number = 0; number < MANY; number++)
        pthread_create(&threads[number], &small, begin, (void *)number);
    for (int number = 0; number < MANY; number++)
        pthread_join(threads[number], NULL);
    printf("%ld\n", total);
    return 0;
}
