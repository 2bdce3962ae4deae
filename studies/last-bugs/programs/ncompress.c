// ncompress 4.2.4 copies a name from its command line into an array of fixed length
// before it appends ".Z" to it.
// cc: -fno-stack-protector -U_FORTIFY_SOURCE
// argument: 400
// dies: 11
// gdb: continue
// gdb: watch -l *(long *)$rsp
// gdb: reverse-continue
// gdb: up
// sees: received signal SIGSEGV
// sees: strcpy(packed, name);
// gdb: print sizeof packed
// sees: = 96
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t longest;

static void compress_one(const char *name) {
    char packed[96];
    strcpy(packed, name);
    strcat(packed, ".Z");
    if (strlen(packed) > longest)
        longest = strlen(packed);
}

int main(int count, char **arguments) {
    size_t len = count > 1 ? (size_t)atoi(arguments[1]) : 10;
    char *name = calloc(len + 1, 1);
    memset(name, 'n', len);
    compress_one("notes");
    compress_one(name);
    printf("%zu at most\n", longest);
    return 0;
}
