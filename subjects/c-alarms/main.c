/* Handlers of signals that are inside, and change what inside functions compute with: while
 * these compute, while they wait for a signal in a loop, and while they call outside functions;
 * with what comes with a signal, and one that is handled once; and one that is outside and jumps
 * out of the inside, which would go on for ever. The functions whose names begin with in_ are
 * the target. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static long sum, history[64];
static int once, queued;
static sigjmp_buf away;

static void in_tick(int number) {
    history[ticks % 64] = sum;
    sum = sum * 3 + number;
    ticks++;
}

static void in_told(int number, siginfo_t *info, void *context) {
    (void)context;
    queued += info->si_value.sival_int;
    sum ^= number;
}

static void in_once(int number) { once += number; }

__attribute__((noinline)) long in_compute(long rounds) {
    for (long round = 0; round < rounds; round++)
        for (long inner = 0; inner < 8; inner++)
            sum = sum * 5 + round % 7 + inner;
    return sum;
}

__attribute__((noinline)) long in_recurse(long depth) {
    if (depth < 2)
        return sum & 1;
    return in_recurse(depth - 1) + in_recurse(depth - 2);
}

__attribute__((noinline)) long in_wait(int until) {
    while (ticks < until) {
    }
    return sum;
}

__attribute__((noinline)) void in_for_ever(void) {
    for (;;)
        sum += 3;
}

static void out_jump(int number) { siglongjmp(away, number); }

__attribute__((noinline)) int in_tell(int times) {
    for (int time = 0; time < times; time++) {
        union sigval value = {.sival_int = time};
        sigqueue(getpid(), SIGRTMIN, value);
    }
    raise(SIGUSR2);
    return queued;
}

int main(void) {
    struct itimerval often = {{0, 700}, {0, 700}}, never;
    struct sigaction action, before;
    memset(&never, 0, sizeof never);
    signal(SIGALRM, in_tick);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = in_told;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGRTMIN, &action, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = in_once;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGUSR2, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    long all = in_compute(4000000) + in_recurse(30) + in_wait(60);
    setitimer(ITIMER_REAL, &never, NULL);
    int told = in_tell(10);
    signal(SIGVTALRM, out_jump);
    often.it_interval.tv_usec = 0;
    often.it_value.tv_usec = 20000;
    for (int time = 0; time < 3; time++)
        if (sigsetjmp(away, 1) == 0) {
            setitimer(ITIMER_VIRTUAL, &often, NULL);
            in_for_ever();
        }
    setitimer(ITIMER_VIRTUAL, &never, NULL);
    /* What the program sees of how its signals are handled is what it has said. */
    sigaction(SIGRTMIN, NULL, &before);
    int is_same = before.sa_sigaction == in_told && before.sa_flags & SA_NODEFER;
    int is_gone = signal(SIGUSR2, SIG_IGN) == SIG_DFL;
    int is_mine = signal(SIGALRM, SIG_DFL) == in_tick;
    printf("%d %d %d %d %d %d\n", all != 0, told, once == SIGUSR2, is_same, is_gone, is_mine);
    return 0;
}
