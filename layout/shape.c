#include "layout/shape.h"

#include <inttypes.h>

#include "layout/scan.h"

static tg_status read_list(tg_scanner *scan, char end, tg_shape *out)
{
    do {
        if (out->rank == TG_SHAPE_MAX_RANK) return tg_scan_wrong(scan, "at most 16 integers");
        TG_TRY(tg_scan_integer(scan, NULL, &out->extent[out->rank++]));
    } while (tg_scan_accept(scan, ',') && !(end && tg_scan_peek(scan) == end)); /* "(8,)" */
    return TG_OK;
}

tg_status tg_shape_read(const char *text, size_t length, tg_shape *out, tg_diags *diags)
{
    tg_scanner scan = {text, length, 0, diags};
    const bool round = tg_scan_accept(&scan, '('), square = !round && tg_scan_accept(&scan, '[');
    const char end = round ? ')' : square ? ']' : 0;
    out->rank = 0;
    if (!end || tg_scan_peek(&scan) != end) TG_TRY(read_list(&scan, end, out));
    if (end && !tg_scan_accept(&scan, end))
        return tg_scan_wrong(&scan, round ? "',' or ')'" : "',' or ']'");
    return tg_scan_is_end(&scan) ? TG_OK : tg_scan_wrong(&scan, "the end of the shape");
}

void tg_shape_print(const tg_shape *shape, tg_text *out)
{
    tg_text_put(out, "(");
    for (int i = 0; i < shape->rank; i++)
        tg_text_add(out, "%s%" PRId64, i ? "," : "", shape->extent[i]);
    tg_text_put(out, ")");
}

tg_status tg_shape_size(const tg_shape *shape, int64_t *out, tg_diags *diags)
{
    *out = 1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->extent[i] < 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "an extent is %lld; it is at least 1",
                           (long long)shape->extent[i]);
        if (__builtin_mul_overflow(*out, shape->extent[i], out))
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "the product of the extents does not fit in 63 bits");
    }
    return TG_OK;
}

tg_status tg_shape_index(const tg_shape *shape, const tg_shape *coordinate, int64_t *out,
                         tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    if (coordinate->rank != shape->rank)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a coordinate of %d numbers is none of a shape of rank %d", coordinate->rank,
                       shape->rank);
    *out = 0;
    for (int i = 0; i < shape->rank; i++) {
        if (coordinate->extent[i] < 0 || coordinate->extent[i] >= shape->extent[i])
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "%lld is no index of dimension %d, which has %lld",
                           (long long)coordinate->extent[i], i, (long long)shape->extent[i]);
        *out = *out * shape->extent[i] + coordinate->extent[i];
    }
    return TG_OK;
}

void tg_shape_coordinate(const tg_shape *shape, int64_t index, tg_shape *out)
{
    out->rank = shape->rank;
    for (int i = shape->rank - 1; i >= 0; i--) {
        out->extent[i] = index % shape->extent[i];
        index /= shape->extent[i];
    }
}
