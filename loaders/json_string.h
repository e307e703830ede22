/* The inside of JSON strings, as bytes of the text: checking it, and comparing what it spells. */
#ifndef TG_LOADERS_JSON_STRING_H
#define TG_LOADERS_JSON_STRING_H

#include <stddef.h>

/* Checks the string whose opening quote is at *at: UTF-8, escapes, no control characters, no NUL,
 * paired surrogates.  NULL and *at beyond the closing quote, or what is wrong and *at where. */
const char *tg_json_check_string(const char **at, const char *end);

/* The bytes that a valid string spells, one by one. */
typedef struct tg_json_bytes {
    const char *at; /* next character of the text; start behind the opening quote */
    char decoded[4];
    int count, used; /* of `decoded` */
} tg_json_bytes;

/* The next byte as an unsigned char, or -1 at the closing quote. */
int tg_json_next_byte(tg_json_bytes *bytes);

/* Decodes the string behind an opening quote; cuts it at size - 1 bytes.  Returns `out`. */
char *tg_json_decode(const char *behind_quote, char *out, size_t size);

/* Orders two valid strings, given behind their opening quotes, by the bytes that they spell. */
int tg_json_compare(const char *a, const char *b);

#endif
