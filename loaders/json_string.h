/* Checks, decodes and compares JSON strings in the bytes of the text. */
#ifndef TG_LOADERS_JSON_STRING_H
#define TG_LOADERS_JSON_STRING_H

#include <stddef.h>

/* Checks the string whose opening quote is at *at: UTF-8, escapes, no control characters, no NUL,
 * paired surrogates.  On success returns NULL and moves *at past the closing quote; else returns
 * what is wrong and moves *at there. */
const char *tg_json_check_string(const char **at, const char *end);

/* Decodes a valid string byte by byte. */
typedef struct tg_json_bytes {
    const char *at; /* next character of the text; starts after the opening quote */
    char decoded[4];
    int count, used; /* bytes in `decoded`, and how many have been returned */
} tg_json_bytes;

/* Returns the next byte as an unsigned char, or -1 at the closing quote. */
int tg_json_next_byte(tg_json_bytes *bytes);

/* Decodes the string after an opening quote; truncates it to size - 1 bytes.  Returns `out`. */
char *tg_json_decode(const char *behind_quote, char *out, size_t size);

/* Compares two valid strings, given after their opening quotes, by their decoded bytes. */
int tg_json_compare(const char *a, const char *b);

#endif
