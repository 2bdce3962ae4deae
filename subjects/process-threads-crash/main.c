// One of several threads follows a pointer that another has taken away, while
// the rest sleep, wait for a lock or read.
// cc: -pthread
// dies: 11
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct session {
    int uses;
    char *name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct session *shared;
static int pipe_ends[2];
static sem_t begun;

static void *waits_for_lock(void *unused) {
    pthread_mutex_lock(&lock);
    while (shared)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    sleep(1000);
    return unused;
}

static void *reads(void *unused) {
    char byte;
    while (read(pipe_ends[0], &byte, 1) == 1) {
    }
    return unused;
}

static void *uses(void *unused) {
    for (;;) {
        // The bug: what was looked at with the lock is used without.
        pthread_mutex_lock(&lock);
        struct session *mine = shared;
        pthread_mutex_unlock(&lock);
        char byte = 'x';
        if (write(pipe_ends[1], &byte, 1) != 1)
            exit(3);
        if (mine->uses++ == 0)
            sem_post(&begun);
        shared->name[0] = 'y';
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    shared->uses = 0;
    shared->name = malloc(16);
    sem_init(&begun, 0, 0);
    if (pipe(pipe_ends))
        return 3;
    pthread_create(&thread, NULL, waits_for_lock, NULL);
    pthread_create(&thread, NULL, reads, NULL);
    pthread_create(&thread, NULL, uses, NULL);
    sem_wait(&begun);
    struct timespec time = {0, 3000000};
    nanosleep(&time, NULL);
    puts("the session goes away");
    fflush(stdout);
    pthread_mutex_lock(&lock);
    shared = NULL;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 4;
}
