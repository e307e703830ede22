/* A text that grows at its end.  If memory runs out, the text remembers it, and tg_text_finish
 * returns NULL; so callers need no check after every piece. */
#ifndef TG_BASE_TEXT_H
#define TG_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Zero-initialise; ends with tg_text_finish or tg_text_drop. */
typedef struct tg_text {
    char *data; /* NUL-terminated unless NULL */
    size_t length, capacity;
    bool failed; /* memory ran out; everything added from then on is lost */
} tg_text;

/* Appends as printf does.  Use only %d, %s and the like: floats would depend on the locale. */
TG_PRINTF(2, 3)
void tg_text_add(tg_text *text, const char *format, ...);

void tg_text_put(tg_text *text, const char *string);
void tg_text_put_bytes(tg_text *text, const char *bytes, size_t count);

/* Appends decimal digits, as %llu does, but without the cost of parsing a format. */
void tg_text_put_uint(tg_text *text, uint64_t value);

/* Appends `string` as a JSON string, quotes included. */
void tg_text_quote(tg_text *text, const char *string);

/* Starts a new line with `columns` spaces. */
void tg_text_line(tg_text *text, int columns);

/* Returns the text, which the caller frees with free(), or NULL if memory ran out.  Leaves `text`
 * empty. */
char *tg_text_finish(tg_text *text);
void tg_text_drop(tg_text *text);

#endif
