/* Blocks in the format of numpy's str() for arrays. */
#ifndef TG_REPORT_PRINT_BLOCK_H
#define TG_REPORT_PRINT_BLOCK_H

#include "base/text.h"
#include "ir/view.h"

/* numpy's print options. */
typedef struct tg_print_options {
    int precision;      /* maximum number of digits after the point */
    int64_t threshold;  /* larger blocks are summarized ... */
    int64_t edge_items; /* ... to this many elements at each end */
    int64_t width;      /* columns */
    bool suppress;
} tg_print_options;

/* Prints a block, a view of carriers of rank 1 or more, as numpy's str() writes an array. */
void tg_print_block(tg_text *text, tg_dtype dtype, const tg_view *view,
                    const tg_print_options *options);

#endif
