// Workers that share memory: they count in it together, one waits in a loop until
// another has come by, and the first process looks on. Only that one writes.
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 300 };

struct common {
    atomic_long count, sum;
    atomic_int ready, go;
    long seen[4096];
};

static struct common *common;

static int work(int which) {
    long mine = 0;
    if (which == 0) {
        // Nothing but the other one's write ends this.
        while (!atomic_load(&common->go))
            ;
    } else {
        getppid();
        atomic_store(&common->go, 1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        long number = atomic_fetch_add(&common->count, 1);
        mine += number;
        common->seen[number % 4096] = mine;
        if (getppid() <= 0)
            return 1;
    }
    atomic_fetch_add(&common->sum, mine);
    return 0;
}

int main(void) {
    int kind = MAP_SHARED | MAP_ANONYMOUS, status, bad = 0;
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, kind, -1, 0);
    if (common == MAP_FAILED)
        return 2;
    for (int which = 0; which < 2; which++) {
        if (fork() == 0)
            _exit(work(which));
    }
    // Looks on, with calls and without.
    for (long last = 0; last < 2 * ROUNDS; usleep(100))
        last = atomic_load(&common->count);
    for (int worker = 0; worker < 2; worker++) {
        if (wait(&status) < 0 || status)
            bad++;
    }
    long expected = (long)ROUNDS * (2 * ROUNDS - 1);
    printf("%s, %d failed\n", common->sum == expected ? "all counted" : "lost some", bad);
    return bad || common->sum != expected;
}
