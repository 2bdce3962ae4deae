/* What C programs do at and around a boundary: callbacks through the C library,
 * pointers to functions, memory that grows, copies of structures, variable
 * arguments, arrays of computed length, texts, errno, a thread-local variable. The
 * functions whose names begin with in_ are the target. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct item {
    char name[16];
    long weight;
    struct item *next;
};

static struct item *list;
static long compared;
static _Thread_local int last;
static int (*order)(const void *, const void *);

/* Called by qsort, which is outside. */
static int in_compare(const void *a, const void *b) {
    compared++;
    long one = ((const struct item *)a)->weight, other = ((const struct item *)b)->weight;
    return one < other ? -1 : one > other;
}

static long in_sum(int count, ...) {
    va_list arguments;
    long sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += va_arg(arguments, long);
    va_end(arguments);
    return sum;
}

static void in_add(const char *name, long weight) {
    struct item *new = malloc(sizeof *new);
    memset(new, 0, sizeof *new);
    strncpy(new->name, name, sizeof new->name - 1);
    new->weight = weight;
    new->next = list;
    list = new;
    last = (int)weight;
}

static long in_recurse(int depth, long seed) {
    long room[depth + 1];
    for (int i = 0; i <= depth; i++)
        room[i] = seed * (i + 1);
    return depth == 0 ? room[0] : room[depth] % 1000 + in_recurse(depth - 1, seed + 1);
}

/* Outside: what it writes to is not inside. */
__attribute__((noinline)) static void out_fill(long *numbers, int count) {
    for (int i = 0; i < count; i++)
        numbers[i] = rand() % 1000;
}

__attribute__((noinline)) static long out_apply(long (*function)(int, long), int depth, long seed) {
    return function(depth, seed) + 1;
}

long in_work(const char *word) {
    long numbers[8], sum = 0;
    out_fill(numbers, 8);
    for (int i = 0; i < 8; i++)
        in_add(word, numbers[i]);
    size_t count = 0;
    struct item *all = NULL;
    for (struct item *at = list; at; at = at->next) {
        all = realloc(all, (count + 1) * sizeof *all);
        all[count++] = *at;
    }
    qsort(all, count, sizeof *all, order);
    for (size_t i = 1; i < count; i++)
        if (all[i - 1].weight > all[i].weight)
            abort();
    char text[64];
    snprintf(text, sizeof text, "%s-%d", word, (int)getpid());
    errno = 0;
    if (close(-1) != -1 || errno != EBADF)
        abort();
    sum = in_sum(3, all[0].weight, all[count - 1].weight, (long)strlen(text));
    sum += out_apply(in_recurse, 5, numbers[0]) + compared % 7 + last;
    char *copy = strdup(word);
    if (strcmp(copy, word) != 0 || strchr(copy, word[0]) != copy)
        abort();
    free(copy);
    free(all);
    while (list) {
        struct item *next = list->next;
        free(list);
        list = next;
    }
    return sum;
}

int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    srand((unsigned)now.tv_nsec);
    order = in_compare;
    for (int i = 0; i < 5; i++)
        printf("%ld\n", in_work(i % 2 ? "odd" : "even"));
    return 0;
}
