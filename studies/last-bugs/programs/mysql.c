// MySQL 4.0 changes to a new log by closing the old one and opening the next. A
// statement that comes between finds the log closed, and is not written: no crash, but
// a copy of the database that lacks it. Here somebody counts.
// cc: -pthread
// dies: 6
// gdb: continue
// gdb: watch lost
// gdb: reverse-continue
// sees: received signal SIGABRT
// sees: Hardware watchpoint
// sees: lost++;
// gdb: watch is_open
// gdb: delete 1
// gdb: reverse-continue
// sees: is_open = 0;
// gdb: backtrace 1
// sees: rotate
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int is_open = 1;
static volatile long written, lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void rotate(void) {
    pthread_mutex_lock(&lock);
    is_open = 0;
    pthread_mutex_unlock(&lock);
    // The file is closed, and the next one opened.
    usleep(500);
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_mutex_unlock(&lock);
}

static void statement(void) {
    pthread_mutex_lock(&lock);
    if (is_open)
        written++;
    else
        lost++;
    pthread_mutex_unlock(&lock);
}

static void *client(void *unused) {
    for (int i = 0; i < 2000 && !lost; i++) {
        statement();
        usleep(50);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, client, NULL);
    for (int i = 0; i < 200 && !lost; i++) {
        usleep(300);
        rotate();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (lost)
        abort();
    return 0;
}
