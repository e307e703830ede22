#include "layout/cute/tiler.h"

void tg_tiler_of(const tg_cute *layout, tg_tiler *out)
{
    tg_cute_copy(layout, &out->layout);
    out->kind[0] = TG_TILER_LAYOUT;
}

void tg_tiler_take(const tg_tiler *tiler, int at, tg_cute *out)
{
    tg_cute_take(&tiler->layout, at, out);
}

tg_status tg_tiler_check_rank(const tg_tiler *tiler, int at, int rank, tg_diags *diags)
{
    const int modes = tg_tuple_rank(&tiler->layout.shape, at);
    if (modes <= rank) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "a tiler of %d modes is none of a layout of rank %d", modes, rank);
}
