/* A pointer goes through a pipe, where no analysis can follow it, to a function of which
 * nothing is known, and to one of the program that writes there. With one argument the first
 * is given inside memory, with two the second. The functions whose names begin with in_ are
 * the target. */
#include <stdio.h>
#include <unistd.h>

/* Of another library, which is here as a file of its own. */
void unknown(char *text);

static char mine[16] = "inside";
static char theirs[16] = "outside";

__attribute__((noinline)) static char *out_through(char *pointer) {
    int ends[2];
    char *back = NULL;
    if (pipe(ends) != 0 || write(ends[1], &pointer, sizeof pointer) < 0)
        return NULL;
    if (read(ends[0], &back, sizeof back) < 0)
        return NULL;
    close(ends[0]);
    close(ends[1]);
    return back;
}

static int in_first(void) {
    return mine[0];
}

__attribute__((noinline)) static void out_writes(char *text) {
    text[4] = '?';
}

static void in_gives(int which) {
    mine[1] = 'N';
    unknown(out_through(which == 1 ? mine : theirs));
    out_writes(out_through(which == 2 ? mine : theirs));
    mine[2] = 'S';
}

int main(int count, char **arguments) {
    (void)arguments;
    unknown(theirs);
    in_gives(count - 1);
    printf("%c%s %s\n", in_first(), mine + 1, theirs);
    return 0;
}
