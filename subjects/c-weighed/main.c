/* What is read through a pointer is the program's own nearly always, and a text of the system
 * once: by how often it could have been one, the log would be hundreds of times as long as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 3000, GIVEN = 100, ROUNDS = 4 };

struct state {
    char *text;
    unsigned long sum;
    unsigned rounds;
};

__attribute__((noinline)) static unsigned long in_sum(const char *text, size_t len) {
    unsigned long sum = 1;
    for (size_t at = 0; at < len; at++)
        sum = sum * 31 + (unsigned char)text[at];
    return sum;
}

/* Made outside of the target, and read there: this is in the log, as long as it is. */
static char given[GIVEN];

__attribute__((noinline)) static void out_gives(unsigned round) {
    for (size_t at = 0; at < GIVEN; at++)
        given[at] = (char)(at * (round + 3) + (unsigned)rand() % 7);
}

__attribute__((noinline)) static void in_round(struct state *state) {
    for (size_t at = 0; at < SIZE; at++)
        state->text[at] = (char)(state->text[at] + at * state->rounds);
    state->sum += in_sum(state->text, SIZE);
    state->rounds++;
}

__attribute__((noinline)) static unsigned long in_given(void) {
    unsigned long sum = 0;
    for (size_t at = 0; at < GIVEN; at++)
        sum = sum * 17 + (unsigned char)given[at];
    return sum;
}

__attribute__((noinline)) static unsigned long in_work(struct state *state) {
    const char *path = getenv("PATH");
    state->sum = path ? in_sum(path, strlen(path) % 5) : 0;
    state->text = calloc(1, SIZE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        in_round(state);
        out_gives(round);
        state->sum += in_given();
    }
    free(state->text);
    return state->sum;
}

int main(void) {
    struct state state = {0};
    srand(7);
    printf("%lu\n", in_work(&state));
    return 0;
}
