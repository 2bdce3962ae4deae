// A file that a process has mapped both shared and for itself: what it writes to the one is
// seen in the other as long as that has not been written to. A replay has it apart, so a
// recording says so.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int file = memfd_create("own", 0);
    if (file < 0 || ftruncate(file, 4096))
        return 2;
    volatile char *written = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    volatile char *read = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (written == MAP_FAILED || read == MAP_FAILED)
        return 3;
    written[7] = 'x';
    printf("%c\n", read[7]);
    return 0;
}
