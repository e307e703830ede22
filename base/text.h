/* A text that grows at its end.  Running out of memory is remembered and told once, at the end, so
 * that writers need no check after every piece. */
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
    bool failed; /* memory ran out: what is added from then on is lost */
} tg_text;

/* Appends as printf does.  Keep to %d, %s and the like: floats would follow the locale. */
TG_PRINTF(2, 3)
void tg_text_add(tg_text *text, const char *format, ...);

void tg_text_put(tg_text *text, const char *string);
void tg_text_put_bytes(tg_text *text, const char *bytes, size_t count);

/* Appends decimal digits, as %llu does but without the price of a format. */
void tg_text_put_uint(tg_text *text, uint64_t value);

/* Appends `string` as a JSON string, quotes included. */
void tg_text_quote(tg_text *text, const char *string);

/* Starts a new line with `columns` spaces. */
void tg_text_line(tg_text *text, int columns);

/* Hands the text over, to be freed with free(); NULL where memory ran out.  Leaves `text` empty. */
char *tg_text_finish(tg_text *text);
void tg_text_drop(tg_text *text);

#endif
