// Processes that share 8 MiB and work there on what the others have left: numbers that
// they pass on in a ring, and what a call reads from a file. One moves the memory
// elsewhere meanwhile, one makes it readable only and writable again, and one is killed
// when it has written and makes no call any more. Only the first one writes.
// needs: written
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 2048, WORKERS = 3, ROUNDS = 60 };

struct common {
    // Whose turn it is, and which place it is at.
    atomic_int turn, ended;
    char rest[PAGE - 2 * sizeof(atomic_int)];
    long places[PAGES][PAGE / sizeof(long)];
};

static struct common *common;

static void wait_for(int who) {
    while (atomic_load(&common->turn) != who)
        usleep(50);
}

// Does something to the address space between its turns.
static void rearrange(int who, int round) {
    size_t size = sizeof *common;
    if (who == 1 && round == 20) {
        void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        common = mremap(common, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, room);
    }
    if (who == 2 && round == 30) {
        mprotect(common->places[512], 64 * PAGE, PROT_READ);
        usleep(100);
        mprotect(common->places[512], 64 * PAGE, PROT_READ | PROT_WRITE);
    }
}

// Goes on with the number that the one before has left, at another page each time.
static int work(int who, int bytes) {
    unsigned char block[512];
    for (int round = 0; round < ROUNDS; round++) {
        rearrange(who, round);
        wait_for(who);
        int step = round * WORKERS + who;
        long *here = common->places[step * 7 % PAGES], *next = common->places[(step + 1) * 7 % PAGES];
        long number = here[0];
        next[0] = number * 31 + who;
        next[511] = here[511] ^ number;
        // By a call, into a page that others read.
        if (pread(bytes, &next[64], sizeof block, 0) != sizeof block)
            return 1;
        memcpy(block, &here[64], sizeof block);
        for (unsigned i = 0; round > 0 && i < sizeof block; i++) {
            if (block[i] != i % 251)
                return 2;
        }
        if (round == ROUNDS - 1) {
            atomic_fetch_add(&common->ended, 1);
            atomic_store(&common->turn, (who + 1) % WORKERS);
            while (who == WORKERS - 1)
                ;
        }
        atomic_store(&common->turn, (who + 1) % WORKERS);
    }
    return 0;
}

int main(void) {
    int kind = MAP_SHARED | MAP_ANONYMOUS, status, bad = 0;
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, kind, -1, 0);
    int bytes = open("bytes", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (common == MAP_FAILED || bytes < 0)
        return 2;
    unsigned char block[512];
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] = i % 251;
    if (write(bytes, block, sizeof block) != sizeof block)
        return 2;
    unlink("bytes");
    common->places[0][0] = 1;
    pid_t last = 0;
    for (int who = 0; who < WORKERS; who++) {
        last = fork();
        if (last == 0)
            _exit(work(who, bytes));
    }
    // Looks on.
    long seen = 0;
    while (atomic_load(&common->ended) < WORKERS) {
        seen ^= common->places[(seen & 15) * 7][0];
        usleep(200);
    }
    kill(last, SIGKILL);
    for (int worker = 0; worker < WORKERS; worker++) {
        if (wait(&status) < 0 || (status && status != SIGKILL))
            bad++;
    }
    long expected = 1;
    for (int step = 0; step < WORKERS * ROUNDS; step++)
        expected = expected * 31 + step % WORKERS;
    long found = common->places[WORKERS * ROUNDS * 7 % PAGES][0];
    printf("%s, %d failed\n", found == expected ? "all passed on" : "lost some", bad);
    return bad || found != expected;
}
