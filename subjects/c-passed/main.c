/* Inside functions call outside ones through pointers, with structures by value: what these get
 * is a copy. A variable is made in the middle of an inside function, for an outside one to write
 * to. The functions whose names begin with in_ are the target. */
#include <stdio.h>
#include <stdlib.h>

struct totals {
    long files, folders, bytes[4];
};

static long reported;

static void out_report(struct totals totals) { reported += totals.files + totals.bytes[3]; }
static void out_other(struct totals totals) { reported -= totals.folders; }

static void out_fill(char *text, int round) { text[round % 64] = 'a' + rand() % 26; }

static void (*reports[])(struct totals) = {out_report, out_other};

__attribute__((noinline)) long in_count(int rounds) {
    struct totals totals = {0};
    for (int round = 0; round < rounds; round++) {
        totals.files += rand() % 7;
        totals.folders++;
        totals.bytes[round % 4] += round;
        reports[round % 2](totals);
    }
    if (totals.folders > 3) {
        char *text = __builtin_alloca(64);
        for (int round = 0; round < rounds; round++)
            out_fill(text, round);
        totals.files += text[3];
    }
    return totals.files + totals.bytes[3];
}

int main(void) {
    printf("%d\n", in_count(20) > 0);
    printf("%d\n", reported != 0);
    return 0;
}
