#include "interp/memory/rows.h"

bool tg_rows_begin(tg_rows *rows, int rank, const int64_t *low, const int64_t *high)
{
    rows->rank = rank;
    for (int d = 0; d < rank; d++) {
        rows->low[d] = rows->index[d] = low[d];
        rows->high[d] = high[d];
        if (low[d] >= high[d]) return false;
    }
    rows->index[rank - 1] = 0;
    return true;
}

bool tg_rows_next(tg_rows *rows)
{
    for (int d = rows->rank - 2; d >= 0; d--) {
        if (++rows->index[d] < rows->high[d]) return true;
        rows->index[d] = rows->low[d];
    }
    return false;
}

int64_t tg_rows_offset(const tg_rows *rows, const int64_t *stride)
{
    int64_t offset = 0;
    for (int d = 0; d < rows->rank - 1; d++) offset += rows->index[d] * stride[d];
    return offset;
}
