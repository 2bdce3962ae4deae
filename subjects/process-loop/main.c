// A loop that changes memory and never a register: signals find it where it was
// before, with the same registers, and yet at another moment of the run.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int rings;
static volatile unsigned long turns;

static void ring(int number) {
    (void)number;
    rings++;
}

int main(void) {
    signal(SIGALRM, ring);
    struct itimerval every = {{0, 3000}, {0, 3000}};
    setitimer(ITIMER_REAL, &every, NULL);
    __asm__ volatile("1: incq %0\n cmpl $25, %1\n jl 1b\n" : "+m"(turns) : "m"(rings) : "cc", "memory");
    every = (struct itimerval){0};
    setitimer(ITIMER_REAL, &every, NULL);
    printf("%lu turns\n", turns);
    return turns == 0;
}
