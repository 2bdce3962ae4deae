/* Functions that the C library calls at the end of a program, registered by inside
 * functions and by outside ones: inside ones, an outside one that calls an inside one, and
 * one that registers another. The functions whose names begin with in_ are the target. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long ends[8];
static int count;

static void in_note(long what) {
    ends[count++ % 8] = what;
}

static void in_last(void) {
    long sum = 0;
    in_note(1);
    for (int i = 0; i < count; i++)
        sum = sum * 10 + ends[i];
    /* The order in which they were called, backwards from how they were registered. */
    printf("%ld\n", sum);
}

static void in_more(void) {
    in_note((long)time(NULL) > 0 ? 2 : 9);
}

static void in_registers(void) {
    in_note(3);
    if (atexit(in_more) != 0)
        in_note(8);
}

__attribute__((noinline)) static void out_calls(void) {
    in_note(4);
}

static void in_main(void) {
    atexit(in_last);
    atexit(in_registers);
}

int main(void) {
    in_main();
    atexit(out_calls);
    atexit(in_more);
    return 0;
}
