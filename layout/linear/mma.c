#include "layout/linear/mma.h"

#include "layout/linear/product.h"
#include "layout/linear/tile.h"

static const char *const thread_dims[] = {"register", "lane", "warp", NULL};

/* A tile of m x n elements, n along the fastest dimension: 4 lanes of k_width elements in a row, 8 rows of
 * lanes, then as many registers as it takes. */
static tg_status make_tile(int64_t m, int64_t n, int64_t k_width, const tg_tile_order *order,
                           tg_linear *tile, tg_diags *diags)
{
    const int inner = order->dims[0], outer = order->dims[1];
    if (k_width < 1 || m % 8 || n % (4 * k_width) || m < 8 || n < 4 * k_width)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an instruction of %lld x %lld has no rows of 4 lanes with %lld elements "
                       "each, 8 at a time",
                       (long long)m, (long long)n, (long long)k_width);
    TG_TRY(tg_tile_begin(thread_dims, order, tile, diags));
    TG_TRY(tg_tile_grow(tile, k_width, "register", inner, diags));
    TG_TRY(tg_tile_grow(tile, 4, "lane", inner, diags));
    TG_TRY(tg_tile_grow(tile, 8, "lane", outer, diags));
    TG_TRY(tg_tile_grow(tile, m / 8, "register", outer, diags));
    return tg_tile_grow(tile, n / (4 * k_width), "register", inner, diags);
}

/* The instruction has m, n and, from version 3 on, k; before that, all dimensions of the result. */
static tg_status check(const tg_encoding_node *n, const tg_shape *shape, tg_diags *diags)
{
    if (n->version != 2 && n->version != 3)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "there is no formula for version %lld of the instruction",
                       (long long)n->version);
    const int rank = n->version == 3 ? 3 : shape->rank;
    if (shape->rank < 2 || (n->version == 3 && shape->rank != 2))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "version %lld is not of rank %d",
                       (long long)n->version, shape->rank);
    if (n->warps_per_cta.rank != shape->rank || n->instr_shape.rank != rank)
        return tg_fail(
            diags, TG_ERR_INVALID, NULL,
            "%d and %d numbers of warps and of the instruction do not make an encoding of "
            "rank %d",
            n->warps_per_cta.rank, n->instr_shape.rank, shape->rank);
    return TG_OK;
}

tg_status tg_mma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                           tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    const int rank = shape->rank, first = n->version == 3 ? 0 : rank - 2;
    tg_linear tile, blocks;
    TG_TRY(check(n, shape, diags));
    const tg_tile_order order = tg_tile_row_major(rank, true);
    const tg_tile_order warp_order = tg_tile_row_major(rank, n->version != 3);
    TG_TRY(make_tile(n->instr_shape.extent[first], n->instr_shape.extent[first + 1], 2, &order,
                     &tile, diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->warps_per_cta, &warp_order, -1, "warp", diags));
    TG_TRY(tg_encoding_blocks(encoding, node, rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

tg_status tg_mma_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                   tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *dot = &encoding->nodes[node], *n = &encoding->nodes[dot->parent];
    const int rank = shape->rank, k_dim = dot->op_index == 0 ? rank - 1 : rank - 2;
    tg_linear tile, blocks;
    TG_TRY(check(n, shape, diags));
    if (n->version == 3 && dot->op_index != 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "operand 1 of version 3 is in shared memory, not in registers");
    const int64_t m = n->instr_shape.extent[n->version == 3 ? 0 : rank - 2];
    /* The instruction of 8 rows, of 64-bit floats, has half the depth. */
    const int64_t k = dot->k_width * (m == 8 ? 4 : 8);
    const tg_tile_order order = tg_tile_k_first(rank, dot->op_index);
    const tg_tile_order warp_order = tg_tile_row_major(rank, n->version != 3);
    TG_TRY(make_tile(dot->op_index == 0 ? m : 8, k, dot->k_width, &order, &tile, diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->warps_per_cta, &warp_order, k_dim, "warp", diags));
    TG_TRY(tg_encoding_blocks(encoding, node, rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

/* Lanes of a quad have the same scale; of operand 0, two of them have those of rows 8 further. */
static tg_status put_scale_lanes(int op_index, tg_linear *tile, tg_diags *diags)
{
    tg_linear lanes = {0};
    TG_TRY(tg_linear_add_dim(&lanes.in, "lane", 5, diags));
    TG_TRY(tg_linear_add_dim(&lanes.out, tg_tile_dim(0), op_index == 0 ? 4 : 3, diags));
    if (op_index == 0) lanes.columns[0] = 8;
    for (int i = 0; i < 3; i++) lanes.columns[2 + i] = UINT64_C(1) << i;
    return tg_linear_product(tile, &lanes, tile, diags);
}

tg_status tg_mma_scales_to_linear(const tg_shape *shape, int op_index,
                                  const tg_shape *warps_per_cta, tg_linear *out, tg_diags *diags)
{
    const tg_tile_order order = {2, {1, 0}};
    const tg_encoding one_block = {.count = 1};
    tg_linear tile, blocks;
    if (shape->rank != 2 || warps_per_cta->rank != 2 || op_index < 0 || op_index > 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "scale factors of operand 0 or 1 are of rank 2, and so are the warps");
    const tg_tile_order warp_order = op_index == 0 ? order : tg_tile_row_major(2, false);
    tg_shape warps = *warps_per_cta;
    if (op_index == 1) {
        warps.extent[0] = warps_per_cta->extent[1];
        warps.extent[1] = warps_per_cta->extent[0];
    }
    TG_TRY(tg_tile_begin(thread_dims, &order, &tile, diags));
    TG_TRY(tg_tile_grow(&tile, shape->extent[1], "register", 1, diags));
    TG_TRY(put_scale_lanes(op_index, &tile, diags));
    TG_TRY(tg_tile_grow_all(&tile, &warps, &warp_order, 1, "warp", diags));
    TG_TRY(tg_encoding_blocks(&one_block, 0, 2, &blocks, diags));
    for (int i = 0; i < 2; i++) {
        int bits;
        TG_TRY(tg_linear_size_bits(shape->extent[i], &bits, diags));
    }
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}
