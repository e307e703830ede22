/* Layouts of Mosaic GPU as Axe layouts. */
#include <string.h>

#include "layout/canonical.h"
#include "layout/mosaic/convert.h"
#include "layout/thread.h"

enum { WARPS = TG_WARPGROUP_THREADS / TG_WARP_THREADS };

/* What a dimension of the tiled array counts, or what each kind of them does: steps along an axis. */
typedef struct step {
    int64_t stride;
    tg_axis axis;
} step;

typedef struct steps {
    step warp, lane, value, vector;
} steps;

/* The digits of an index, minor last, of which the last steps by `unit`. */
static void count_by(const tg_partition *partition, const tg_integers *suffix, step unit, step *of,
                     tg_iters *copies)
{
    for (int i = partition->count - 1; i >= 0; i--) {
        const tg_counted *part = &partition->list[i];
        const int64_t extent = tg_counted_extent(suffix, part);
        if (part->dim)
            of[suffix->rank + part->dim] = unit;
        else if (extent > 1)
            tg_iters_put(copies, extent, unit.stride, unit.axis);
        unit.stride *= extent;
    }
}

/* Steps of each dimension of the tiled array; registers are row-major. */
static void find_steps(const tg_tiled *tiled, const tg_integers *registers, const steps *by,
                       step *of, tg_iters *copies)
{
    tg_integers suffix, strides;
    tg_tiled_suffix(tiled, &suffix);
    tg_integers_row_major(registers, &strides);
    for (int i = 0; i < registers->rank; i++)
        of[i] = (step){strides.at[i] * by->value.stride, by->value.axis};
    step *inner = of + registers->rank - suffix.rank;
    count_by(&tiled->warp, &suffix, by->warp, inner, copies);
    count_by(&tiled->lane, &suffix, by->lane, inner, copies);
    of[registers->rank + tiled->vector_dim] = by->vector;
}

/* D has the digits of each dimension of the array, which tiling has split from major to minor. */
static tg_status convert(const tg_tiled *tiled, const tg_shape *shape, const steps *by, tg_axe *out,
                         tg_diags *diags)
{
    step of[TG_INTEGERS_MAX];
    int origins[TG_INTEGERS_MAX];
    tg_integers tiled_shape, registers;
    TG_TRY(tg_tiling_tile_shape(&tiled->tiling, shape, &tiled_shape, diags));
    TG_TRY(tg_tiled_registers(tiled, shape, &registers, diags));
    tg_axe_begin(out);
    find_steps(tiled, &registers, by, of, &out->r);
    tg_tiling_origins(&tiled->tiling, shape->rank, origins);
    for (int d = 0; d < shape->rank; d++)
        for (int i = 0; i < tiled_shape.rank; i++)
            if (origins[i] == d && tiled_shape.at[i] > 1)
                tg_iters_put(&out->d, tiled_shape.at[i], of[i].stride, of[i].axis);
    TG_TRY(tg_axe_check(out, diags));
    tg_axe_canonize(out);
    return TG_OK;
}

tg_status tg_tiled_to_axe(const tg_tiled *tiled, const tg_shape *shape, tg_axe *out,
                          tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    const steps by = {{1, TG_AXIS_wid_in_wg},
                      {1, TG_AXIS_lane},
                      {tg_tiled_vector_length(tiled), TG_AXIS_reg},
                      {1, TG_AXIS_reg}};
    return convert(tiled, shape, &by, out, diags);
}

static tg_status tmem_to_axe(const tg_fragment *fragment, const tg_shape *shape, int bits,
                             tg_axe *out, tg_diags *diags)
{
    TG_TRY(tg_fragment_fits(fragment, shape, bits, diags));
    if (tg_tiled_vector_length(&fragment->tiled) > 1 && bits % 8 != 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "elements of %d bits that share a column have no address in bytes", bits);
    const steps by = {{TG_WARP_THREADS, TG_AXIS_TLane},
                      {1, TG_AXIS_TLane},
                      {1, TG_AXIS_TCol},
                      {bits / 8, TG_AXIS_byte}};
    return convert(&fragment->tiled, shape, &by, out, diags);
}

/* Value (r, i) of thread t is element (r * 128 + t) * length + i. */
static tg_status strided_to_axe(const tg_shape *shape, int64_t length, tg_axe *out, tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    tg_axe_begin(out);
    tg_iters_put(&out->d, size / (TG_WARPGROUP_THREADS * length), length, TG_AXIS_reg);
    tg_iters_put(&out->d, WARPS, 1, TG_AXIS_wid_in_wg);
    tg_iters_put(&out->d, TG_WARP_THREADS, 1, TG_AXIS_lane);
    tg_iters_put(&out->d, length, 1, TG_AXIS_reg);
    tg_axe_canonize(out);
    return tg_axe_check(out, diags);
}

static tg_status splat_to_axe(const tg_shape *shape, tg_axe *out, tg_diags *diags)
{
    int64_t size;
    TG_TRY(tg_shape_size(shape, &size, diags));
    tg_axe_begin(out);
    tg_iters_put(&out->d, size, 0, TG_AXIS_NONE);
    tg_iters_put(&out->r, WARPS, 1, TG_AXIS_wid_in_wg);
    tg_iters_put(&out->r, TG_WARP_THREADS, 1, TG_AXIS_lane);
    tg_axe_canonize(out);
    return tg_axe_check(out, diags);
}

tg_status tg_fragment_to_axe(const tg_fragment *fragment, const tg_shape *shape, int bits,
                             tg_axe *out, tg_diags *diags)
{
    TG_TRY(tg_fragment_fits(fragment, shape, bits, diags));
    switch (fragment->kind) {
    case TG_FRAGMENT_TILED: return tg_tiled_to_axe(&fragment->tiled, shape, out, diags);
    case TG_FRAGMENT_TMEM: return tmem_to_axe(fragment, shape, bits, out, diags);
    case TG_FRAGMENT_STRIDED: return strided_to_axe(shape, fragment->vector_length, out, diags);
    case TG_FRAGMENT_SPLAT: break;
    }
    return splat_to_axe(shape, out, diags);
}
