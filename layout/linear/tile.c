#include "layout/linear/tile.h"

#include <stdlib.h>
#include <string.h>

#include "layout/linear/make.h"
#include "layout/linear/product.h"
#include "layout/linear/reshape.h"
#include "layout/linear/resize.h"

_Static_assert(TG_SHAPE_MAX_RANK == 16, "there are 16 names of dimensions");

const char *tg_tile_dim(int dim)
{
    static const char *const names[] = {"dim0",  "dim1",  "dim2",  "dim3", "dim4",  "dim5",
                                        "dim6",  "dim7",  "dim8",  "dim9", "dim10", "dim11",
                                        "dim12", "dim13", "dim14", "dim15"};
    return names[dim];
}

tg_tile_order tg_tile_row_major(int rank, bool is_row_major)
{
    tg_tile_order order = {.rank = rank};
    for (int i = 0; i < rank; i++) order.dims[i] = rank - 1 - i;
    if (!is_row_major && rank >= 2) {
        order.dims[0] = rank - 2;
        order.dims[1] = rank - 1;
    }
    return order;
}

tg_tile_order tg_tile_k_first(int rank, int64_t op_index)
{
    return tg_tile_row_major(rank, op_index == 0);
}

tg_status tg_tile_order_of(const tg_shape *list, tg_tile_order *order, tg_diags *diags)
{
    uint32_t seen = 0;
    order->rank = list->rank;
    for (int i = 0; i < list->rank; i++) {
        const int64_t dim = list->extent[i];
        if (dim < 0 || dim >= list->rank || seen >> dim & 1)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "an order is no permutation of its %d dimensions: %lld", list->rank,
                           (long long)dim);
        seen |= UINT32_C(1) << dim;
        order->dims[i] = (int)dim;
    }
    return TG_OK;
}

/* ---- growth ---- */

tg_status tg_tile_begin(const char *const *ins, const tg_tile_order *order, tg_linear *tile,
                        tg_diags *diags)
{
    tg_linear_begin(tile);
    for (; *ins; ins++) TG_TRY(tg_linear_add_dim(&tile->in, *ins, 0, diags));
    for (int i = 0; i < order->rank; i++)
        TG_TRY(tg_linear_add_dim(&tile->out, tg_tile_dim(order->dims[i]), 0, diags));
    return TG_OK;
}

tg_status tg_tile_grow(tg_linear *tile, int64_t size, const char *in, int dim, tg_diags *diags)
{
    return tg_linear_times_identity(tile, size, in, tg_tile_dim(dim), diags);
}

tg_status tg_tile_repeat(tg_linear *tile, int64_t size, const char *in, int dim, tg_diags *diags)
{
    tg_linear zeros;
    TG_TRY(tg_linear_zeros(size, in, tg_tile_dim(dim), 1, &zeros, diags));
    return tg_linear_product(tile, &zeros, tile, diags);
}

tg_status tg_tile_grow_all(tg_linear *tile, const tg_shape *sizes, const tg_tile_order *order,
                           int repeated, const char *in, tg_diags *diags)
{
    for (int i = 0; i < order->rank; i++) {
        const int dim = order->dims[i];
        TG_TRY((dim == repeated ? tg_tile_repeat : tg_tile_grow)(tile, sizes->extent[dim], in, dim,
                                                                 diags));
    }
    return TG_OK;
}

tg_status tg_tile_reorder(tg_linear *tile, tg_tile_order order, tg_diags *diags)
{
    const char *names[TG_SHAPE_MAX_RANK];
    for (int i = 0; i < order.rank; i++) names[i] = tg_tile_dim(order.dims[i]);
    return tg_linear_transpose_outs(tile, names, order.rank, diags);
}

/* ---- fitting ---- */

static int64_t size_of(const tg_linear_dims *dims, const char *name)
{
    const int dim = tg_linear_find_dim(dims, name);
    return dim < 0 ? 1 : INT64_C(1) << dims->list[dim].bits;
}

void tg_tile_shape_of_block(const tg_shape *shape, const tg_linear *blocks, tg_shape *out)
{
    out->rank = shape->rank;
    for (int i = 0; i < shape->rank; i++) {
        const int64_t parts = size_of(&blocks->out, tg_tile_dim(i));
        out->extent[i] = shape->extent[i] > parts ? shape->extent[i] / parts : 1;
    }
}

/* The number of an out dimension named "dim3". */
static int number_of(const tg_linear_dim *dim) { return atoi(dim->name + strlen("dim")); }

tg_status tg_tile_not_smaller(tg_linear *tile, const tg_shape *shape, tg_diags *diags)
{
    for (int o = 0; o < tile->out.count; o++) {
        const int dim = number_of(&tile->out.list[o]);
        const int64_t times = shape->extent[dim] >> tile->out.list[o].bits;
        if (times > 1) TG_TRY(tg_tile_grow(tile, times, tile->in.list[0].name, dim, diags));
    }
    return TG_OK;
}

tg_status tg_tile_not_larger(tg_linear *tile, const tg_shape *shape, tg_diags *diags)
{
    for (int o = 0; o < tile->out.count; o++) {
        const int64_t extent = shape->extent[number_of(&tile->out.list[o])];
        if (extent >> tile->out.list[o].bits == 0)
            TG_TRY(tg_linear_resize_out(tile, tile->out.list[o].name, extent, diags));
    }
    return TG_OK;
}

tg_status tg_tile_fit(const tg_linear *tile, const tg_linear *blocks, const tg_shape *shape,
                      tg_linear *out, tg_diags *diags)
{
    tg_linear cut = *blocks, made = *tile;
    tg_shape of_block;
    const char *names[TG_SHAPE_MAX_RANK];
    TG_TRY(tg_tile_not_larger(&cut, shape, diags));
    tg_tile_shape_of_block(shape, &cut, &of_block);
    TG_TRY(tg_tile_not_smaller(&made, &of_block, diags));
    TG_TRY(tg_tile_not_larger(&made, &of_block, diags));
    for (int o = 0; o < made.out.count; o++) names[o] = made.out.list[o].name;
    TG_TRY(tg_linear_transpose_outs(&cut, names, made.out.count, diags));
    TG_TRY(tg_linear_product(&made, &cut, out, diags));
    tg_tile_order standard = {.rank = shape->rank};
    for (int i = 0; i < standard.rank; i++) standard.dims[i] = i;
    return tg_tile_reorder(out, standard, diags);
}
