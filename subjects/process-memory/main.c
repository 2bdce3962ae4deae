// The address space: the heap grows and shrinks, mappings are made, moved,
// protected, dropped and replaced, files are mapped, the stack grows deep.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long sum(const unsigned char *bytes, size_t len) {
    unsigned long sum = 0;
    for (size_t i = 0; i < len; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

static int deep(int depth) {
    volatile char frame[4096];
    memset((char *)frame, depth, sizeof frame);
    return depth == 0 ? frame[17] : deep(depth - 1) + frame[99];
}

int main(void) {
    unsigned long all = 0;
    char *grown = NULL;
    for (size_t size = 1; size < 40 << 20; size = size * 3 + 7) {
        grown = realloc(grown, size);
        memset(grown + size / 2, (int)size, size - size / 2);
        all += sum((unsigned char *)grown + size / 2, size > 999 ? 999 : size / 2);
    }
    free(grown);
    char *before = sbrk(0);
    sbrk(1 << 20);
    memset(before, 7, 1 << 20);
    all += sum((unsigned char *)before, 1 << 20);
    sbrk(-(1 << 20));

    size_t len = 64 << 12;
    unsigned char *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(map, 0x5a, len);
    map = mremap(map, len, 4 * len, MREMAP_MAYMOVE);
    memset(map + len, 0xa5, len);
    if (madvise(map, len / 2, MADV_DONTNEED) || map[100] != 0 || map[len - 1] != 0x5a)
        return 2;
    madvise(map + len, len, MADV_FREE);
    if (mprotect(map, 4096, PROT_NONE) || munmap(map + 4096, 4096))
        return 3;
    all += sum(map + 2 * 4096, len);

    char name[] = "/tmp/reprise-subject-XXXXXX";
    int file = mkstemp(name);
    for (int i = 0; i < 5000; i++)
        if (write(file, &i, sizeof i) != sizeof i)
            return 4;
    unsigned char *mapped = mmap(NULL, 8 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    mapped[5] = 99;
    all += sum(mapped, 5000 * sizeof(int));
    unsigned char *fixed = mmap(map + 8 * 4096, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, file, 4096);
    all += sum(fixed, 4096);
    // Dropped pages of a file come back as they are in the file.
    madvise(mapped, 4096, MADV_DONTNEED);
    if (mapped[5] == 99)
        return 5;
    close(file);
    unlink(name);
    all += deep(500);
    printf("%lx\n", all);
    return 0;
}
