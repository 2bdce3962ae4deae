#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the spool is little-endian, and so are the plain stores below"
#endif

/* Offsets in the spool header. */
enum {
    VERSION_AT = 8,
    RINGS_AT = 12,
    RING_SIZE_AT = 16,
    CONTROLS_AT = 24,
    REGIONS_AT = 32,
    DEAD_AFTER_AT = 40,
    HEARTBEAT_AT = 64,
    SPOOL_STATE_AT = 128,
    TURNED_AWAY_AT = 132,
    WANTED_AT = 136,
    STAMP_AT = 192,
    SEGMENT_AT = 256,
    KINDS_AT = 512,
    KIND_LEN = 32,
    KIND_NAME_LEN = 28,
    MAX_KINDS = 64,
    HEADER_LEN = 4096,
};

/* Offsets in a ring control. */
enum {
    STATE_AT = 0,
    POLICY_AT = 4,
    PROCESS_AT = 8,
    KIND_AT = 12,
    THREAD_AT = 16,
    FLAGS_AT = 24,
    NAME_LEN_AT = 28,
    NAME_AT = 32,
    MAX_NAME = 64,
    HEAD_AT = 128,
    DISCARDED_AT = 136,
    TAIL_AT = 192,
    CONTROL_LEN = 256,
};

enum { REGION_DATA = 4096 };
enum spool_state { RECORDING = 0, ENDED = 1, DRAINER_SILENT = 2 };
enum ring_state { ABSENT = 0, READY = 1, TAKEN = 2, CLOSED = 3 };
enum tag {
    EVENT = 0,
    REPLACED = 1,
    SLICE = 2,
    SEGMENT = 3,
    LONG = 4,
    OUTSIDE = 5,
    PAD = 6,
    LOST = 7,
};
enum { RECORD_HEAD = 2, MAX_BODY = (1 << 13) - 1, OUTSIDE_BODY = 20 };
enum { LONGEST_EVENT = 256 << 20 };
/* Positions are below this; a larger one was scribbled on. */
#define MAX_POSITION ((uint64_t)1 << 62)

static _Atomic(uint32_t) *shared32(uint8_t *at)
{
    return (_Atomic(uint32_t) *)at;
}

static _Atomic(uint64_t) *shared64(uint8_t *at)
{
    return (_Atomic(uint64_t) *)at;
}

/* Records are not aligned, so their numbers go through memcpy. */
static void put16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put_head(uint8_t *at, enum tag tag, size_t len)
{
    put16(at, (uint16_t)((unsigned)tag << 13 | (unsigned)len));
}

