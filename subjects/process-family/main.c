// Two workers hand a number back and forth, each with memory of its own, and see
// no process but those that the program has made. Only the first process writes:
// it is the one that is replayed.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 2000, ROOM = 4096 };

static int sums[ROOM];

static int work(int from, int to, int step) {
    int number;
    for (int round = 0; round < ROUNDS; round++) {
        if (read(from, &number, sizeof number) != sizeof number)
            return 1;
        sums[round % ROOM] += number;
        number += step;
        if (write(to, &number, sizeof number) != sizeof number)
            return 2;
    }
    int status;
    if (waitpid(-1, &status, 0) != -1 || errno != ECHILD)
        return 3;
    long sum = 0;
    for (int at = 0; at < ROOM; at++)
        sum += sums[at];
    return 100 + sum % 100;
}

int main(void) {
    int there[2], back[2], number = 1, seen = 0, status;
    if (pipe(there) || pipe(back))
        return 2;
    if (fork() == 0)
        _exit(work(there[0], back[1], 3));
    if (fork() == 0)
        _exit(work(back[0], there[1], 4));
    if (write(there[1], &number, sizeof number) != sizeof number)
        return 3;
    for (int worker = 0; worker < 2; worker++) {
        if (waitpid(-1, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) < 100)
            return 4;
        seen += WEXITSTATUS(status);
    }
    if (waitpid(-1, &status, 0) != -1 || errno != ECHILD)
        return 5;
    printf("the workers have seen %d\n", seen);
    return 0;
}
