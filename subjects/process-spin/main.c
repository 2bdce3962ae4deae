// A loop without any system call that only a signal ends: the recorder must
// deliver it where there is no event.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t rings;

static void ring(int number) {
    (void)number;
    rings++;
}

int main(void) {
    signal(SIGVTALRM, ring);
    struct itimerval every = {{0, 50000}, {0, 10000}};
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    unsigned long turns = 0;
    while (rings < 3)
        turns++;
    every = (struct itimerval){0};
    setitimer(ITIMER_VIRTUAL, &every, NULL);
    printf("%lu turns\n", turns);
    return turns == 0;
}
