/* A handler of signals that writes to what the inside reads, at moments that nobody knows;
 * with an argument it calls an inside function, too, while it has interrupted the inside.
 * The functions whose names begin with in_ are the target. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;
static int calls;
static long sum, added;

__attribute__((noinline)) void in_add(long what) { added += what; }

static void out_handle(int signal) {
    ticks++;
    if (calls)
        in_add(signal);
}

__attribute__((noinline)) long in_work(long rounds) {
    long seen = 0;
    for (long round = 0; round < rounds; round++) {
        seen += ticks;
        sum = sum * 5 + seen % 7 + round;
        if (ticks > 20)
            break;
    }
    return sum + added;
}

int main(int count, char **arguments) {
    struct itimerval often = {{0, 2000}, {0, 2000}};
    (void)arguments;
    calls = count > 1;
    signal(SIGALRM, out_handle);
    setitimer(ITIMER_REAL, &often, NULL);
    long result = in_work(1L << 22);
    signal(SIGALRM, SIG_IGN);
    printf("%d\n", result != 0);
    return 0;
}
