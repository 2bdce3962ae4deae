/* What is harder to hand over than a number: structures by value in both directions and
 * through pointers, atomic operations on inside and outside memory, jumps to computed
 * places, numbers that are rounded by a library. The functions whose names begin with in_ are the target. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct large {
    long numbers[6];
    const char *name;
};

struct small {
    int one;
    double other;
};

static atomic_long mine, shared;
static _Atomic(const char *) last;

__attribute__((noinline)) static struct large out_make(long seed) {
    struct large made = {{seed, rand() % 100, rand() % 100, seed ^ 5, 0, 1}, "made"};
    return made;
}

__attribute__((noinline)) static long out_take(struct large given, int at) {
    given.numbers[at]++;
    return given.numbers[at] + given.name[0];
}

__attribute__((noinline)) static struct small out_small(struct small given) {
    given.one += rand() % 10;
    given.other /= 2;
    return given;
}

__attribute__((noinline)) static long out_shared(void) {
    return atomic_fetch_add(&shared, rand() % 3);
}

/* By value, from inside and from outside. */
__attribute__((noinline)) static long in_sum(struct large given, struct small more) {
    long sum = more.one + (long)(more.other * 10);
    for (int i = 0; i < 6; i++)
        sum += given.numbers[i]++;
    return sum + given.name[0];
}

__attribute__((noinline)) static struct large in_twice(struct large given) {
    for (int i = 0; i < 6; i++)
        given.numbers[i] *= 2;
    return given;
}

/* Atomic operations of each kind. */
__attribute__((noinline)) static long in_count(long by) {
    long found = atomic_fetch_add(&mine, by), expected = out_shared();
    found += atomic_exchange(&mine, found + 1) + atomic_fetch_or(&shared, 1);
    while (!atomic_compare_exchange_weak(&shared, &expected, expected + by))
        found++;
    atomic_store(&last, "counted");
    return found + atomic_load(&shared) + *atomic_load(&last);
}

/* A small machine. */
__attribute__((noinline)) static long in_execute(const char *code, long value) {
    static const void *const table[] = {&&add, &&twice, &&world, &&end};
    const void *next = table[*code++ - '0'];
    goto *next;
add:
    value++;
    goto *table[*code++ - '0'];
twice:
    value *= 2;
    goto *table[*code++ - '0'];
world:
    value += rand() % 10;
    goto *table[*code++ - '0'];
end:
    return value;
}

/* The compiler calls a library for these on its own account. */
__attribute__((noinline)) static long in_rounded(double number) {
    long all = 0;
    for (int i = 0; i < 9; i++, number = -number * 1.75) {
        double rounded[] = {floor(number), ceil(number), trunc(number), rint(number),
                            nearbyint(number), round(number), fmin(number, i), fmax(i, number),
                            floorf((float)number), ceilf((float)number), roundf((float)number)};
        for (int j = 0; j < 11; j++)
            all = all * 3 + (long)(rounded[j] * 4) + (signbit(rounded[j]) != 0);
    }
    return all;
}

static long in_work(int round) {
    struct large made = out_make(round), more = in_twice(made);
    struct small small = out_small((struct small){round, 3.5});
    long sum = in_sum(made, small) + in_sum(more, small) + made.numbers[0];
    sum += out_take(more, round % 6) + more.numbers[round % 6];
    sum += in_rounded(round * 0.25) + in_rounded(1e15 + round * 0.5) + in_rounded(-0.0);
    return sum + in_count(round) + in_execute("0120213", sum);
}

__attribute__((noinline)) static long out_call(struct large given) {
    struct small small = {rand() % 7, 0.5};
    return in_sum(given, small) + given.numbers[2];
}

int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    srand((unsigned)now.tv_nsec);
    for (int round = 0; round < 7; round++)
        printf("%ld %ld\n", in_work(round), out_call(out_make(round)));
    return 0;
}
