/*
 * A writer for the spool, in C11, made from its documentation alone
 * (core/recording, modules spool::layout and spool::record).
 *
 * Every thread claims a ring of its own and is the only one to use it. What
 * cannot be recorded is dropped and counted: the program goes on either way.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool {
    uint8_t *base; /* the whole file, mapped shared */
    uint64_t file_len;
    uint32_t rings;
    uint64_t ring_size;
    uint64_t controls_at;
    uint64_t regions_at;
    uint32_t dead_after_ms;
    char folder[PATH_MAX]; /* where events go that are too long for a ring */
};

struct ring {
    struct spool *spool; /* NULL: there is no ring, and nothing is recorded */
    uint8_t *control;
    uint8_t *data;
    uint32_t index;
    uint64_t head;    /* the position behind the last record */
    uint64_t tail;    /* the last tail that was seen; it only grows */
    uint64_t outside; /* numbers the files of long events */
    bool ended;       /* the recording has ended; there is no way back */
};

/* Maps the spool at `path`; false when it is not one of this version. */
bool spool_open(struct spool *spool, const char *path);

/* Claims a ring for the calling thread. False when there is none to be had;
 * the ring can be used all the same, and counts for nothing. */
bool ring_claim(struct ring *ring, struct spool *spool, const char *kind, uint64_t thread,
                const char *name);

/* Appends an event; false when it is not recorded. `replaced` says that it
 * stands in for one that is private. */
bool ring_append(struct ring *ring, const void *event, size_t len, bool replaced);

/* Gives the events that follow the next place in the global order. */
bool ring_stamp(struct ring *ring);

/* Hands the ring back. */
void ring_close(struct ring *ring);

#endif
