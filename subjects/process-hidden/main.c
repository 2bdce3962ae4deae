// Memory with content that nobody may access for a while, as programs do with rooms that
// they keep for later: it is like that where the last moments begin.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEN = 8 * 4096, ROUNDS = 300 };

int main(void) {
    unsigned char *memory =
        mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 2;
    for (int at = 0; at < LEN; at++)
        memory[at] = (unsigned char)(at * 7);
    if (mprotect(memory, LEN, PROT_NONE))
        return 3;
    for (int round = 0; round < ROUNDS; round++)
        usleep(200);
    if (mprotect(memory, LEN, PROT_READ))
        return 4;
    unsigned long sum = 0;
    for (int at = 0; at < LEN; at++)
        sum = sum * 31 + memory[at];
    printf("%lx\n", sum);
    return 0;
}
