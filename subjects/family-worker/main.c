// A server in small: its worker fails, and the server makes another.
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    const char *text;
    int tries;
};

static struct job jobs[] = {{"first", 1}, {"second", 2}, {NULL, 3}};

static size_t work(struct job *job) {
    job->tries++;
    return strlen(job->text);
}

int main(void) {
    for (int at = 0; at < 3; at++) {
        pid_t worker = fork();
        if (worker == 0) {
            size_t len = work(&jobs[at]);
            dprintf(1, "a job of %zu letters\n", len);
            _exit(0);
        }
        int status;
        if (waitpid(worker, &status, 0) != worker)
            return 2;
        if (WIFSIGNALED(status))
            dprintf(1, "a worker was killed by signal %d\n", WTERMSIG(status));
    }
    return 0;
}
