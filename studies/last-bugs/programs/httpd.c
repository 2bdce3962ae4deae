// httpd 2.0.48 keeps lines of its log in a buffer that threads share without a lock.
// Each asks whether there is room and then adds its line; with another one between,
// the end of the buffer is passed.
// cc: -pthread
// dies: 11
// gdb: continue
// gdb: watch log.sink
// gdb: reverse-continue
// gdb: up
// sees: received signal SIGSEGV
// sees: Hardware watchpoint
// sees: memcpy(log.text + log.used, line, len);
// gdb: print log.used + len > sizeof log.text
// sees: = 1
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static struct {
    char text[256];
    struct sink {
        size_t written;
    } *sink;
    char more[4096];
    volatile size_t used;
} log;

static void add(const char *line, size_t len) {
    if (log.used + len > sizeof log.text) {
        log.sink->written += log.used;
        log.used = 0;
    }
    // Each line has its time.
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    memcpy(log.text + log.used, line, len);
    log.used += len;
}

static void *serve(void *unused) {
    char line[48];
    for (int i = 0; i < 200000; i++) {
        memset(line, 'a' + i % 26, sizeof line);
        add(line, 20 + (size_t)i % 28);
    }
    return unused;
}

int main(void) {
    static struct sink sink;
    log.sink = &sink;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, serve, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%zu written\n", sink.written);
    return 0;
}
