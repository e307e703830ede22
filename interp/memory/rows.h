/* Walks over the rows of a box: over all dimensions but the last. */
#ifndef TG_INTERP_MEMORY_ROWS_H
#define TG_INTERP_MEMORY_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/type.h"

/* A walk from one corner to another.  Both functions return false if there are no more rows. */
typedef struct tg_rows {
    int rank;
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK], index[TG_MAX_RANK];
} tg_rows;
bool tg_rows_begin(tg_rows *rows, int rank, const int64_t *low, const int64_t *high);
bool tg_rows_next(tg_rows *rows);

/* Offset of the row's first element (last index 0), with the given strides. */
int64_t tg_rows_offset(const tg_rows *rows, const int64_t *stride);

#endif
