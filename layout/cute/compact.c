#include "layout/cute/compact.h"

#include "layout/cute/modes.h"
#include "layout/multiples.h"

tg_status tg_cute_compact(const tg_tuple *shape, tg_cute_order order, int64_t first,
                          bool still_units, tg_cute *out, tg_diags *diags)
{
    int64_t next = first;
    tg_cute_begin(out);
    tg_tuple_copy(shape, &out->shape);
    tg_tuple_copy(shape, &out->stride);
    for (int i = 0; i < shape->count; i++) {
        const int at = order == TG_CUTE_LEFT ? i : shape->count - 1 - i;
        if (!tg_tuple_is_integer(shape, at)) continue;
        const int64_t extent = shape->node[at].value;
        out->stride.node[at].value = still_units && extent == 1 ? 0 : next;
        if (__builtin_mul_overflow(next, extent, &next))
            return tg_fail(diags, TG_ERR_INVALID, NULL, "a stride does not fit in 63 bits");
    }
    return tg_cute_check(out, diags);
}

tg_status tg_cute_distribute(const tg_tuple *shape, int64_t count, tg_cute *out, tg_diags *diags)
{
    tg_cute all;
    tg_modes modes;
    TG_TRY(tg_cute_compact(shape, TG_CUTE_LEFT, 1, false, &all, diags));
    if (count < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "%lld elements to distribute; it is at least 1",
                       (long long)count);
    tg_modes_of(&all, 0, &modes);
    for (int i = 0; i < modes.count; i++) {
        modes.list[i].extent = tg_gcd(modes.list[i].extent, count);
        count /= modes.list[i].extent;
    }
    tg_modes_coalesce(&modes);
    tg_cute_begin(out);
    tg_modes_put(&modes, out);
    return tg_cute_check(out, diags);
}
