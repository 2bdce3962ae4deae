// Memory that was filled long ago is moved and made longer and shorter. In a recording
// of the last moments most of its pages are not needed, and some are.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 600 };

static unsigned char *fresh(size_t pages) {
    return mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static unsigned long some(const unsigned char *bytes, size_t pages, size_t step) {
    unsigned long sum = 0;
    for (size_t page = 0; page < pages; page += step)
        sum = sum * 31 + bytes[page * PAGE + page % PAGE];
    return sum;
}

int main(void) {
    // What is behind it keeps it from growing where it is.
    unsigned char *room = fresh(2 * PAGES), *memory = room;
    for (size_t at = 0; at < (size_t)2 * PAGES * PAGE; at++)
        room[at] = (unsigned char)(at / PAGE + at);
    struct timespec moment = {0, 10 * 1000 * 1000};
    for (int i = 0; i < 40; i++)
        nanosleep(&moment, NULL);
    unsigned long sum = some(memory, PAGES, 7);
    // Of several protections, and of one again.
    mprotect(memory + 100 * PAGE, 50 * PAGE, PROT_READ);
    sum = sum * 31 + some(memory + 100 * PAGE, 50, 11);
    mprotect(memory + 100 * PAGE, 50 * PAGE, PROT_READ | PROT_WRITE);
    memory = mremap(memory, (size_t)PAGES * PAGE, (size_t)PAGES * 2 * PAGE, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED || memory == room)
        return 2;
    nanosleep(&moment, NULL);
    sum = sum * 31 + some(memory, PAGES, 5);
    memory[3 * PAGE] = 9;
    // To a place of the program's choice, which takes away what was there.
    unsigned char *place = fresh(PAGES);
    place = mremap(memory, (size_t)2 * PAGES * PAGE, (size_t)PAGES * PAGE,
                   MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (place == MAP_FAILED)
        return 3;
    sum = sum * 31 + some(place, PAGES, 3);
    // Shorter, where it is; and what was behind it from the beginning.
    place = mremap(place, (size_t)PAGES * PAGE, (size_t)PAGES / 2 * PAGE, 0);
    sum = sum * 31 + some(place, PAGES / 2, 2) + some(room + (size_t)PAGES * PAGE, PAGES, 13);
    printf("%lx\n", sum);
    return 0;
}
