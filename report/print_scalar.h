/* Scalars as Python writes them. */
#ifndef TG_REPORT_PRINT_SCALAR_H
#define TG_REPORT_PRINT_SCALAR_H

#include "base/text.h"
#include "ir/format.h"

/* The value of a float in its carrier, or of an integer or bool. */
double tg_print_float(tg_dtype dtype, const void *carrier);

/* One element, as Python's format() writes a scalar. */
void tg_print_scalar(tg_text *text, tg_dtype dtype, const void *carrier,
                     const tg_format_spec *spec);

/* One element as numpy's str writes a scalar. */
void tg_print_as_text(tg_text *text, tg_dtype dtype, const void *carrier);

#endif
