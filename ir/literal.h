/* Converts literal elements between their spelling in the DATA attribute (docs/ir.md) and their
 * carrier (ir/type.h), for any dtype.  Exact both ways and independent of the locale. */
#ifndef TG_IR_LITERAL_H
#define TG_IR_LITERAL_H

#include <stdbool.h>

#include "ir/type.h"

/* Each of these reads one element into `out`, one carrier of `dtype`.  Returns NULL on success,
 * else a static text that completes "the element ...". */
const char *tg_literal_from_bool(tg_dtype dtype, bool value, void *out);

/* From a JSON number, which the parser has made a double: for ints an integer below 2^53, for
 * floats a value that is exact in the dtype. */
const char *tg_literal_from_number(tg_dtype dtype, double number, void *out);

/* From a text: a decimal integer for ints; "0x1.8p+3", "inf", "-inf", "nan" or "bits:7fc00001" for
 * floats. */
const char *tg_literal_from_text(tg_dtype dtype, const char *text, void *out);

/* Reads a decimal integer of any length, "-5" or "18446744073709551615", as sign and magnitude.
 * Returns NULL on success, else what is wrong, as above. */
const char *tg_literal_integer(const char *text, bool *negative, uint64_t *magnitude);

/* Writes the canonical spelling of the element at `element`, at most TG_LITERAL_TEXT bytes with the
 * NUL.  Returns whether it is valid JSON without quotes. */
enum { TG_LITERAL_TEXT = 40 };
bool tg_literal_print(tg_dtype dtype, const void *element, char out[TG_LITERAL_TEXT]);

#endif
