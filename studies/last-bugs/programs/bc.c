// bc 1.06 makes its table of arrays longer. It then clears the new part, but counts up
// to how many variables there are, not arrays: with more of those it clears what
// follows on the heap.
// argument: 40
// dies: 6
// gdb: continue
// gdb: up-silently 100
// gdb: print/x ((long *)names)[-1]
// gdb: watch -l ((long *)names)[-1]
// gdb: reverse-continue
// sees: received signal SIGABRT
// sees: = 0x0
// sees: arrays[at] = NULL;
// gdb: print variables
// gdb: print room
// sees: = 40
// sees: = 8
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void **arrays;
static char *names;
static int room, variables;

static void more_arrays(void) {
    int old = room;
    room += 8;
    arrays = realloc(arrays, (size_t)room * sizeof *arrays);
    names = names ? names : malloc(40);
    for (int at = old; at < variables; at++)
        arrays[at] = NULL;
}

int main(int count, char **arguments) {
    variables = count > 1 ? atoi(arguments[1]) : 4;
    more_arrays();
    strcpy(names, "a[], b[]");
    puts(names);
    fflush(stdout);
    free(names);
    free(arrays);
    return 0;
}
