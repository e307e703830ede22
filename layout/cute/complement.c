#include "layout/cute/complement.h"

#include "layout/cute/filter.h"
#include "layout/cute/modes.h"

static tg_status check_mode(tg_mode mode, int64_t current, tg_diags *diags)
{
    if (mode.stride < 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no complement to stride %lld",
                       (long long)mode.stride);
    if (mode.stride < current)
        return tg_fail(
            diags, TG_ERR_INVALID, NULL,
            "stride %lld is below %lld, where the modes of lower strides end: the layout is "
            "not injective, or has no complement",
            (long long)mode.stride, (long long)current);
    return TG_OK;
}

tg_status tg_cute_complement(const tg_cute *cute, int64_t target, tg_cute *out, tg_diags *diags)
{
    tg_cute filtered;
    tg_modes modes, rest = {.count = 0};
    int64_t current = 1;
    TG_TRY(tg_cute_check_plain(cute, "a complement", diags));
    if (target < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "a complement up to %lld; it is at least 1",
                       (long long)target);
    tg_cute_copy(cute, &filtered);
    tg_cute_filter(&filtered, &filtered);
    tg_modes_of(&filtered, 0, &modes);
    tg_modes_sort(&modes);
    for (int i = 0; i < modes.count; i++) {
        const tg_mode mode = modes.list[i];
        if (mode.extent == 1) continue; /* 1:0, of a layout that does not move */
        TG_TRY(check_mode(mode, current, diags));
        rest.list[rest.count++] = (tg_mode){mode.stride / current, current};
        current = mode.stride * mode.extent; /* fits, since indices fit in 61 bits */
    }
    /* Extents of 2 or more are at most 62, so there is room. */
    rest.list[rest.count++] = (tg_mode){target / current + (target % current != 0), current};
    tg_modes_coalesce(&rest);
    tg_cute_begin(out);
    tg_modes_put(&rest, out);
    return tg_cute_check(out, diags);
}
