// Producers and consumers around a queue with a mutex and two condition
// variables, and a pipe whose reader sleeps in the kernel: threads that wait for
// each other in every way, and what they found in what order.
// cc: -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRODUCERS = 3, CONSUMERS = 2, EACH = 40, ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], used, taken;
static unsigned order;
static __thread int own;
static int pipe_ends[2];

static void *produce(void *name) {
    for (int i = 0; i < EACH; i++) {
        pthread_mutex_lock(&lock);
        while (used == ROOM)
            pthread_cond_wait(&not_full, &lock);
        queue[used++] = (int)(long)name * 1000 + i;
        own++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
        if (i % 16 == 0)
            usleep(100);
    }
    return (void *)(long)own;
}

static void *consume(void *name) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (used == 0 && taken < PRODUCERS * EACH)
            pthread_cond_wait(&not_empty, &lock);
        if (used == 0) {
            pthread_mutex_unlock(&lock);
            return (void *)(long)own;
        }
        int item = queue[--used];
        order = order * 31 + (unsigned)item * ((long)name + 7);
        own++;
        if (++taken == PRODUCERS * EACH)
            pthread_cond_broadcast(&not_empty);
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
        char text[32];
        int len = snprintf(text, sizeof text, "%d\n", item);
        if (write(pipe_ends[1], text, len) != len)
            exit(2);
    }
}

static void *sum(void *unused) {
    (void)unused;
    FILE *in = fdopen(pipe_ends[0], "r");
    long total = 0;
    char line[32];
    while (fgets(line, sizeof line, in))
        total += atoi(line);
    return (void *)total;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS], reader;
    if (pipe(pipe_ends))
        return 3;
    pthread_create(&reader, NULL, sum, NULL);
    for (long i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, (void *)i);
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, produce, (void *)i);
    long made = 0, eaten = 0;
    void *result;
    for (int i = 0; i < PRODUCERS; i++) {
        pthread_join(producers[i], &result);
        made += (long)result;
    }
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i], &result);
        eaten += (long)result;
    }
    close(pipe_ends[1]);
    pthread_join(reader, &result);
    printf("%ld made, %ld eaten, sum %ld, order %08x\n", made, eaten, (long)result, order);
    long expected = 1000L * EACH * (PRODUCERS * (PRODUCERS - 1) / 2) + PRODUCERS * (EACH * (EACH - 1) / 2);
    return made != PRODUCERS * EACH || eaten != made || (long)result != expected;
}
