// stdin: ada\nbob\nmallory\n
// dies: 11
// Crashes by a NULL dereference after it has read input and asked for the time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct account {
    char name[32];
    long balance;
};

static struct account *find(struct account *all, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

int main(void) {
    struct account *all = calloc(3, sizeof *all);
    char line[64];
    struct timespec now;
    strcpy(all[0].name, "ada");
    strcpy(all[1].name, "bob");
    strcpy(all[2].name, "eve");
    clock_gettime(CLOCK_REALTIME, &now);
    srand((unsigned)now.tv_nsec ^ (unsigned)time(NULL) ^ (unsigned)getpid());
    for (int i = 0; i < 3; i++)
        all[i].balance = rand() % 1000;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("%s has %ld\n", line, find(all, 3, line)->balance);
        fflush(stdout);
    }
    return 0;
}
