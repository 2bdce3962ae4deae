// stdin: one two three four five six\n
// dies: 11
// Writes past the end of an array in a loop, over a pointer that it follows
// much later: the cause is some way back from the crash. Without input it has
// words of its own.
#include <stdio.h>
#include <string.h>

struct table {
    long lengths[4];
    const char *title;
};

static struct table table = {.title = "lengths"};

static void fill(const char *word, int index) {
    table.lengths[index] = (long)strlen(word);
}

static long total(int count) {
    long sum = 0;
    for (int i = 0; i < 4 && i < count; i++)
        sum += table.lengths[i];
    return sum;
}

int main(void) {
    char line[128];
    int count = 0;
    if (!fgets(line, sizeof line, stdin))
        strcpy(line, "one two three four five");
    for (char *word = strtok(line, " \n"); word && count < 5; word = strtok(NULL, " \n"))
        fill(word, count++);
    printf("%d words\n", count);
    fflush(stdout);
    printf("%ld letters\n", total(count));
    fflush(stdout);
    return table.title[0] == 'l' ? 0 : 3;
}
