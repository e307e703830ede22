/* The line of source that a finding is about. */
#ifndef TG_CLI_EXCERPT_H
#define TG_CLI_EXCERPT_H

#include <stdint.h>
#include <stdio.h>

/* Writes line number `line` of `file` with carets under it; nothing where it cannot be read. */
void tg_put_excerpt(FILE *stream, const char *file, int64_t line);

#endif
