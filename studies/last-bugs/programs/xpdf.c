// xpdf 2.0 and others of its time take the size of a picture from the file and ask for
// width times height bytes, in 32 bits. With large numbers that is few bytes, and the
// rows are written beyond them.
// argument: 65537
// dies: 11
// gdb: continue
// gdb: print at
// sees: received signal SIGSEGV
// gdb: break allocate
// gdb: reverse-continue
// sees: allocate
// gdb: print width
// gdb: print height
// gdb: finish
// sees: = 65537
// sees: = 65536
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *picture;

static unsigned char *allocate(unsigned width, unsigned height) {
    unsigned bytes = width * height;
    return malloc(bytes);
}

static void decode(unsigned width, unsigned height) {
    picture = allocate(width, height);
    size_t at = 0;
    for (unsigned row = 0; row < height; row++)
        for (unsigned column = 0; column < width; column++)
            picture[at++] = (unsigned char)(row ^ column);
}

int main(int count, char **arguments) {
    unsigned width = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 16;
    decode(width, 65536);
    puts("decoded");
    return 0;
}
