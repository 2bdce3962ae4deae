// A program that runs already when it is attached to: each of its threads waits in
// another call, none of which may fail because of that, and one reads clocks. It
// says "ready", then does what the lines of its standard input say: "work" does
// something, "crash" ends it, the end of the input makes it check everything and
// say "well".
// cc: -pthread
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static int ends[2];
static volatile int over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void *in_epoll(void *unused) {
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLHUP};
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
    if (epoll_wait(epoll, &event, 1, -1) != 1)
        fail("epoll_wait");
    return unused;
}

static void *in_poll(void *unused) {
    struct pollfd end = {.fd = ends[0], .events = POLLHUP};
    if (poll(&end, 1, 1000000) != 1)
        fail("poll");
    return unused;
}

static void *in_select(void *unused) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    if (select(ends[0] + 1, &set, NULL, NULL, NULL) != 1)
        fail("select");
    return unused;
}

static void *in_read(void *unused) {
    char byte;
    if (read(ends[0], &byte, 1) != 0)
        fail("read");
    return unused;
}

static void *in_condition(void *unused) {
    pthread_mutex_lock(&lock);
    while (!over)
        if (pthread_cond_wait(&changed, &lock) != 0)
            fail("pthread_cond_wait");
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *in_sleep(void *unused) {
    struct timespec short_time = {0, 30000000};
    while (!over) {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        if (nanosleep(&short_time, NULL) != 0)
            fail("nanosleep");
        clock_gettime(CLOCK_MONOTONIC, &after);
        long long slept = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
        if (slept < 30000000)
            fail("slept too little");
    }
    return unused;
}

static unsigned long clocks(void) {
    struct timespec time;
    struct timeval day;
    unsigned processor;
    clock_gettime(CLOCK_REALTIME, &time);
    gettimeofday(&day, NULL);
    if (getcpu(&processor, NULL) != 0 || day.tv_sec < time.tv_sec || sched_getcpu() < 0)
        fail("clocks");
    return time.tv_nsec + __rdtsc();
}

static void *on_its_own(void *sum) {
    *(unsigned long *)sum += clocks();
    return NULL;
}

int main(void) {
    void *(*all[])(void *) = {in_epoll, in_poll, in_select, in_read, in_condition, in_sleep};
    enum { COUNT = sizeof all / sizeof *all };
    pthread_t threads[COUNT];
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    if (pipe(ends) != 0)
        fail("pipe");
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, all[i], NULL);
    unsigned long sum = clocks();
    printf("ready\n");
    fflush(stdout);
    char line[64];
    ssize_t len;
    while ((len = read(0, line, sizeof line)) > 0) {
        if (memmem(line, len, "crash", 5) != NULL)
            *(volatile int *)4 = 1;
        for (int i = 0; i < 100; i++)
            sum += clocks();
        pthread_t short_lived;
        pthread_create(&short_lived, NULL, on_its_own, &sum);
        pthread_join(short_lived, NULL);
        printf("worked %d\n", sum == 0);
        fflush(stdout);
    }
    if (len != 0)
        fail("standard input");
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    close(ends[1]);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    sum += clocks();
    sched_getaffinity(0, sizeof after, &after);
    if (!CPU_EQUAL(&before, &after))
        fail("processors");
    printf("well %d\n", sum == 0);
    return 0;
}
