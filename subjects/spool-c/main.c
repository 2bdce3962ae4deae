/*
 * Threads that append events whose content can be checked, to see that a
 * writer made from the spool's documentation is understood by its drainer.
 *
 *     spool-c THREADS EVENTS [PROGRESS]
 *
 * The spool is named by REPRISE_SPOOL. Thread t claims a ring called
 * "writer t" and appends EVENTS events; length and content of event i are a
 * function of t and i (the test has the same one). Every 16th event is taken
 * in turn by all threads under a lock, with a stamp, and holds the number of
 * the turn. PROGRESS is a file of two u64 per thread: how many events were
 * begun, and how many were appended. They outlive a SIGKILL as the spool does.
 */
#include "spool.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_THREADS = 64, MAX_EVENT = 80000 };

struct progress {
    _Atomic(uint64_t) begun;
    _Atomic(uint64_t) appended;
};

static struct spool spool;
static bool has_spool;
static uint64_t events;
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t turn;
/* Without a PROGRESS file, nobody looks at these. */
static struct progress own_progress[MAX_THREADS];
static struct progress *progress = own_progress;

/* Well mixed bits out of any number (the end of SplitMix64). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* The content of event `number` of a thread: mostly short, some up to 20,000
 * bytes, and now and then one that no ring of 64 KiB can hold. */
static size_t fill(uint8_t *event, uint64_t thread, uint64_t number)
{
    uint64_t bits = mix((thread << 40) + number + 1);
    size_t size = (size_t)(bits >> 32), len;
    if (number % 1000 == 999)
        len = 70000 + size % 1000;
    else if (bits % 100 < 80)
        len = size % 64;
    else if (bits % 100 < 97)
        len = size % 2000;
    else
        len = size % 20001;
    for (size_t i = 0; i < len; i++)
        event[i] = (uint8_t)((bits >> i % 8 * 8) + i / 8);
    return len;
}

static bool take_turn(struct ring *ring)
{
    pthread_mutex_lock(&turn_lock);
    ring_stamp(ring);
    bool recorded = ring_append(ring, &turn, sizeof turn, false);
    turn++;
    pthread_mutex_unlock(&turn_lock);
    return recorded;
}

static void *work(void *argument)
{
    uint64_t thread = (uint64_t)(uintptr_t)argument;
    static _Thread_local uint8_t event[MAX_EVENT];
    char name[32];
    snprintf(name, sizeof name, "writer %llu", (unsigned long long)thread);
    struct ring ring = { .spool = NULL };
    if (has_spool)
        ring_claim(&ring, &spool, "test", thread, name);
    for (uint64_t number = 0; number < events; number++) {
        atomic_store_explicit(&progress[thread].begun, number + 1, memory_order_release);
        bool recorded;
        if (number % 16 == 0)
            recorded = take_turn(&ring);
        else
            recorded = ring_append(&ring, event, fill(event, thread, number), number % 7 == 3);
        if (recorded)
            atomic_store_explicit(&progress[thread].appended, number + 1, memory_order_release);
    }
    ring_close(&ring);
    return NULL;
}

static bool map_progress(const char *path, size_t len)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)len) != 0)
        return false;
    void *base = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    progress = base;
    return base != MAP_FAILED;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: spool-c THREADS EVENTS [PROGRESS]\n");
        return 2;
    }
    uint64_t threads = strtoull(argv[1], NULL, 10);
    events = strtoull(argv[2], NULL, 10);
    if (threads > MAX_THREADS) {
        fprintf(stderr, "at most %d threads\n", MAX_THREADS);
        return 2;
    }
    if (argc == 4 && !map_progress(argv[3], sizeof own_progress)) {
        perror(argv[3]);
        return 1;
    }
    const char *path = getenv("REPRISE_SPOOL");
    has_spool = path != NULL && spool_open(&spool, path);
    if (!has_spool)
        fprintf(stderr, "there is no spool; nothing is recorded\n");

    pthread_t handles[MAX_THREADS];
    for (uintptr_t t = 0; t < threads; t++) {
        if (pthread_create(&handles[t], NULL, work, (void *)t) != 0) {
            perror("pthread_create");
            return 1;
        }
    }
    for (uint64_t t = 0; t < threads; t++)
        pthread_join(handles[t], NULL);
    return 0;
}
