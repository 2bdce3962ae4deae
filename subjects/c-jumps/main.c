/* Outside functions jump to each other, over inside functions and out of them. The
 * functions whose names begin with in_ are the target. With an argument, a signal
 * handler jumps out of inside code, and a replay cannot know where. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static sigjmp_buf out_of_handler;
static long total;
static volatile int inside_forever;

int out_check(int number) {
    if (number % 3 == 0)
        longjmp(back, number);
    return rand() % 10;
}

int in_add(int number) {
    int parts[4] = {number, 0, 0, 0};
    for (int i = 1; i < 4; i++)
        parts[i] = parts[i - 1] + out_check(number);
    total += parts[3];
    return (int)total;
}

long in_total(void) { return total; }

void in_wait(void) {
    total++;
    while (inside_forever)
        raise(SIGUSR1);
}

void out_handle(int signal) { siglongjmp(out_of_handler, signal); }

int out_try(int number) {
    if (setjmp(back))
        return -1;
    return in_add(number);
}

void out_interrupted(void) {
    signal(SIGUSR1, out_handle);
    inside_forever = 1;
    if (sigsetjmp(out_of_handler, 1) == 0)
        in_wait();
}

int main(int count, char **arguments) {
    (void)arguments;
    for (int number = 1; number <= 20; number++)
        printf("%d\n", out_try(number));
    if (count > 1)
        out_interrupted();
    printf("%ld\n", in_total());
    return 0;
}
