#include "layout/cute/coalesce.h"

#include "layout/cute/modes.h"

static void put_coalesced(const tg_cute *cute, int at, tg_cute *out)
{
    tg_modes modes;
    tg_modes_of(cute, at, &modes);
    tg_modes_coalesce(&modes);
    tg_modes_put(&modes, out);
}

void tg_cute_coalesce(const tg_cute *cute, tg_cute *out)
{
    tg_cute result;
    tg_cute_begin(&result);
    put_coalesced(cute, 0, &result);
    result.offset = cute->offset;
    result.swizzle = cute->swizzle;
    tg_cute_copy(&result, out);
}

static tg_status put_by(const tg_cute *cute, int at, const tg_tuple *profile, int pt, tg_cute *out,
                        tg_diags *diags)
{
    if (tg_tuple_is_integer(profile, pt)) {
        put_coalesced(cute, at, out);
        return TG_OK;
    }
    const int rank = tg_tuple_rank(&cute->shape, at), wanted = tg_tuple_rank(profile, pt);
    if (wanted > rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a profile of %d modes is none of a layout of rank %d", wanted, rank);
    const int tuple = tg_cute_open(out);
    for (int i = 0; i < rank; i++) {
        const int mode = tg_tuple_element(&cute->shape, at, i);
        if (i < wanted)
            TG_TRY(put_by(cute, mode, profile, tg_tuple_element(profile, pt, i), out, diags));
        else
            tg_cute_put_node(out, cute, mode);
    }
    tg_cute_close(out, tuple);
    return TG_OK;
}

tg_status tg_cute_coalesce_by(const tg_cute *cute, const tg_tuple *profile, tg_cute *out,
                              tg_diags *diags)
{
    tg_cute result;
    tg_cute_begin(&result);
    TG_TRY(put_by(cute, 0, profile, 0, &result, diags));
    result.offset = cute->offset;
    result.swizzle = cute->swizzle;
    tg_cute_copy(&result, out);
    return tg_cute_check(out, diags);
}
