// gzip 1.2.4 copies the name of its input into a global array. A long one runs over
// into what the linker has put behind it; that is used only when the file is closed.
// cc: -U_FORTIFY_SOURCE -O0
// argument: 90
// dies: 11
// gdb: continue
// gdb: watch state.close_input
// gdb: reverse-continue
// gdb: up
// sees: received signal SIGSEGV
// sees: Hardware watchpoint
// sees: strcpy(state.name, name);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    char name[64];
    int (*close_input)(const char *name);
} state;

static int close_it(const char *name) { return printf("%.8s is closed\n", name); }

static void treat_file(const char *name) {
    state.close_input = close_it;
    strcpy(state.name, name);
}

static unsigned long crc(const char *data, size_t len) {
    unsigned long sum = 0;
    for (size_t i = 0; i < len; i++)
        sum = sum * 31 + (unsigned char)data[i];
    return sum;
}

int main(int count, char **arguments) {
    size_t len = count > 1 ? (size_t)atoi(arguments[1]) : 10;
    char *name = calloc(len + 1, 1);
    memset(name, 'g', len);
    treat_file(name);
    static char data[100000];
    printf("crc %lx\n", crc(data, sizeof data));
    fflush(stdout);
    state.close_input(state.name);
    return 0;
}
