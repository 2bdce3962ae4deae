// squid 2.3 makes the title of an FTP directory: the room for it is that of the user's
// name as it came, but what is put into it is the name with its odd characters
// escaped, which is up to three times as long.
// cc: -U_FORTIFY_SOURCE
// argument: 60
// dies: 6
// gdb: continue
// gdb: up-silently 100
// gdb: watch -l ((long *)next)[-1]
// gdb: reverse-continue
// sees: received signal SIGABRT
// sees: Hardware watchpoint
// gdb: backtrace
// sees: title_of
// gdb: reverse-finish
// gdb: print strlen(user)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *next;

static void escape(const char *text, char *into) {
    for (; *text; text++) {
        if (*text == ' ')
            into += sprintf(into, "%%%02x", *text);
        else
            *into++ = *text;
    }
    *into = 0;
}

static char *title_of(const char *user, const char *host) {
    char *title = malloc(strlen(user) + strlen(host) + 8);
    next = malloc(64);
    strcpy(title, "ftp://");
    escape(user, title + 6);
    strcat(title, "@");
    strcat(title, host);
    return title;
}

int main(int count, char **arguments) {
    size_t len = count > 1 ? (size_t)atoi(arguments[1]) : 3;
    char *user = calloc(len + 1, 1);
    memset(user, ' ', len);
    char *title = title_of(user, "host");
    printf("%zu long\n", strlen(title));
    fflush(stdout);
    free(next);
    free(title);
    return 0;
}
