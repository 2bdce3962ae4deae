// Threads that come and go: many at a time, detached, one that makes others, one
// that ends with a lock that it holds, signals to one of them and to all, and a
// first thread that ends before the last.
// cc: -pthread
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int total;
static sem_t done;
static pthread_mutex_t robust;
static pthread_t first;
static volatile sig_atomic_t handled;
static __thread volatile sig_atomic_t mine;

static void *adds(void *number) {
    __atomic_add_fetch(&total, (int)(long)number, __ATOMIC_SEQ_CST);
    return number;
}

static void *makes(void *number) {
    pthread_t thread;
    void *result;
    if (pthread_create(&thread, NULL, adds, number) || pthread_join(thread, &result))
        exit(2);
    return result;
}

static void *posts(void *unused) {
    sem_post(&done);
    return unused;
}

static void *dies_with_lock(void *unused) {
    pthread_mutex_lock(&robust);
    return unused;
}

static void on_signal(int number) {
    (void)number;
    handled++;
    mine++;
}

static void *is_signalled(void *unused) {
    (void)unused;
    while (!mine)
        usleep(50);
    return (void *)(long)mine;
}

static void *last(void *unused) {
    pthread_join(first, NULL);
    printf("%d in all, %d signals, the first thread has ended\n", total, (int)handled);
    exit(total != 4950 + 4950 ? 7 : 0);
    return unused;
}

int main(void) {
    pthread_t threads[100];
    void *result;
    for (int round = 0; round < 2; round++) {
        for (long i = 0; i < 100; i++)
            if (pthread_create(&threads[i], NULL, round && i % 10 == 0 ? makes : adds, (void *)i))
                return 2;
        for (long i = 0; i < 100; i++)
            if (pthread_join(threads[i], &result) || (long)result != i)
                return 3;
    }
    sem_init(&done, 0, 0);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 20; i++)
        if (pthread_create(&threads[i], &detached, posts, NULL))
            return 2;
    for (int i = 0; i < 20; i++)
        sem_wait(&done);
    pthread_mutexattr_t survives;
    pthread_mutexattr_init(&survives);
    pthread_mutexattr_setrobust(&survives, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &survives);
    pthread_create(&threads[0], NULL, dies_with_lock, NULL);
    pthread_join(threads[0], NULL);
    if (pthread_mutex_lock(&robust) != EOWNERDEAD)
        return 4;
    signal(SIGUSR1, on_signal);
    pthread_create(&threads[0], NULL, is_signalled, NULL);
    pthread_kill(threads[0], SIGUSR1);
    pthread_join(threads[0], &result);
    if ((long)result != 1 || handled != 1)
        return 5;
    kill(getpid(), SIGUSR1);
    if (handled != 2)
        return 6;
    first = pthread_self();
    pthread_create(&threads[0], NULL, last, NULL);
    pthread_exit(NULL);
}