static uint32_t get32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t get64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void rest(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

bool spool_open(struct spool *spool, const char *path)
{
    int folder_len = snprintf(spool->folder, sizeof spool->folder, "%s.d", path);
    if (folder_len < 0 || (size_t)folder_len >= sizeof spool->folder)
        return false;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    uint8_t header[HEADER_LEN];
    struct stat status;
    bool is_spool = pread(file, header, sizeof header, 0) == sizeof header
        && memcmp(header, "RPRSPOOL", 8) == 0 && get32(header + VERSION_AT) == 1
        && fstat(file, &status) == 0;
    if (is_spool) {
        spool->rings = get32(header + RINGS_AT);
        spool->ring_size = get64(header + RING_SIZE_AT);
        spool->controls_at = get64(header + CONTROLS_AT);
        spool->regions_at = get64(header + REGIONS_AT);
        spool->dead_after_ms = get32(header + DEAD_AFTER_AT);
        spool->file_len = spool->regions_at + (REGION_DATA + spool->ring_size) * spool->rings;
        is_spool = (uint64_t)status.st_size >= spool->file_len;
    }
    void *base = MAP_FAILED;
    if (is_spool)
        base = mmap(NULL, spool->file_len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    spool->base = base;
    return base != MAP_FAILED;
}

static bool is_recording(struct spool *spool)
{
    return atomic_load_explicit(shared32(spool->base + SPOOL_STATE_AT), memory_order_acquire)
        == RECORDING;
}

/* The drainer's signs of life, as a waiting writer watches them. */
struct watch {
    uint64_t heartbeat;
    uint64_t looked_ms;
    uint64_t silent_ms; /* how long the heart has not beaten */
    uint64_t stuck_ms;  /* how long the ring's tail has not moved */
};

static uint64_t heartbeat(struct spool *spool)
{
    return atomic_load_explicit(shared64(spool->base + HEARTBEAT_AT), memory_order_relaxed);
}

static struct watch watch(struct spool *spool)
{
    return (struct watch){ .heartbeat = heartbeat(spool), .looked_ms = now_ms() };
}

/* Counts the time since the last look. Of a long rest only a part counts: the
 * whole program was stopped, and the drainer perhaps with it. */
static void look(struct spool *spool, struct watch *watch)
{
    uint64_t now = now_ms(), rest = now - watch->looked_ms;
    uint64_t most = spool->dead_after_ms < 4 ? 1 : spool->dead_after_ms / 4;
    if (rest > most)
        rest = most;
    watch->looked_ms = now;
    watch->silent_ms += rest;
    watch->stuck_ms += rest;
}

/* Whether the drainer has been silent for too long. */
static bool is_silent(struct spool *spool, struct watch *watch)
{
    uint64_t beat = heartbeat(spool);
    if (beat != watch->heartbeat)
        watch->silent_ms = 0;
    watch->heartbeat = beat;
    return watch->silent_ms >= spool->dead_after_ms;
}

/* Changes the state from recording to ended: nobody drains any more. */
static void end_silent(struct spool *spool)
{
    uint32_t recording = RECORDING;
    atomic_compare_exchange_strong(shared32(spool->base + SPOOL_STATE_AT), &recording,
                                   DRAINER_SILENT);
}

static bool kind_index(struct spool *spool, const char *kind, uint32_t *index)
{
    for (uint32_t i = 0; i < MAX_KINDS; i++) {
        const char *name = (const char *)spool->base + KINDS_AT + i * KIND_LEN;
        if (strlen(kind) <= KIND_NAME_LEN && strncmp(name, kind, KIND_NAME_LEN) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* Takes a ready ring, if there is one. */
static uint8_t *take(struct spool *spool, uint32_t *index)
{
    for (uint32_t i = 0; i < spool->rings; i++) {
        uint8_t *control = spool->base + spool->controls_at + (uint64_t)CONTROL_LEN * i;
        uint32_t ready = READY;
        if (atomic_compare_exchange_strong(shared32(control + STATE_AT), &ready, TAKEN)) {
            *index = i;
            return control;
        }
    }
    return NULL;
}

/* How much of a name there is room for, without cutting a character apart. */
static size_t fitting(const char *name)
{
    size_t len = strlen(name);
    if (len <= MAX_NAME)
        return len;
    len = MAX_NAME;
    while (len > 0 && ((uint8_t)name[len] & 0xc0) == 0x80)
        len--;
    return len;
}

/* Takes a ring as soon as there is one; NULL when there is none to be had. */
static uint8_t *wait_for_ring(struct spool *spool, uint32_t *index)
{
    struct watch since = watch(spool);
    bool waits = false;
    while (is_recording(spool)) {
        uint8_t *control = take(spool, index);
        if (control != NULL)
            return control;
        if (!waits)
            atomic_fetch_add(shared32(spool->base + WANTED_AT), 1);
        waits = true;
        look(spool, &since);
        if (since.silent_ms >= spool->dead_after_ms) {
            atomic_fetch_add(shared32(spool->base + TURNED_AWAY_AT), 1);
            if (heartbeat(spool) == since.heartbeat)
                end_silent(spool);
            return NULL;
        }
        rest();
    }
    return NULL;
}

static bool append_number(struct ring *ring, enum tag tag, uint64_t number);

bool ring_claim(struct ring *ring, struct spool *spool, const char *kind, uint64_t thread,
                const char *name)
{
    *ring = (struct ring){ .spool = NULL };
    uint32_t kind_at, index;
    if (!kind_index(spool, kind, &kind_at))
        return false;
    uint8_t *control = wait_for_ring(spool, &index);
    if (control == NULL)
        return false;
    size_t name_len = fitting(name);
    put32(control + POLICY_AT, 0);
    put32(control + PROCESS_AT, (uint32_t)getpid());
    put32(control + KIND_AT, kind_at);
    put64(control + THREAD_AT, thread);
    put32(control + FLAGS_AT, 0);
    put32(control + NAME_LEN_AT, (uint32_t)name_len);
    memcpy(control + NAME_AT, name, name_len);
    uint64_t region = spool->regions_at + (REGION_DATA + spool->ring_size) * index;
    *ring = (struct ring){
        .spool = spool,
        .control = control,
        .data = spool->base + region + REGION_DATA,
        .index = index,
        .head = atomic_load_explicit(shared64(control + HEAD_AT), memory_order_acquire),
        .tail = atomic_load_explicit(shared64(control + TAIL_AT), memory_order_acquire),
    };
    ring->ended = ring->head >= MAX_POSITION;
    return append_number(
        ring, SEGMENT,
        atomic_load_explicit(shared64(spool->base + SEGMENT_AT), memory_order_acquire));
}

/* By a difference, not a sum: whoever scribbles on the tail cannot make the
 * writer believe that there is more room than the ring has. */
static bool fits(struct ring *ring, uint64_t need)
{
    return ring->head + need - ring->tail <= ring->spool->ring_size;
}

/* Stores again what the drainer goes by, in case something else in the program
 * has overwritten it. */
static void insist(struct ring *ring)
{
    _Atomic(uint32_t) *state = shared32(ring->control + STATE_AT);
    atomic_store_explicit(shared32(ring->control + POLICY_AT), 0, memory_order_relaxed);
    atomic_store_explicit(shared64(ring->control + HEAD_AT), ring->head, memory_order_release);
    if (atomic_load_explicit(state, memory_order_relaxed) != TAKEN)
        atomic_store_explicit(state, TAKEN, memory_order_release);
}

/* Makes sure that the ring has room for `need` bytes. False when the recording
 * has ended, ends here because nobody drains, or goes on without this ring. */
static bool has_room(struct ring *ring, uint64_t need)
{
    struct spool *spool = ring->spool;
    if (fits(ring, need))
        return true;
    struct watch drainer = watch(spool);
    for (;;) {
        uint64_t tail =
            atomic_load_explicit(shared64(ring->control + TAIL_AT), memory_order_acquire);
        look(spool, &drainer);
        if (tail != ring->tail)
            drainer.stuck_ms = 0;
        ring->tail = tail;
        if (fits(ring, need))
            return true;
        insist(ring);
        if (is_silent(spool, &drainer))
            end_silent(spool);
        /* A drainer that lives and does not see this ring will not come. */
        bool forgotten = drainer.stuck_ms >= (uint64_t)10 * spool->dead_after_ms;
        if (!is_recording(spool) || forgotten) {
            ring->ended = true;
            return false;
        }
        rest();
    }
}

/* The one store that makes a record exist. */
static void publish(struct ring *ring, uint64_t len)
{
    ring->head += len;
    atomic_store_explicit(shared64(ring->control + HEAD_AT), ring->head, memory_order_release);
}

/* Finds room for a record of `len` bytes in one piece; NULL when the recording
 * has ended. */
static uint8_t *reserve(struct ring *ring, uint64_t len)
{
    if (ring->spool == NULL || ring->ended)
        return NULL;
    uint64_t size = ring->spool->ring_size;
    uint64_t left = size - ring->head % size;
    if (left < len) {
        /* The pad goes ahead: to wait for room for both could be to wait for
         * more than the drainer ever frees. */
        if (!has_room(ring, left))
            return NULL;
        if (left >= RECORD_HEAD)
            put_head(ring->data + ring->head % size, PAD, 0);
        publish(ring, left);
    }
    return has_room(ring, len) ? ring->data + ring->head % size : NULL;
}

static bool append_number(struct ring *ring, enum tag tag, uint64_t number)
{
    uint8_t *record = reserve(ring, RECORD_HEAD + sizeof number);
    if (record == NULL)
        return false;
    put_head(record, tag, sizeof number);
    put64(record + RECORD_HEAD, number);
    publish(ring, RECORD_HEAD + sizeof number);
    return true;
}

/* Writes an event into a file of its own, whole or not at all. */
static bool store_outside(struct ring *ring, uint64_t number, const uint8_t *event, size_t len)
{
    char path[PATH_MAX + 64];
    struct rlimit limit;
    /* To write past the limit would be the end of the program. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && len > limit.rlim_cur)
        return false;
    snprintf(path, sizeof path, "%s/%u-%llu", ring->spool->folder, ring->index,
             (unsigned long long)number);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    while (len > 0) {
        ssize_t written = write(file, event, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        event += written;
        len -= (size_t)written;
    }
    close(file);
    if (len > 0)
        unlink(path);
    return len == 0;
}

static bool append_outside(struct ring *ring, const uint8_t *event, size_t len, bool replaced)
{
    /* Room first: with none to be had, the file would belong to nobody. */
    uint8_t *record = reserve(ring, RECORD_HEAD + OUTSIDE_BODY);
    if (record == NULL)
        return false;
    uint64_t number = ring->outside++;
    if (len > LONGEST_EVENT || !store_outside(ring, number, event, len)) {
        append_number(ring, LOST, 1);
        return false;
    }
    put_head(record, OUTSIDE, OUTSIDE_BODY);
    put64(record + 2, number);
    put64(record + 10, len);
    put32(record + 18, replaced);
    publish(ring, RECORD_HEAD + OUTSIDE_BODY);
    return true;
}

static void count_discarded(struct ring *ring)
{
    if (ring->spool == NULL)
        return;
    _Atomic(uint64_t) *discarded = shared64(ring->control + DISCARDED_AT);
    uint64_t count = atomic_load_explicit(discarded, memory_order_relaxed);
    atomic_store_explicit(discarded, count + 1, memory_order_relaxed);
}

bool ring_append(struct ring *ring, const void *event, size_t len, bool replaced)
{
    uint8_t *record;
    if (len <= MAX_BODY) {
        record = reserve(ring, RECORD_HEAD + len);
        if (record != NULL) {
            put_head(record, replaced ? REPLACED : EVENT, len);
            memcpy(record + RECORD_HEAD, event, len);
            publish(ring, RECORD_HEAD + len);
            return true;
        }
    } else if (ring->spool != NULL && len > ring->spool->ring_size / 4) {
        if (append_outside(ring, event, len, replaced))
            return true;
    } else {
        record = reserve(ring, RECORD_HEAD + sizeof(uint32_t) + len);
        if (record != NULL) {
            put_head(record, LONG, replaced);
            put32(record + RECORD_HEAD, (uint32_t)len);
            memcpy(record + RECORD_HEAD + sizeof(uint32_t), event, len);
            publish(ring, RECORD_HEAD + sizeof(uint32_t) + len);
            return true;
        }
    }
    if (ring->ended)
        count_discarded(ring);
    return false;
}

bool ring_stamp(struct ring *ring)
{
    if (ring->spool == NULL)
        return false;
    return append_number(ring, SLICE,
                         atomic_fetch_add(shared64(ring->spool->base + STAMP_AT), 1) + 1);
}

void ring_close(struct ring *ring)
{
    if (ring->spool != NULL)
        atomic_store_explicit(shared32(ring->control + STATE_AT), CLOSED, memory_order_release);
    ring->spool = NULL;
}
