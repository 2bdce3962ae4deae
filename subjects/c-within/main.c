/* Pointers that get about in all the ways that C has: what they point to in a run has to be
 * among what was computed for them. With an argument one of them goes through a pipe, where no
 * analysis can follow it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONTAINER(pointer, type, part) ((type *)((char *)(pointer) - offsetof(type, part)))

typedef long (*action)(void *, long);

static long first, second, third, fourth;

struct link {
    struct link *next;
    struct link *before;
};

struct item {
    int kind;
    int more;
    action act;
    long *counts;
    struct link link;
    char name[20];
    long *last;
};

union either {
    long *pointer;
    uintptr_t number;
    struct {
        int low, high;
    } halves;
    char bytes[8];
};

struct packed {
    char tag;
    long *where;
    long *beside;
} __attribute__((packed));

struct grows {
    int count;
    long *all[];
};

static long add(void *to, long number) {
    return *(long *)to += number;
}

static long twice(void *to, long number) {
    return *(long *)to += 2 * number;
}

/* A table of structures, gone through by a pointer that is moved, forwards and backwards. */
static const struct {
    const char *name;
    action act;
    long *counts;
} table[] = {{"add", add, &first}, {"twice", twice, &second}, {"add", add, &third}};

static void by_table(void) {
    for (size_t at = 0; at < sizeof table / sizeof *table; at++)
        table[at].act(table[at].counts, 1);
    action const *act = &table[2].act;
    for (int round = 0; round < 3; round++) {
        (*act)(&fourth, 3);
        act = (action const *)((char const *)act - sizeof *table);
    }
}

/* Lists whose links are in the midst of what is listed. */
static struct link head = {&head, &head};

static void insert(struct item *item) {
    item->link.next = head.next;
    item->link.before = &head;
    head.next->before = &item->link;
    head.next = &item->link;
}

static void by_list(void) {
    for (struct link *at = head.next; at != &head; at = at->next) {
        struct item *item = CONTAINER(at, struct item, link);
        item->act(item->counts, item->kind);
        *item->last += 1;
    }
    struct link *at = head.before;
    while (at != &head) {
        *CONTAINER(at, struct item, link)->counts += 1;
        at = at->before;
    }
}

/* Numbers that were pointers: marked in their lowest bit, and two in one. */
static void by_number(void) {
    uintptr_t marked = (uintptr_t)&first | 1;
    *(long *)(marked & ~(uintptr_t)1) += 5;
    uintptr_t both = (uintptr_t)&second ^ (uintptr_t)&third;
    *(long *)(both ^ (uintptr_t)&third) += 6;
    struct item *item = malloc(sizeof *item);
    memset(item, 0, sizeof *item);
    uintptr_t base = (uintptr_t)item;
    *(long **)(base + offsetof(struct item, last)) = &fourth;
    *item->last += 7;
    union either either;
    either.pointer = &second;
    either.number += sizeof(long) * 0;
    union either copy;
    copy.halves.low = either.halves.low;
    copy.halves.high = either.halves.high;
    memcpy(&copy, &either, sizeof copy);
    *copy.pointer += 8;
    free(item);
}

/* Parts of structures, copied to where others are, and to places that no word begins at. */
static void by_copies(void) {
    struct item one = {.act = twice, .counts = &third, .last = &first};
    struct item other = {.act = add, .counts = &second, .last = &fourth};
    struct item whole = one;
    memcpy(&whole.act, &other.act, sizeof whole.act + sizeof whole.counts);
    whole.act(whole.counts, 9);
    *whole.last += 10;
    char buffer[100];
    memcpy(buffer + 3, &one.counts, sizeof one.counts);
    memcpy(buffer + 11, &other.last, sizeof other.last);
    long *again[2];
    memcpy(again, buffer + 3, sizeof again);
    *again[0] += 11;
    *again[1] += 12;
    struct packed packed = {'x', &first, &second};
    struct packed of_them[2] = {packed, {'y', &third, &fourth}};
    for (int at = 0; at < 2; at++)
        *of_them[at].where += *of_them[at].beside % 7;
    memmove(of_them, (char *)of_them + sizeof *of_them, sizeof *of_them);
    *of_them[0].beside += 13;
}

/* As many as there are, behind a structure; and more of them in other memory. */
static void by_growing(void) {
    struct grows *grows = malloc(sizeof *grows + 2 * sizeof(long *));
    grows->count = 2;
    grows->all[0] = &first;
    grows->all[1] = &second;
    grows = realloc(grows, sizeof *grows + 40 * sizeof(long *));
    while (grows->count < 40) {
        grows->all[grows->count] = grows->count % 2 ? &third : &fourth;
        grows->count++;
    }
    for (long **at = grows->all + grows->count; at-- > grows->all;)
        **at += 1;
    free(grows);
}

static void by_arguments(int count, ...) {
    va_list all, again;
    va_start(all, count);
    va_copy(again, all);
    for (int at = 0; at < count; at++)
        *va_arg(all, long *) += at;
    for (int at = 0; at < count; at++)
        *va_arg(again, long *) += 1;
    va_end(again);
    va_end(all);
}

struct pair {
    long *counts;
    action act;
};

static struct pair by_value(struct pair pair) {
    pair.act(pair.counts, 14);
    pair.counts = &fourth;
    return pair;
}

static int compare(const void *one, const void *other) {
    const struct pair *a = one, *b = other;
    return *a->counts < *b->counts ? -1 : *a->counts > *b->counts;
}

static void by_sorting(void) {
    struct pair pairs[] = {{&third, add}, {&first, twice}, {&fourth, add}, {&second, twice}};
    qsort(pairs, 4, sizeof *pairs, compare);
    for (int at = 0; at < 4; at++)
        pairs[at] = by_value(pairs[at]);
    *pairs[3].counts += 15;
    struct pair *found = bsearch(&pairs[1], pairs, 4, sizeof *pairs, compare);
    if (found)
        found->act(found->counts, 16);
}

__attribute__((noinline)) static void write_to(long *where) {
    *where += 17;
}

static void by_pipe(void) {
    int ends[2];
    long *pointer = &third, *back = &first;
    if (pipe(ends) == 0 && write(ends[1], &pointer, sizeof pointer) > 0 &&
        read(ends[0], &back, sizeof back) > 0)
        write_to(back);
    write_to(&second);
}

int main(int count, char **arguments) {
    struct item items[3];
    (void)arguments;
    for (int at = 0; at < 3; at++) {
        items[at] = (struct item){.kind = at, .act = at == 1 ? twice : add, .last = &fourth};
        items[at].counts = at == 2 ? &second : &third;
        insert(&items[at]);
    }
    by_table();
    by_list();
    by_number();
    by_copies();
    by_growing();
    by_arguments(3, &first, &second, &third);
    by_sorting();
    if (count > 1)
        by_pipe();
    printf("%ld %ld %ld %ld\n", first, second, third, fourth);
    return 0;
}
