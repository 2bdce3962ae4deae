/* Memory that is outside, copied to right after memory that is inside was allocated: calls that
   `cut` puts in the place of others are not taken for those. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *outside[8];

__attribute__((noinline)) char *out_place(void) {
    static int next;
    char **place = &outside[next++ % 8];
    if (!*place)
        *place = calloc(1, 64);
    return *place;
}

__attribute__((noinline)) char *out_sized(unsigned long size) { return calloc(1, size); }

__attribute__((noinline)) long in_first(const char *text, unsigned long len) {
    char *mine = malloc(len + 1);
    char *other = out_place();
    memcpy(other, text, len);
    memcpy(mine, text, len);
    mine[len] = 0;
    long sum = mine[0] + other[len - 1];
    free(mine);
    return sum;
}

__attribute__((noinline)) long in_second(const char *text, unsigned long len) {
    char *mine = malloc(len), *more = malloc(len);
    char *one = out_place(), *two = out_sized(len), *three = out_place();
    memset(one, 'a', len);
    memcpy(two, text, len);
    memcpy(three, two, len);
    memcpy(mine, three, len);
    memcpy(more, one, len);
    long sum = mine[len - 1] * 3 + more[0];
    free(mine);
    free(more);
    return sum;
}

int main(int argc, char **argv) {
    const char *text = argc > 1 ? argv[1] : "memory of somebody else";
    long sum = 0;
    for (unsigned long len = 5; len < 20; len++)
        sum = sum * 7 + in_first(text, len) + in_second(text, len);
    printf("%ld\n", sum);
    return 0;
}
