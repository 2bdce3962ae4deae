/* Inside functions jump to outside ones: from the first call, from a call within a call, over
 * outside functions, again and again to the same place; and outside functions jump to each
 * other over inside ones, with an inside function further out that goes on. Then a thread does
 * the same. The functions whose names begin with in_ are the target. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf first, second;
static long total;

__attribute__((noinline)) static int in_fails(int number, jmp_buf where) {
    long room[40];
    memset(room, number, sizeof room);
    total += rand() % 10 + (room[number % 40] & 0xff);
    if (number % 3 == 0)
        longjmp(where, number + 1);
    if (number % 5 == 0)
        return in_fails(number + 1, where);
    return (int)total;
}

/* It is called by the inside, and called back. */
__attribute__((noinline)) static int out_between(int number, jmp_buf where) {
    volatile char room[300];
    room[number % 300] = (char)rand();
    return in_fails(number, where) + room[number % 300] * 0;
}

/* Marks a place itself, to which the inside comes from further in. */
__attribute__((noinline)) static int out_protects(int number) {
    int status = setjmp(second);
    if (status == 0)
        return out_between(number, second);
    return -status;
}

/* Jumps over the inside functions that have called it. */
__attribute__((noinline)) static void out_leaves(int number, jmp_buf where) {
    if (rand() % 2)
        longjmp(where, number + 1);
}

__attribute__((noinline)) static int in_is_left(int number) {
    long room[20];
    memset(room, number, sizeof room);
    total += number;
    out_leaves(number, second);
    total += room[3] & 0xf;
    return number;
}

__attribute__((noinline)) static int out_catches(int number) {
    if (setjmp(second) == 0)
        return in_is_left(number);
    return 1000;
}

/* What is inside goes on behind all of that. */
__attribute__((noinline)) static int in_goes_on(int number) {
    long room[20];
    for (int i = 0; i < 20; i++)
        room[i] = number * i;
    long sum = out_protects(number);
    sum += out_catches(number);
    sum += out_protects(number + 1);
    for (int i = 0; i < 20; i++)
        sum += room[i] == number * i ? 1 : 1000000;
    total += sum;
    return (int)sum;
}

__attribute__((noinline)) static int out_work(int number) {
    int status = setjmp(first);
    if (status == 0) {
        int sum = in_goes_on(number);
        return sum + in_fails(number, first);
    }
    return status;
}

static void *thread(void *given) {
    (void)given;
    long sum = 0;
    for (int number = 0; number < 200; number++)
        sum += out_work(number);
    return (void *)sum;
}

int main(void) {
    for (int number = 0; number < 60; number++)
        printf("%d\n", out_work(number));
    pthread_t other;
    void *result;
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, &result);
    printf("%ld %ld\n", (long)result, total);
    return 0;
}
