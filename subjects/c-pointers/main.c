/* Handlers in a table, one of which is hardly ever called. Who counts each of them for
   every call through the table believes that it is cheaper to take the loop inside, with
   all that it is told. */
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 400, EACH = 100 };

struct state {
    long sum;
    long asked;
};

typedef long (*handler)(struct state *, long, long);

static long often(struct state *state, long number, long more) {
    state->sum += number ^ more;
    return state->sum;
}

static long rarely(struct state *state, long number, long more) {
    long found = 0;
    for (long at = 0; at < number % 7 + 3; at++)
        found += at * more;
    state->asked++;
    return found;
}

static handler table[2];

static long serve(struct state *state, long round) {
    long number = rand();
    return table[round % EACH == 0](state, number, round);
}

int main(void) {
    struct state state = {0, 0};
    long all = 0;
    table[0] = often;
    table[1] = rarely;
    for (long round = 0; round < ROUNDS; round++)
        all += serve(&state, round);
    printf("%ld %ld\n", all, state.asked);
    return 0;
}
