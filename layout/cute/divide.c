#include "layout/cute/divide.h"

#include "layout/cute/complement.h"
#include "layout/cute/compose.h"
#include "layout/cute/regroup.h"

static tg_status divide(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags)
{
    tg_cute rest, both;
    TG_TRY(tg_cute_complement(b, tg_cute_size(a), &rest, diags));
    tg_cute_begin(&both);
    const int tuple = tg_cute_open(&both);
    tg_cute_put_node(&both, b, 0);
    tg_cute_put_node(&both, &rest, 0);
    tg_cute_close(&both, tuple);
    TG_TRY(tg_cute_check(&both, diags));
    return tg_cute_compose(a, &both, out, diags);
}

tg_status tg_cute_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    return tg_cute_pair(a, b, divide, out, diags);
}

tg_status tg_cute_zipped_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    return tg_cute_pair_zipped(a, b, divide, out, diags);
}

tg_status tg_cute_tiled_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    TG_TRY(tg_cute_zipped_divide(a, b, out, diags));
    return tg_cute_unzip(out, false, diags);
}

tg_status tg_cute_flat_divide(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags)
{
    TG_TRY(tg_cute_zipped_divide(a, b, out, diags));
    return tg_cute_unzip(out, true, diags);
}
