/* Scalars in the formats of Python. */
#ifndef TG_REPORT_PRINT_SCALAR_H
#define TG_REPORT_PRINT_SCALAR_H

#include "base/text.h"
#include "ir/format.h"

/* Returns the value of a float in its carrier, or of an integer or bool. */
double tg_print_float(tg_dtype dtype, const void *carrier);

/* Prints one element as Python's format() writes a scalar. */
void tg_print_scalar(tg_text *text, tg_dtype dtype, const void *carrier,
                     const tg_format_spec *spec);

/* Prints one element as numpy's str() writes a scalar. */
void tg_print_as_text(tg_text *text, tg_dtype dtype, const void *carrier);

#endif
