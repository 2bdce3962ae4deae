// Much memory of which little is used. What nothing uses is left out of a
// recording, and here it is moved, protected and dropped meanwhile. With an
// argument it goes on for ever.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define ALL (48 << 20)
#define PART (64 * PAGE)

// Nothing reads it.
const unsigned char unread[16 * PAGE] = {[0 ... 16 * PAGE - 1] = 7};

static unsigned long at(unsigned long page) {
    return page * 2654435761u + 1;
}

static char *filled(size_t len, unsigned long first) {
    char *memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < len / PAGE; i++)
        *(unsigned long *)(memory + i * PAGE) = at(first + i);
    return memory;
}

int main(int argc, char **argv) {
    (void)argv;
    char *all = filled(ALL, 0);
    char *part = filled(PART, 77);
    char *other = mmap(NULL, PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned long sum = 0;
    for (unsigned long round = 0; argc > 1 || round < 100; round++) {
        size_t page = round * 37 % 101;
        if (*(unsigned long *)(all + page * PAGE) != at(page))
            return 1;
        all[page * PAGE + 8]++;
        // There and back again.
        char *moved = mremap(part, PART, PART, MREMAP_MAYMOVE | MREMAP_FIXED, other);
        if (moved != other)
            return 2;
        other = part;
        part = moved;
        mprotect(part, PART, PROT_READ);
        page = round * 5 % 23;
        if (*(unsigned long *)(part + page * PAGE) != at(77 + page))
            return 3;
        mprotect(part + 3 * PAGE, PART / 2, PROT_READ | PROT_WRITE);
        part[4 * PAGE + 99] = (char)round;
        // What is dropped is zero.
        char *dropped = all + ALL - (round % 64 + 1) * PAGE;
        madvise(dropped, PAGE, MADV_DONTNEED);
        if (round % 3 == 0 && *(unsigned long *)dropped != 0)
            return 4;
        sum = sum * 31 + *(unsigned long *)(part + page * PAGE) + (unsigned char)part[4 * PAGE + 99];
        char text[32];
        int len = sprintf(text, "%lu\n", sum);
        if (write(1, text, len) != len)
            return 5;
    }
    return 0;
}
