/* A small server: it reads orders and their pictures, which are long, asks the module
 * for a price, and answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long price(int customer, int pieces);

static char picture[4096];
static unsigned long checked;

/* The long part of an order, which the module never sees. */
static void take_picture(FILE *orders) {
    if (fread(picture, 1, sizeof picture, orders) != sizeof picture)
        exit(1);
    for (size_t i = 0; i < sizeof picture; i++)
        checked = checked * 31 + (unsigned char)picture[i];
}

int main(int count, char **arguments) {
    FILE *orders = count > 1 ? fopen(arguments[1], "r") : stdin;
    char line[64];
    int customer, pieces;
    while (orders && fgets(line, sizeof line, orders)) {
        if (sscanf(line, "%d %d", &customer, &pieces) != 2)
            return 1;
        take_picture(orders);
        long asked = price(customer, pieces);
        if (asked < 0)
            printf("customer %d gets %ld for %d pieces\n", customer, -asked, pieces);
    }
    printf("pictures: %lx\n", checked);
    return 0;
}
