// cvs 1.11.4 frees the name of a directory where a request for it is refused, and
// leaves the pointer to it. The next request frees it again.
// dies: 6
// gdb: continue
// gdb: break free if $rdi == (long)directory
// gdb: reverse-continue
// gdb: up
// sees: received signal SIGABRT
// sees: free(directory);
// gdb: down
// gdb: reverse-continue
// gdb: up
// sees: refuse
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *directory;

static void refuse(const char *name) {
    printf("no %s\n", name);
    fflush(stdout);
    free(directory);
}

static void change_to(const char *name) {
    free(directory);
    if (strstr(name, "//")) {
        directory = NULL;
        return;
    }
    directory = strdup(name);
    if (name[0] == '/')
        refuse(name);
}

int main(void) {
    static const char *const requests[] = {"src", "doc", "/etc", "lib"};
    for (int i = 0; i < 4; i++)
        change_to(requests[i]);
    puts(directory);
    return 0;
}
