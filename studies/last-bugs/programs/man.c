// man 1.5h1 splits the list of sections that it is given into an array for a fixed
// number of them, and asks for its end only by the list's.
// argument: 30
// dies: 11
// gdb: continue
// gdb: watch list.pager
// gdb: reverse-continue
// sees: received signal SIGSEGV
// sees: Hardware watchpoint
// sees: list.sections[found++] = word;
// gdb: print found
// gdb: print sizeof list.sections / sizeof *list.sections
// sees: = 16
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *sections[16];
    const char *(*pager)(void);
} list;

static const char *less(void) { return "less"; }

static int split(char *text) {
    int found = 0;
    for (char *word = strtok(text, ":"); word; word = strtok(NULL, ":"))
        list.sections[found++] = word;
    return found;
}

int main(int count, char **arguments) {
    int len = count > 1 ? atoi(arguments[1]) : 3;
    char *text = calloc((size_t)len * 2 + 1, 1);
    for (int i = 0; i < len; i++)
        memcpy(text + 2 * i, "1:", 2);
    list.pager = less;
    int found = split(text);
    printf("%d sections\n", found);
    fflush(stdout);
    puts(list.pager());
    return 0;
}
