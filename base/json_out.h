/* Writes JSON to a stream, member by member; commas and escapes are its business. */
#ifndef TG_BASE_JSON_OUT_H
#define TG_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zero-initialise but for `out`. */
typedef struct tg_json_out {
    FILE *out;
    int depth;
    uint64_t has_member; /* bit d: something was written at depth d */
    bool is_in_html;     /* nothing within it may end or open an element of HTML */
    int flat_from; /* > 0: values at this depth and deeper stand on the line of what they are in */
} tg_json_out;

/* `key` is NULL for an element of a list and for the outermost value. */
void tg_emit_open(tg_json_out *json, const char *key, char bracket);     /* '{' or '[' */
void tg_emit_close(tg_json_out *json, char bracket);                     /* '}' or ']' */
void tg_emit_text(tg_json_out *json, const char *key, const char *text); /* NULL: null */

/* A text that is written to the stream that this returns, of characters that JSON does not escape.
 */
FILE *tg_emit_text_begin(tg_json_out *json, const char *key);
void tg_emit_text_end(tg_json_out *json);

/* An element of a list that has been written already. */
void tg_emit_written(tg_json_out *json, const char *text, size_t length);

void tg_emit_int(tg_json_out *json, const char *key, int64_t number);
void tg_emit_real(tg_json_out *json, const char *key, double number); /* not finite: null */
void tg_emit_bool(tg_json_out *json, const char *key, bool truth);

#endif
