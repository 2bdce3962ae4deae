// dies: 6
// Works like a server, round after round: asks for the time and for random
// bytes, changes memory all over the place, some of it shared or kept from its
// children, says something now and then; and aborts in the end, unless it has an
// argument: then it never ends.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

enum { ROUNDS = 3000, PAGES = 4096, PAGE = 4096 };

static unsigned char *memory(int flags) {
    unsigned char *map = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

int main(int arguments, char **argument) {
    (void)argument;
    unsigned char *heap = calloc(PAGES, PAGE), *shared = memory(MAP_SHARED);
    unsigned char *wiped = memory(MAP_PRIVATE), *kept = memory(MAP_PRIVATE);
    if (!heap || !shared || !wiped || !kept)
        return 2;
    if (madvise(wiped, 64 * PAGE, MADV_WIPEONFORK) || madvise(kept, 64 * PAGE, MADV_DONTFORK))
        return 3;
    unsigned long sum = 0;
    for (int round = 0; round < ROUNDS || arguments > 1; round++) {
        struct timespec now;
        unsigned short at[16];
        clock_gettime(CLOCK_REALTIME, &now);
        if (getrandom(at, sizeof at, 0) != sizeof at)
            return 4;
        for (int i = 0; i < 16; i++) {
            unsigned char *byte = &heap[(size_t)(at[i] % PAGES) * PAGE + (size_t)(now.tv_nsec % PAGE)];
            sum = sum * 31 + (*byte += (unsigned char)round);
            for (int j = 0; j < 3; j++) {
                byte = &(unsigned char *[]){shared, wiped, kept}[j][at[i] % (64 * PAGE)];
                sum = sum * 31 + (*byte += (unsigned char)at[i]);
            }
        }
        if (round % 10 == 0)
            printf("round %d: %lx\n", round, sum);
    }
    fflush(stdout);
    abort();
}
