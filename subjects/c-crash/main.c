/* A crash in a chosen function, after random numbers of which one is bad. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *names[] = {"ada", "bob", NULL};

int first_letter(int which) {
    const char *name = names[which];
    return name[0];
}

int main(void) {
    srand((unsigned)time(NULL));
    for (int i = 0; i < 100; i++)
        printf("%c\n", first_letter(rand() % 2));
    fflush(stdout);
    printf("%c\n", first_letter(2));
    return 0;
}
