/* Children that are forked and go on inside, with what their parent did before; one of them
 * forks again. The functions whose names begin with in_ are the target. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long numbers[50], count;

__attribute__((noinline)) void in_add(long by) {
    for (int i = 0; i < 5; i++)
        numbers[count++ % 50] = by * i + rand() % 100;
}

__attribute__((noinline)) long in_sum(void) {
    long sum = 0;
    for (int i = 0; i < 50; i++)
        sum = sum * 7 + numbers[i];
    return sum;
}

static void child(int number, int depth) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0)
        exit(3);
    if (pid > 0) {
        int status;
        if (waitpid(pid, &status, 0) != pid || status != 0)
            exit(4);
        return;
    }
    in_add(number);
    if (depth > 0)
        child(number + 1, depth - 1);
    in_add(depth);
    printf("child %d: %d\n", number, in_sum() != 0);
    exit(0);
}

int main(void) {
    in_add(3);
    child(10, 1);
    in_add(4);
    child(20, 0);
    in_add(5);
    printf("%d\n", in_sum() != 0);
    return 0;
}
