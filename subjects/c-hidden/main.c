/* A pointer is copied byte by byte, which no analysis here follows: it was computed that the function
 * which reads through it reads inside memory, so nobody looks while the program runs. With an argument
 * it points to memory that is outside. The functions whose names begin with in_ are the target. */
#include <stdio.h>

static int mine = 1;
static int theirs = 2;
static int *where = &mine;

__attribute__((noinline)) static void out_points(int count) {
    int *other = &theirs;
    volatile char *to = (volatile char *)&where;
    volatile char *from = (volatile char *)&other;
    theirs = 40 + count;
    for (unsigned at = 0; count > 1 && at < sizeof other; at++)
        to[at] = from[at];
}

__attribute__((noinline)) static int in_reads(void) {
    return *where;
}

int main(int count, char **arguments) {
    (void)arguments;
    out_points(count);
    printf("%d\n", in_reads());
    return 0;
}
