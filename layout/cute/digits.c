#include "layout/cute/digits.h"

#include "layout/canonical.h"

static tg_status check_sizes(const tg_iters *iters, const tg_shape *shape, tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (size == tg_iters_size(iters)) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL, "a shape of %lld elements, of a layout of %lld",
                   (long long)size, (long long)tg_iters_size(iters));
}

tg_status tg_digits_split(const tg_iters *iters, const tg_shape *shape, tg_digits *out,
                          tg_diags *diags)
{
    int dim = -1;
    int64_t room = 1, place = 1; /* what is left of the dimension, and a step there */
    out->count = 0;
    TG_TRY(check_sizes(iters, shape, diags));
    for (int i = 0; i < iters->count; i++) {
        tg_iter it = iters->list[i];
        while (it.extent > 1) {
            while (room < 2) {
                room = shape->extent[++dim];
                place = 1;
            }
            const int64_t taken = it.extent < room ? it.extent : room;
            if (it.extent % taken != 0 || room % taken != 0)
                return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                               "an iter of which %lld are left meets a dimension of which %lld are "
                               "left: neither divides the other",
                               (long long)it.extent, (long long)room);
            out->list[out->count++] = (tg_digit){{taken, it.stride, it.axis}, dim, place};
            it.extent /= taken;
            it.stride *= taken;
            room /= taken;
            place *= taken;
        }
    }
    return TG_OK;
}

tg_status tg_digits_of_axe(const tg_axe *axe, const tg_shape *shape, tg_digits *out,
                           tg_diags *diags)
{
    tg_iters d, fast_first = {.count = 0};
    tg_shape reversed = {.rank = shape->rank};
    tg_iters_copy(&axe->d, &d);
    tg_iters_fuse(&d);
    for (int i = d.count - 1; i >= 0; i--) fast_first.list[fast_first.count++] = d.list[i];
    for (int i = 0; i < shape->rank; i++) reversed.extent[i] = shape->extent[shape->rank - 1 - i];
    return tg_digits_split(&fast_first, &reversed, out, diags);
}

void tg_digits_put(const tg_digits *digits, int dim, tg_iters *out)
{
    for (int i = digits->count - 1; i >= 0; i--) {
        const tg_iter it = digits->list[i].it;
        if (digits->list[i].dim == dim) tg_iters_put(out, it.extent, it.stride, it.axis);
    }
}
