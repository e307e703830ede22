/* A text that is read from left to right, for the forms of this folder. */
#ifndef TG_LAYOUT_MESH_SCAN_H
#define TG_LAYOUT_MESH_SCAN_H

#include <stdbool.h>

#include "base/diag.h"

typedef struct tg_scanner {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} tg_scanner;

/* The next byte that is not white space, which it stops at, or 0 at the end. */
char tg_scan_peek(tg_scanner *scan);

/* Steps over a byte, or over a word, if it comes next. */
bool tg_scan_accept(tg_scanner *scan, char c);
bool tg_scan_accept_word(tg_scanner *scan, const char *word);

/* TG_ERR_SYNTAX: "expected `what`", here. */
tg_status tg_scan_wrong(tg_scanner *scan, const char *what);
tg_status tg_scan_expect(tg_scanner *scan, char c, const char *where);
tg_status tg_scan_expect_word(tg_scanner *scan, const char *word);
tg_status tg_scan_expect_end(tg_scanner *scan);

/* An integer, with a sign or not.  TG_ERR_INVALID if its size exceeds 10^9. */
tg_status tg_scan_integer(tg_scanner *scan, const char *what, int *out);

/* Letters, digits and '_', not beginning with a digit: returns the length, 0 for none. */
size_t tg_scan_word(tg_scanner *scan, const char **out);

/* A text in single or double quotes, without quotes or '\' in it. */
tg_status tg_scan_quoted(tg_scanner *scan, const char *what, const char **out, size_t *length);

#endif
