/* Functions of the C library that become functions of a program which is cut: what they do to
   its memory is found out as of any other, and they are inside if that is cheapest. Each is
   compiled where the program calls it and has none of its own. */

typedef unsigned long size_t;
typedef long ssize_t;
typedef struct stream FILE;

/* Put into whoever calls it, which then has memory of its own. */
#define OF_CALLER static inline __attribute__((always_inline))

#define INVALID 22

extern int *__errno_location(void);
extern void *malloc(size_t);
extern void *realloc(void *, size_t);
extern size_t strspn(const char *, const char *);
extern size_t strcspn(const char *, const char *);

/* The runtime's: reads a line into memory of its own, and says how long it is; then takes it
   from there. */
extern ssize_t __reprise_line(int delimiter, FILE *from);
extern void __reprise_line_taken(char *to, size_t len);

OF_CALLER ssize_t line_of(char **line, size_t *size, int delimiter, FILE *from) {
    if (!line || !size) {
        *__errno_location() = INVALID;
        return -1;
    }
    if (!*line || !*size) {
        char *first = malloc(120);
        if (!first)
            return -1;
        *line = first;
        *size = 120;
    }
    ssize_t len = __reprise_line(delimiter, from);
    if (len < 0)
        return -1;
    size_t needed = (size_t)len + 1;
    if (*size < needed) {
        size_t more = 2 * *size > needed ? 2 * *size : needed;
        char *longer = realloc(*line, more);
        if (!longer)
            return -1;
        *line = longer;
        *size = more;
    }
    __reprise_line_taken(*line, needed);
    return len;
}

OF_CALLER char *part_of(char *text, const char *between, char **rest) {
    if (!text)
        text = *rest;
    if (!text)
        return 0;
    text += strspn(text, between);
    if (!*text) {
        *rest = text;
        return 0;
    }
    char *end = text + strcspn(text, between);
    if (*end)
        *end++ = 0;
    *rest = end;
    return text;
}

#ifdef LIKE_getdelim
__attribute__((always_inline)) ssize_t getdelim(char **line, size_t *size, int delimiter, FILE *from) {
    return line_of(line, size, delimiter, from);
}
#endif

#ifdef LIKE___getdelim
__attribute__((always_inline)) ssize_t __getdelim(char **line, size_t *size, int delimiter, FILE *from) {
    return line_of(line, size, delimiter, from);
}
#endif

#ifdef LIKE_getline
__attribute__((always_inline)) ssize_t getline(char **line, size_t *size, FILE *from) {
    return line_of(line, size, '\n', from);
}
#endif

#ifdef LIKE_strsep
char *strsep(char **rest, const char *between) {
    char *text = *rest;
    if (!text)
        return 0;
    char *end = text + strcspn(text, between);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = 0;
    }
    return text;
}
#endif

#ifdef LIKE_strtok_r
char *strtok_r(char *text, const char *between, char **rest) {
    return part_of(text, between, rest);
}
#endif

#ifdef LIKE___strtok_r
char *__strtok_r(char *text, const char *between, char **rest) {
    return part_of(text, between, rest);
}
#endif

#ifdef LIKE_strtok
char *strtok(char *text, const char *between) {
    static char *rest;
    return part_of(text, between, &rest);
}
#endif

#ifdef LIKE_bsearch
void *bsearch(const void *key, const void *all, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)all + middle * size;
        int order = compare(key, at);
        if (order == 0)
            return (void *)at;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}
#endif
