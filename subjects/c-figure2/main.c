/* The program of the paper's Figure 2: a counter that grows by chance. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void g(int *p) {
    int a = rand();
    *p += a;
}

void f(void) {
    int cnt = 0;
    g(&cnt);
    printf("%d\n", cnt);
    g(&cnt);
    printf("%d\n", cnt);
}

int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    srand((unsigned)now.tv_nsec);
    f();
    return 0;
}
