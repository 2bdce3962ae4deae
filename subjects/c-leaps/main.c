/* Inside functions jump to each other: out of depth, over outside functions that have
 * called them, again to the same place, by a buffer that was copied; and an outside
 * function jumps to an inside one. The functions whose names begin with in_ are the
 * target. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct handler {
    struct handler *previous;
    jmp_buf place;
    volatile int status;
};

static struct handler *handlers;
static long total, caught;

__attribute__((noinline)) static void in_throw(int status) {
    char text[32];
    snprintf(text, sizeof text, "thrown %d", status);
    total += (long)strlen(text);
    handlers->status = status;
    longjmp(handlers->place, status);
}

__attribute__((noinline)) static int in_protected(void (*work)(int), int number) {
    struct handler mine;
    long before[8];
    for (int i = 0; i < 8; i++)
        before[i] = number * i;
    mine.status = 0;
    mine.previous = handlers;
    handlers = &mine;
    if (setjmp(mine.place) == 0)
        work(number);
    else
        caught++;
    handlers = mine.previous;
    for (int i = 0; i < 8; i++)
        total += before[i] == number * i ? 1 : 1000000;
    return mine.status;
}

static void in_deep(int number) {
    long room[16];
    memset(room, number, sizeof room);
    if (number % 7 == 3)
        in_throw(number);
    if (number > 0)
        in_deep(number - 1);
    total += room[3] & 0xff;
}

/* Outside functions between inside ones, which are left without coming back. */
__attribute__((noinline)) static void out_between(int number) {
    volatile char room[200];
    room[number % 200] = (char)rand();
    in_deep(number);
}

static void in_by_outside(int number) {
    total += rand() % 5;
    out_between(number);
    total++;
}

static void in_nested(int number) {
    total += in_protected(in_by_outside, number);
    if (total % 3 == 0)
        in_throw(number + 1);
}

static void in_copied(int number) {
    jmp_buf other;
    memcpy(&other, &handlers->place, sizeof other);
    handlers->status = number;
    total++;
    longjmp(other, 0);
}

/* It jumps to an inside function itself. */
__attribute__((noinline)) static void out_throw(int number) {
    int status = rand() % 9 + 1;
    longjmp(handlers->place, status + (number & 0));
}

static void in_thrown_at(int number) {
    total += number;
    out_throw(number);
}

static int in_count(void) {
    jmp_buf place;
    volatile int rounds = 0;
    int value = setjmp(place);
    if (value < 5) {
        rounds += value + rand() % 2;
        longjmp(place, value + 1);
    }
    return rounds;
}

int in_work(int number) {
    int sum = in_protected(in_deep, number);
    sum += in_protected(in_by_outside, number);
    sum += in_protected(in_nested, number);
    sum += in_protected(in_copied, number);
    sum += in_protected(in_thrown_at, number);
    return sum + in_count();
}

int main(void) {
    for (int number = 0; number < 40; number++)
        printf("%d\n", in_work(number));
    printf("%ld %ld\n", total, caught);
    return 0;
}
