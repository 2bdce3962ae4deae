// Computes for a long time without a system call, in registers, vectors, instructions
// that repeat themselves and memory, so that segments begin in the middle of it. With an
// argument it goes on until it is ended, with a second one beside a thread that sleeps,
// with a third one also beside one that computes. A signal that is blocked all the while
// comes at the end.
// cc: -pthread
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char from[1 << 16], to[1 << 16];
static unsigned long table[1 << 15];
static volatile sig_atomic_t came;

static void comes(int number) { came += number; }

static void *sleeps(void *unused) {
    for (;;)
        pause();
    return unused;
}

static void *computes(void *unused) {
    static volatile unsigned long rounds;
    for (;;)
        rounds++;
    return unused;
}

static unsigned long compute(unsigned long round) {
    unsigned long x = round;
    double y = 1;
    for (unsigned long i = 0; i < 2000000; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        y = y * 1.0000001 + 1e-9;
        table[x >> 49] += i ^ (unsigned long)y;
    }
    memset(from, (int)(x >> 56), sizeof from);
    for (int i = 0; i < 50; i++) {
        void *source = from, *target = to;
        unsigned long count = sizeof to;
        __asm__ volatile("rep movsb"
                         : "+D"(target), "+S"(source), "+c"(count)
                         :
                         : "memory");
    }
    return x ^ to[round % sizeof to];
}

int main(int argc, char **argv) {
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    struct sigaction action = {.sa_handler = comes};
    sigaction(SIGUSR1, &action, 0);
    sigprocmask(SIG_BLOCK, &usr1, 0);
    kill(getpid(), SIGUSR1);
    pthread_t thread;
    if (argc > 2 && pthread_create(&thread, 0, sleeps, 0) != 0)
        return 2;
    if (argc > 3 && pthread_create(&thread, 0, computes, 0) != 0)
        return 2;
    unsigned long sum = 0;
    for (unsigned long round = 0; round < 40 || argc > 1; round++)
        sum += compute(round);
    if (came != 0)
        return 3;
    sigprocmask(SIG_UNBLOCK, &usr1, 0);
    if (came != SIGUSR1)
        return 4;
    for (int i = 0; i < 1 << 15; i++)
        sum = sum * 31 + table[i];
    printf("%lx\n", sum);
    return 0;
}
