/* Blocks as numpy's str writes arrays. */
#ifndef TG_REPORT_PRINT_BLOCK_H
#define TG_REPORT_PRINT_BLOCK_H

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

/* A block as numpy's str writes an array: a view of carriers of rank 1 or more. */
void tg_print_block(tg_text *text, tg_dtype dtype, const tg_view *view,
                    const tg_print_options *options);

#endif
