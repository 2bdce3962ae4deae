/* Functions of the C library that belong to whoever calls them, with memory of the inside
 * and of the outside; those of _FORTIFY_SOURCE; tables of characters in two locales; options;
 * a mutex beside other things in a structure. The functions whose names begin with in_ are
 * the target. */
#define _GNU_SOURCE
#include <ctype.h>
#include <getopt.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long sum;

static void in_note(unsigned long value) {
    sum = sum * 31 + value;
}

/* Where in a text a pointer points. */
static unsigned long in_place(const char *text, const char *found) {
    return found ? (unsigned long)(found - text) : 9999;
}

/* What the outside gives. */
__attribute__((noinline)) static char *out_text(int number) {
    static char texts[2][64];
    char *text = texts[number % 2];
    snprintf(text, sizeof texts[0], "key%d = value; %d, %d", number, rand() % 10, number);
    return text;
}

__attribute__((noinline)) static void out_locale(const char *name) {
    if (!setlocale(LC_CTYPE, name))
        setlocale(LC_CTYPE, "C");
}

__attribute__((noinline)) static void in_look(const char *text, const char *among) {
    in_note(strnlen(text, 7));
    in_note(strspn(text, "key0123456789"));
    in_note(strcspn(text, among));
    in_note(in_place(text, strpbrk(text, among)));
    in_note(in_place(text, strpbrk(text, "#")));
    in_note(in_place(text, strstr(text, "value")));
    in_note(in_place(text, strstr(text, "nothing")));
    in_note(in_place(text, strstr(text, "")));
    in_note(in_place(text, strchrnul(text, ';')));
    in_note(in_place(text, strchrnul(text, '#')));
    in_note(in_place(text, rawmemchr(text, '=')));
    in_note(in_place(text, memrchr(text, ',', strlen(text))));
    in_note(in_place(text, memrchr(text, '#', strlen(text))));
}

__attribute__((noinline)) static void in_classify(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        in_note(isspace(*at) != 0);
        in_note(isalnum(*at) != 0);
        in_note(ispunct(*at) != 0);
        in_note((unsigned long)toupper(*at));
        in_note((unsigned long)tolower(*at));
    }
    for (int byte = 0; byte < 256; byte++)
        in_note((isalpha(byte) != 0) | (isupper(byte) != 0) << 1 | (isprint(byte) != 0) << 2);
    in_note(isalpha(EOF) != 0);
}

/* By their addresses they are functions, and not the macros. */
__attribute__((noinline)) static void in_by_pointer(int (*is)(int), int (*other)(int)) {
    for (int byte = 0; byte < 256; byte++)
        in_note((is(byte) != 0) + (unsigned long)other(byte));
}

__attribute__((noinline)) static void in_copy(const char *from) {
    char room[160];
    char *end = stpcpy(room, from);
    in_note((unsigned long)(end - room));
    strncat(room, from, 5);
    end = mempcpy(end + 5, from, 4);
    *end = 0;
    in_note(strlen(room));
    in_look(room, "=;");
    for (size_t at = 0; room[at]; at++)
        in_note((unsigned char)room[at]);
}

/* The compiler does not know how long texts are, but how much room there is. */
__attribute__((noinline)) static void in_fortified(const char *from, size_t len) {
    char room[80];
    memset(room, 'x', len);
    memcpy(room, from, len);
    strcpy(room + len, from);
    strcat(room, from);
    strncpy(room + 60, from, len);
    strncat(room, from, 2);
    snprintf(room + 40, len, "%s", from);
    room[79] = 0;
    for (size_t at = 0; room[at]; at++)
        in_note((unsigned char)room[at]);
}

struct shared {
    long before;
    pthread_mutex_t mutex;
    char *text;
};

static struct shared shared = {7, PTHREAD_MUTEX_INITIALIZER, NULL};

__attribute__((noinline)) static void in_lock(int number) {
    pthread_mutex_lock(&shared.mutex);
    shared.before += number;
    if (!shared.text)
        shared.text = strdup("kept");
    in_note((unsigned long)shared.before + strlen(shared.text));
    pthread_mutex_unlock(&shared.mutex);
}

static int flag;

__attribute__((noinline)) static void in_options(int count, char **texts) {
    static const struct option known[] = {
        {"flag", no_argument, &flag, 3},
        {"size", required_argument, NULL, 's'},
        {NULL, 0, NULL, 0},
    };
    int option, which = -1;
    while ((option = getopt_long(count, texts, "vs:", known, &which)) != -1) {
        in_note((unsigned long)option);
        if (option == 's')
            in_note((unsigned long)atoi(optarg));
    }
    in_note((unsigned long)flag * 100 + (unsigned long)(which + 1) * 10 + (unsigned long)optind);
}

__attribute__((noinline)) static void in_work(int number) {
    char inside[64] = "key = value; of the inside, as is";
    in_look(inside, "=;");
    in_look(out_text(number), "=;");
    in_look(inside, out_text(number) + 5);
    in_classify(inside);
    in_classify(out_text(number));
    in_by_pointer(isspace, toupper);
    in_copy(inside);
    in_copy(out_text(number));
    in_fortified(out_text(number), 9);
    in_fortified(inside, 11);
    in_lock(number);
    out_locale(number % 2 ? "C" : "C.UTF-8");
    in_classify("\xe4\xf6 after another locale");
}

int main(int count, char **texts) {
    char *given[] = {"main", "word", "-v", "--flag", "--size=12", "-s", "5", NULL};
    (void)count;
    given[0] = texts[0];
    in_options(7, given);
    for (int number = 0; number < 20; number++) {
        srand((unsigned)number);
        in_work(number);
        printf("%lu\n", sum);
    }
    if (count > 1)
        in_fortified("a text that is far too long for what there is room for, which is "
                     "found out where it is copied", 30);
    return 0;
}
