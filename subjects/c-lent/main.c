/* Memory of libraries beside the program's own: functions of the C library in a table, texts
 * that it returns, handles and arguments of the program, kept in one structure with memory
 * that nobody outside has, and handed on as variable arguments. All of the program's memory
 * can be inside. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct methods {
    void *(*allocate)(size_t);
    void *(*grow)(void *, size_t);
    void (*release)(void *);
};

struct context {
    struct methods memory;
    struct context *next;
    FILE *output;
    const char *name;
    const struct tm *day;
    char **arguments;
    char *buffer;
    size_t used;
};

static struct context *contexts;

static struct context *context(const struct methods *methods, char **arguments) {
    struct context *new = methods->allocate(sizeof *new);
    time_t now = 86400 * 400;
    memset(new, 0, sizeof *new);
    new->memory = *methods;
    new->name = getenv("PATH");
    new->day = gmtime(&now);
    new->output = stdout;
    new->arguments = arguments;
    new->buffer = methods->allocate(8);
    new->next = contexts;
    contexts = new;
    return new;
}

static void append(struct context *context, ...) {
    va_list parts;
    va_start(parts, context);
    for (const char *part; (part = va_arg(parts, const char *)) != NULL;) {
        size_t len = strlen(part);
        context->buffer = context->memory.grow(context->buffer, context->used + len + 1);
        memcpy(context->buffer + context->used, part, len + 1);
        context->used += len;
    }
    va_end(parts);
}

static long work(struct context *context, int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++) {
        char *part = context->memory.allocate(16);
        snprintf(part, 16, "%d,", round * round % 97);
        append(context, part, ";", NULL);
        context->memory.release(part);
    }
    for (size_t at = 0; at < context->used; at++)
        sum = sum * 31 + context->buffer[at];
    return sum;
}

int main(int count, char **arguments) {
    struct methods methods = {malloc, realloc, free};
    (void)count;
    for (int round = 0; round < 3; round++) {
        struct context *one = context(&methods, arguments);
        fprintf(one->output, "%ld %d %d\n", work(one, 200), one->day->tm_year,
                one->name != NULL && one->arguments[0] != NULL);
    }
    for (struct context *one = contexts, *next; one != NULL; one = next) {
        next = one->next;
        one->memory.release(one->buffer);
        methods.release(one);
    }
    return 0;
}
