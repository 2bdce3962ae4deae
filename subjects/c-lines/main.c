/* Lines of a file and parts of lines, by functions of the C library that change memory of the
   program: getline, getdelim, strsep, strtok, strtok_r, bsearch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* So that they can be targets. */
#define APART __attribute__((noinline))

static APART int in_compare(const void *one, const void *other) {
    return strcmp(one, *(char *const *)other);
}

static APART long in_letters(const char *text) {
    long sum = 0;
    for (; *text; text++)
        sum = sum * 31 + *text;
    return sum;
}

static APART long in_parts(char *line) {
    long sum = 0;
    char *part, *rest = line;
    while ((part = strsep(&rest, ":")))
        sum += in_letters(part) * 3;
    return sum;
}

static APART long in_words(char *line, int reentrant) {
    long sum = 0;
    char *rest;
    char *word = reentrant ? strtok_r(line, " \n", &rest) : strtok(line, " \n");
    while (word) {
        sum += in_letters(word);
        word = reentrant ? strtok_r(NULL, " \n", &rest) : strtok(NULL, " \n");
    }
    return sum;
}

static APART long in_read(FILE *from) {
    char *line = NULL;
    size_t size = 0;
    long sum = 0;
    for (int number = 0; getline(&line, &size, from) > 0; number++)
        sum += number % 3 ? in_words(line, number % 2) : in_parts(line);
    rewind(from);
    while (getdelim(&line, &size, ';', from) > 0)
        sum ^= in_letters(line);
    free(line);
    return sum;
}

int main(void) {
    static const char *const names[] = {"ash", "birch", "elm", "oak", "yew"};
    FILE *file = tmpfile();
    if (!file)
        return 1;
    for (int line = 0; line < 200; line++) {
        fprintf(file, "%d:some words", line);
        for (int more = 0; more < line; more++)
            fprintf(file, " more:%d;", more);
        fputc('\n', file);
    }
    rewind(file);
    printf("%ld\n", in_read(file));
    fclose(file);
    char *const *elm = bsearch("elm", names, 5, sizeof *names, in_compare);
    char *const *none = bsearch("fir", names, 5, sizeof *names, in_compare);
    printf("%s %s\n", elm ? *elm : "none", none ? *none : "none");
    return 0;
}
