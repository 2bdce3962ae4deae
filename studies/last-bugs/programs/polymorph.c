// polymorph 0.4.0 renames files to lower case. It copies each name into an array on
// the stack and never asks how long the name is.
// cc: -fno-stack-protector
// argument: 300
// dies: 11
// gdb: continue
// gdb: watch -l *(long *)$rsp
// gdb: reverse-continue
// sees: received signal SIGSEGV
// sees: lower[at] = tolower((unsigned char)name[at]);
// gdb: print at
// gdb: print sizeof lower
// sees: = 64
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int renamed;

static void rename_one(const char *name) {
    char lower[64];
    size_t at;
    for (at = 0; name[at]; at++)
        lower[at] = tolower((unsigned char)name[at]);
    lower[at] = 0;
    if (strcmp(name, lower))
        renamed++;
}

int main(int count, char **arguments) {
    size_t len = count > 1 ? (size_t)atoi(arguments[1]) : 10;
    char *name = calloc(len + 1, 1);
    memset(name, 'A', len);
    rename_one("README.TXT");
    rename_one(name);
    printf("%d renamed\n", renamed);
    return 0;
}
