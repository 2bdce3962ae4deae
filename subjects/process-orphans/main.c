// Looks after orphans, as init systems do: it is told of its children, of theirs, and of
// nobody else, and hears when there are none left. Its children make some, and end before
// and after them. With an argument it does so for as long as its standard input is open.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(long ms) {
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, 0);
}

// A process that lives on for a while when the one that has made it has ended.
static void makes_one(int lives, int outlived_by) {
    if (fork() == 0) {
        for (int i = 0; i < lives; i++)
            nap(5);
        _exit(20 + lives);
    }
    for (int i = 0; i < outlived_by; i++)
        nap(5);
    _exit(10);
}

int main(int count_of_words, char **words) {
    struct pollfd input = {0, POLLIN, 0};
    (void)words;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return 1;
    for (int round = 0; count_of_words > 1 ? poll(&input, 1, 0) == 0 : round < 4; round++) {
        if (fork() == 0)
            makes_one(4, 0);
        if (fork() == 0)
            makes_one(2, 12);
        int ended[64] = {0}, status, count = 0;
        while (wait(&status) > 0) {
            if (!WIFEXITED(status) || WEXITSTATUS(status) >= 64)
                return 2;
            ended[WEXITSTATUS(status)]++;
            count++;
        }
        if (errno != ECHILD || count != 4 || ended[10] != 2 || ended[24] != 1 || ended[22] != 1)
            return 3;
        siginfo_t none;
        if (waitid(P_ALL, 0, &none, WEXITED | WNOHANG) == 0 || errno != ECHILD)
            return 4;
        printf("%d\n", count);
        fflush(stdout);
    }
    return 0;
}
