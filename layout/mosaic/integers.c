#include "layout/mosaic/integers.h"

#include <inttypes.h>
#include <string.h>

void tg_integers_of(const tg_shape *shape, tg_integers *out)
{
    out->rank = shape->rank;
    memcpy(out->at, shape->extent, (size_t)shape->rank * sizeof *out->at);
}

void tg_integers_shape(const tg_integers *dims, tg_shape *out)
{
    out->rank = dims->rank;
    memcpy(out->extent, dims->at, (size_t)dims->rank * sizeof *out->extent);
}

void tg_integers_print(const int64_t *at, int rank, tg_text *out)
{
    tg_text_put(out, "(");
    for (int i = 0; i < rank; i++) tg_text_add(out, "%s%" PRId64, i ? ", " : "", at[i]);
    tg_text_put(out, rank == 1 ? ",)" : ")");
}

void tg_integers_row_major(const tg_integers *shape, tg_integers *strides)
{
    int64_t step = 1;
    strides->rank = shape->rank;
    for (int i = shape->rank - 1; i >= 0; i--) {
        strides->at[i] = step;
        step *= shape->at[i];
    }
}
