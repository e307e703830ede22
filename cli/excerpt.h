/* The line of source that a finding is about. */
#ifndef TG_CLI_EXCERPT_H
#define TG_CLI_EXCERPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A line without the blanks at its end, each tab a space; what is behind the first 239 bytes is
 * left out. */
typedef struct tg_excerpt {
    char text[240];
    int first,
        /* columns of what is no blank, in characters from 1 on; last < first: there is none */
        last;
    bool is_cut;
} tg_excerpt;

/* Reads line number `line` of `file`; false where it cannot be read or is no UTF-8. */
bool tg_excerpt_read(const char *file, int64_t line, tg_excerpt *out);

/* Writes that line with carets under it; nothing where it cannot be read. */
void tg_put_excerpt(FILE *stream, const char *file, int64_t line);

#endif
