/* Literal elements: one value of any dtype as the DATA attribute spells it (docs/ir.md), to and
 * from its carrier (ir/type.h).  Exact both ways and independent of the locale. */
#ifndef TG_IR_LITERAL_H
#define TG_IR_LITERAL_H

#include <stdbool.h>

#include "ir/type.h"

/* Each reads one element into `out`, one carrier of `dtype`.  NULL on success, else what is wrong
 * as static text that completes "the element ...". */
const char *tg_literal_from_bool(tg_dtype dtype, bool value, void *out);

/* Of a JSON number, which is a double by now: an integer below 2^53 for ints, a value exact in the
 * dtype for floats. */
const char *tg_literal_from_number(tg_dtype dtype, double number, void *out);

/* A decimal integer for ints; "0x1.8p+3", "inf", "-inf", "nan" or "bits:7fc00001" for floats. */
const char *tg_literal_from_text(tg_dtype dtype, const char *text, void *out);

/* A decimal integer of any length: "-5", "18446744073709551615".  Magnitude and sign separately.
 * NULL on success. */
const char *tg_literal_integer(const char *text, bool *negative, uint64_t *magnitude);

/* Writes the canonical spelling of the element at `element`, at most TG_LITERAL_TEXT bytes with the
 * NUL.  Returns whether JSON takes it as it is; otherwise it must be put in quotes. */
enum { TG_LITERAL_TEXT = 40 };
bool tg_literal_print(tg_dtype dtype, const void *element, char out[TG_LITERAL_TEXT]);

#endif
