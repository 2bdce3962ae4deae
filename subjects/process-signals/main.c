// Signals: a timer that interrupts a computation and a sleep, an alternate
// stack, a handled fault, a blocked signal, calls that are made again.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks, users;
static sigjmp_buf out;

static void tick(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    double x = ticks;
    for (int i = 0; i < 100; i++)
        x = x * 1.5 + 1;
    ticks++;
    if (x < 0)
        abort();
}

static void user(int number) {
    (void)number;
    users++;
}

static void fault(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    siglongjmp(out, info->si_addr == (void *)16 ? 1 : 2);
}

int main(void) {
    stack_t alternate = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval every = {{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &every, NULL);

    // The computation makes system calls, so that the ticks find their places.
    double sum = 0;
    while (ticks < 5) {
        for (int i = 1; i < 20000; i++)
            sum += 1.0 / i;
        getppid();
    }
    // Calls that are interrupted: one fails, one is made again.
    struct timespec second = {1, 0}, left = {0, 0};
    if (nanosleep(&second, &left) != -1 || errno != EINTR || left.tv_nsec == 0)
        return 2;
    int ends[2];
    char byte = 0;
    if (pipe(ends))
        return 3;
    if (fork() == 0) {
        usleep(30000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    if (read(ends[0], &byte, 1) != 1 || byte != 'x')
        return 4;
    every = (struct itimerval){0};
    setitimer(ITIMER_REAL, &every, NULL);

    signal(SIGUSR1, user);
    raise(SIGUSR1);
    if (users != 1)
        return 5;
    sigset_t mask, old;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, &old);
    kill(getpid(), SIGUSR1);
    if (users != 1)
        return 6;
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (users != 2)
        return 7;

    action.sa_sigaction = fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    int how = sigsetjmp(out, 1);
    if (how == 0)
        *(volatile int *)16 = 1;
    if (how != 1)
        return 8;
    printf("%d ticks, %d users, %.6f, %ld left\n", ticks, users, sum, left.tv_nsec / 1000000000);
    return 0;
}
