// Makes processes in every way, waits for them and reads what they say; then
// becomes another program.
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int count, char **arguments) {
    if (count > 1) {
        printf("%s, the second program\n", arguments[1]);
        return 0;
    }
    int ends[2], status;
    char got[64] = "";
    if (pipe(ends))
        return 2;
    pid_t child = fork();
    if (child == 0)
        _exit(write(ends[1], "from a child", 12) == 12 ? 7 : 8);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
        return 3;
    if (read(ends[0], got, sizeof got) != 12)
        return 4;
    // A child that runs in this memory.
    volatile int shared = 0;
    child = vfork();
    if (child == 0) {
        shared = 5;
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || shared != 5)
        return 5;
    char *const command[] = {"true", NULL};
    if (posix_spawnp(&child, "true", NULL, NULL, command, environ) || waitpid(child, &status, 0) != child)
        return 6;
    if (posix_spawnp(&child, "/nowhere/at-all", NULL, NULL, command, environ) != ENOENT)
        return 7;
    FILE *said = popen("echo out of a shell", "r");
    if (!said || !fgets(got, sizeof got, said) || pclose(said))
        return 8;
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = 0;
    execl(self, "fork", "now", (char *)NULL);
    return 9;
}
