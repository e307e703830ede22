/* The format of debug_print and check: text with {}, {!s} or {:SPEC} for each operand, and doubled
 * braces for braces.  SPEC is that of Python's str.format. */
#ifndef TG_IR_FORMAT_H
#define TG_IR_FORMAT_H

#include "ir/type.h"

/* How one operand is printed. */
typedef struct tg_format_spec {
    bool is_text;           /* {!s}: as numpy's str writes it */
    bool is_given;          /* there is a SPEC, which may be empty */
    char fill, align, sign; /* align: < > ^ = or 0; sign: + - blank or 0 */
    bool alternate, zeros;  /* # and 0 */
    int width, precision;   /* precision: -1 if there is none */
    char grouping, type;    /* grouping: , _ or 0; type: 0 if there is none */
} tg_format_spec;

typedef enum tg_format_kind {
    TG_FORMAT_END,
    TG_FORMAT_TEXT, /* `length` bytes at `text`, printed unchanged */
    TG_FORMAT_PLACE /* the next operand goes here */
} tg_format_kind;

typedef struct tg_format_piece {
    tg_format_kind kind;
    const char *text;
    size_t length;
    tg_format_spec spec;
} tg_format_piece;

/* Takes the next piece off the front of `*format`.  Returns NULL, or a static text that says what
 * is wrong with it. */
const char *tg_format_next(const char **format, tg_format_piece *piece);

/* Returns NULL if `spec` fits operands of this type, else a static text that says why not. */
const char *tg_format_misfit(const tg_format_spec *spec, const tg_type *type);

#endif
