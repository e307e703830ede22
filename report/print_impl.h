/* How operands are written: private to print.c, print_scalar.c and print_block.c. */
#ifndef TG_REPORT_PRINT_IMPL_H
#define TG_REPORT_PRINT_IMPL_H

#include "ir/format.h"
#include "base/text.h"
#include "ir/view.h"

/* numpy's print options. */
typedef struct tg_print_options {
    int precision;      /* most digits after the point */
    int64_t threshold;  /* blocks with more elements are summarised ... */
    int64_t edge_items; /* ... to so many at each end */
    int64_t width;      /* columns */
    bool suppress;
} tg_print_options;

/* Whether numpy itself has the dtype; the others are guests, which write themselves. */
static inline bool tg_is_numpys_float(tg_dtype dtype)
{
    return dtype == TG_DT_f16 || dtype == TG_DT_f32 || dtype == TG_DT_f64;
}
static inline bool tg_is_numpys(tg_dtype dtype)
{
    if (tg_is_float(dtype)) return tg_is_numpys_float(dtype);
    return tg_dtypes[dtype].bits >= 8 || dtype == TG_DT_bool;
}

/* The value of a float in its carrier, or of an integer or bool. */
double tg_print_float(tg_dtype dtype, const void *carrier);

/* One element, as Python's format() writes a scalar. */
void tg_print_scalar(tg_text *text, tg_dtype dtype, const void *carrier,
                     const tg_format_spec *spec);

/* One element as numpy's str writes a scalar. */
void tg_print_as_text(tg_text *text, tg_dtype dtype, const void *carrier);

/* A block as numpy's str writes an array: a view of carriers of rank 1 or more. */
void tg_print_block(tg_text *text, tg_dtype dtype, const tg_view *view,
                    const tg_print_options *options);

#endif
