/* A text that is read from left to right: what all notations have in common.  White space is
 * skipped before each piece.  Errors are TG_ERR_SYNTAX at the byte where something else was
 * expected, unless said. */
#ifndef TG_LAYOUT_SCAN_H
#define TG_LAYOUT_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

typedef struct tg_scanner {
    const char *text;
    size_t length, at;
    tg_diags *diags;
} tg_scanner;

/* The next byte that is not white space, which it stops at, or 0 at the end. */
char tg_scan_peek(tg_scanner *scan);

/* Whether only white space is left. */
bool tg_scan_is_end(tg_scanner *scan);

/* Each steps over a byte, over a word, or over a word that is a whole name, if it comes next. */
bool tg_scan_accept(tg_scanner *scan, char c);
bool tg_scan_accept_word(tg_scanner *scan, const char *word);
bool tg_scan_accept_name(tg_scanner *scan, const char *name);

/* "expected `what`", here. */
tg_status tg_scan_wrong(tg_scanner *scan, const char *what);
tg_status tg_scan_expect(tg_scanner *scan, char c, const char *where);
tg_status tg_scan_expect_word(tg_scanner *scan, const char *word);
tg_status tg_scan_expect_end(tg_scanner *scan);

/* An integer with a sign or not, and one without a sign; `what` says which one is expected, or is
 * NULL.  TG_ERR_INVALID if it does not fit in 63 bits. */
tg_status tg_scan_integer(tg_scanner *scan, const char *what, int64_t *out);
tg_status tg_scan_natural(tg_scanner *scan, const char *what, int64_t *out);

/* An integer that fits in an int; TG_ERR_INVALID if its size exceeds TG_SCAN_MOST. */
enum { TG_SCAN_MOST = 1000000000 };
tg_status tg_scan_small(tg_scanner *scan, const char *what, int *out);

/* Letters, digits and '_', not beginning with a digit: returns the length, 0 for none. */
size_t tg_scan_word(tg_scanner *scan, const char **out);

/* A text in single or double quotes, without quotes or '\' in it. */
tg_status tg_scan_quoted(tg_scanner *scan, const char *what, const char **out, size_t *length);

#endif
