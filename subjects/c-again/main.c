/* Outside memory that changes now and then, and that chosen functions read again and again:
   in parts of all lengths, more places than are remembered, in a loop that waits, and on both
   sides of a fork. With an argument, the program crashes at last, after such reads. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static union {
    long word;
    int half;
    short quarter;
    unsigned char bytes[8];
} parts;
static double real;
static long many[6000];
static volatile long one;
static char *volatile names[2];

/* Only inside functions know it. */
static long in_sum;

static void in_add(long value) { in_sum = in_sum * 31 + value; }

__attribute__((noinline)) long in_parts(void) {
    in_add(parts.word);
    in_add(parts.half);
    in_add(parts.quarter);
    in_add(parts.bytes[0]);
    in_add(parts.bytes[7]);
    in_add((long)real);
    return in_sum;
}

__attribute__((noinline)) long in_many(int count) {
    for (int i = 0; i < count; i++)
        in_add(many[i]);
    return in_sum;
}

/* More reads that find the same than are counted at once. */
__attribute__((noinline)) long in_wait(void) {
    long seen = 0;
    while (seen < 70000)
        seen += one;
    return seen;
}

/* What it writes to outside memory it finds there, unless somebody else writes, too. */
__attribute__((noinline)) long in_write(long value) {
    long before = one;
    one = value;
    in_add(before * 3 + one);
    return one;
}

__attribute__((noinline)) int in_crash(void) {
    int seen = 0;
    for (int i = 0; i < 100; i++)
        seen += names[0] == names[1];
    return seen + names[1][0];
}

static void change(int what) {
    switch (what % 5) {
    case 0: parts.word = rand(); break;
    case 1: parts.bytes[7] ^= 1; break;
    case 2: parts.bytes[7] ^= 1; break;
    case 3: real += 0.5; break;
    default: many[rand() % 6000] = what;
    }
}

int main(int argc, char **argv) {
    (void)argv;
    srand((unsigned)time(NULL));
    one = 1;
    names[0] = "ada";
    for (int i = 0; i < 200; i++) {
        in_parts();
        in_parts();
        change(i);
    }
    for (int i = 0; i < 20; i++) {
        in_many(1500);
        change(4);
    }
    printf("%ld\n", in_wait());
    for (int i = 0; i < 100; i++) {
        in_write(i % 3);
        if (i % 10 == 0)
            one = rand();
    }
    fflush(stdout);
    one = 1;
    in_parts();
    int child = fork();
    if (child == 0)
        parts.word++;
    for (int i = 0; i < 20; i++) {
        in_parts();
        change(i);
    }
    printf("%ld\n", in_many(6000) & 0);
    fflush(stdout);
    if (child == 0)
        return 0;
    waitpid(child, NULL, 0);
    return argc > 1 ? in_crash() : 0;
}
