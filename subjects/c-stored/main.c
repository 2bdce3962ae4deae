/* A function that allocates for others and stores where that is, as Berkeley DB's does: what
 * inside functions have from it is inside, though outside functions have memory from it, too,
 * and write there. The functions whose names begin with in_ are the target. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int in_os_malloc(size_t size, void *where) {
    void *memory = malloc(size ? size : 1);
    if (memory == NULL)
        return ENOMEM;
    *(void **)where = memory;
    return 0;
}

static void out_fill(void) {
    long *all;
    if (in_os_malloc(64 * sizeof *all, &all))
        abort();
    for (int i = 0; i < 64; i++)
        all[i] = rand();
    printf("%d\n", all[7] != all[8]);
    free(all);
}

__attribute__((noinline)) long in_compute(int rounds) {
    long *all, sum = 0;
    if (in_os_malloc(64 * sizeof *all, &all))
        abort();
    memset(all, 0, 64 * sizeof *all);
    for (int round = 0; round < rounds; round++) {
        all[round % 64] += round;
        sum += all[(round * 7) % 64];
    }
    free(all);
    return sum;
}

int main(void) {
    out_fill();
    printf("%ld\n", in_compute(5000));
    return 0;
}
