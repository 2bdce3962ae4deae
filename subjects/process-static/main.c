// cc: -static -no-pie -O2
// A static program at a fixed address; it dies by abort.
// dies: 6
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void) {
    time_t now = time(NULL);
    char *copy = malloc(100);
    snprintf(copy, 100, "%ld", (long)now);
    puts(copy);
    fflush(stdout);
    abort();
}
