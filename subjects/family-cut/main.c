// A file in memory is cut off, and what was behind its new end is used: SIGBUS, where a
// replay has memory.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int file = memfd_create("cut", 0);
    if (file < 0 || ftruncate(file, 8192))
        return 2;
    volatile char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return 3;
    memory[5000] = 'x';
    if (ftruncate(file, 100))
        return 4;
    putchar(memory[5000]);
    return 0;
}
