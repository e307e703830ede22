#include "layout/linear/shared.h"

#include <string.h>

#include "layout/linear/reshape.h"
#include "layout/linear/tile.h"

enum { CORE_ROWS = 8, MOST_BOX = 256 }; /* of a tensor copy: indices of a dimension */

static const char *const offset_dims[] = {"offset", NULL};

/* ---- swizzled rows ---- */

/* By how many vectors a row is exchanged. */
static int64_t phase_of(const tg_encoding_node *n, int64_t row)
{
    const int64_t phase = row / n->per_phase % n->max_phase;
    if (n->kind == TG_ENCODING_swizzled_shared) return phase;
    return phase ^ row / n->max_phase / n->per_phase % n->max_phase;
}

/* Adds what the swizzle adds to the bases of rows. */
static void swizzle_rows(const tg_encoding_node *n, int column_bits, int row_bits, tg_linear *tile)
{
    const int64_t columns = INT64_C(1) << column_bits;
    for (int i = 0; i < row_bits; i++) {
        const int64_t moved = n->vec * phase_of(n, INT64_C(1) << i) % columns;
        tile->columns[column_bits + i] |= tg_linear_column(&tile->out, 0, moved);
    }
}

tg_status tg_swizzled_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    tg_linear tile, blocks;
    tg_shape of_block;
    tg_tile_order order;
    if (n->order.rank != shape->rank || n->vec < 1 || n->per_phase < 1 || n->max_phase < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "an order of rank %d, vectors of %lld and phases of %lld and %lld make no "
                       "encoding of rank %d",
                       n->order.rank, (long long)n->vec, (long long)n->per_phase,
                       (long long)n->max_phase, shape->rank);
    TG_TRY(tg_tile_order_of(&n->order, &order, diags));
    TG_TRY(tg_encoding_blocks(encoding, node, shape->rank, &blocks, diags));
    tg_tile_shape_of_block(shape, &blocks, &of_block);
    TG_TRY(tg_tile_begin(offset_dims, &order, &tile, diags));
    TG_TRY(tg_tile_grow_all(&tile, &of_block, &order, -1, "offset", diags));
    if (shape->rank > 1) swizzle_rows(n, tile.out.list[0].bits, tile.out.list[1].bits, &tile);
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

/* ---- core matrices ---- */

/* What one tensor copy brings: at most 256 indices of each dimension, and of the contiguous one exactly
 * the width of the swizzle. */
static tg_status shape_of_copy(const tg_encoding_node *n, const tg_shape *of_block, tg_shape *copy,
                               tg_diags *diags)
{
    const int contiguous = n->transposed ? 0 : of_block->rank - 1, packing = n->fp4_padded ? 2 : 1;
    *copy = *of_block;
    copy->extent[contiguous] *= packing;
    for (int i = 0; i < copy->rank; i++)
        if (copy->extent[i] > MOST_BOX) copy->extent[i] = MOST_BOX;
    if (n->swizzle_bytes) {
        const int64_t width = 8 * n->swizzle_bytes / n->element_bits;
        if (copy->extent[contiguous] < width)
            return tg_fail(
                diags, TG_ERR_INVALID, NULL,
                "the contiguous dimension has %lld elements, fewer than a swizzle of %lld "
                "bytes: %lld",
                (long long)copy->extent[contiguous], (long long)n->swizzle_bytes, (long long)width);
        copy->extent[contiguous] = width;
    }
    copy->extent[contiguous] /= packing;
    return TG_OK;
}

/* The column of a padded element: of 16, the last 8 stand for the first 8. */
static int64_t packed(const tg_encoding_node *n, int64_t column)
{
    return n->fp4_padded ? column / 16 * 8 + column % 8 : column;
}

/* 8 rows of the width of the swizzle: offset -> dim0 (row), dim1 (column). */
static tg_status make_core(const tg_encoding_node *n, tg_linear *core, tg_diags *diags)
{
    const int64_t columns = 8 * n->swizzle_bytes / n->element_bits;
    const int64_t vector = 128 / n->element_bits, per_phase = 128 / n->swizzle_bytes;
    const int64_t phases = n->swizzle_bytes / 16;
    int column_bits;
    TG_TRY(tg_linear_size_bits(columns, &column_bits, diags));
    tg_linear_begin(core);
    TG_TRY(tg_linear_add_dim(&core->in, "offset", column_bits + 3, diags));
    TG_TRY(tg_linear_add_dim(&core->out, tg_tile_dim(0), 3, diags));
    TG_TRY(tg_linear_add_dim(&core->out, tg_tile_dim(1), column_bits - (n->fp4_padded ? 1 : 0),
                             diags));
    for (int i = 0; i < column_bits; i++)
        core->columns[i] = tg_linear_column(&core->out, 1, packed(n, INT64_C(1) << i));
    for (int i = 0; i < 3; i++) {
        const int64_t row = INT64_C(1) << i, moved = vector * (row / per_phase % phases);
        core->columns[column_bits + i] = tg_linear_column(&core->out, 0, row) |
                                         tg_linear_column(&core->out, 1, packed(n, moved));
    }
    return TG_OK;
}

/* Splits the rows of a layout to dim0 (rows), dim1 (columns) by the first rank - 1 extents. */
static tg_status split_rows(tg_linear *tile, const tg_shape *to, tg_diags *diags)
{
    tg_linear_dims dims = {0};
    TG_TRY(tg_tile_reorder(tile, tg_tile_row_major(2, true), diags));
    for (int i = to->rank - 1; i >= 0; i--) {
        int bits;
        TG_TRY(tg_linear_size_bits(to->extent[i], &bits, diags));
        TG_TRY(tg_linear_add_dim(&dims, tg_tile_dim(i), bits, diags));
    }
    return tg_linear_reshape_outs(tile, &dims, diags);
}

/* The shape with the first dimension last, as it is in memory. */
static tg_shape rotated(const tg_shape *shape)
{
    tg_shape out = *shape;
    for (int i = 0; i < shape->rank; i++) out.extent[i] = shape->extent[(i + 1) % shape->rank];
    return out;
}

/* Dimension i of a rotated layout becomes dimension i + 1, and the last one dimension 0. */
static void rotate_back(tg_linear *tile, int rank)
{
    for (int o = 0; o < tile->out.count; o++)
        for (int i = 0; i < rank; i++)
            if (strcmp(tile->out.list[o].name, tg_tile_dim(i)) == 0) {
                strcpy(tile->out.list[o].name, tg_tile_dim((i + 1) % rank));
                break;
            }
}

static tg_status plain(const tg_encoding_node *n, const tg_shape *copy, tg_linear *tile,
                       tg_diags *diags)
{
    const tg_tile_order order = tg_tile_row_major(copy->rank, true);
    const tg_shape in_memory = n->transposed ? rotated(copy) : *copy;
    TG_TRY(tg_tile_begin(offset_dims, &order, tile, diags));
    return tg_tile_grow_all(tile, &in_memory, &order, -1, "offset", diags);
}

static tg_status swizzled(const tg_encoding_node *n, const tg_shape *copy, tg_linear *tile,
                          tg_diags *diags)
{
    int64_t most = 1;
    const int64_t last = copy->extent[copy->rank - 1];
    for (int i = 0; i + 1 < copy->rank; i++) most *= copy->extent[i];
    const tg_shape flat = {.rank = 2,
                           .extent = {n->transposed ? last : most, n->transposed ? most : last}};
    const tg_shape in_memory = n->transposed ? rotated(copy) : *copy;
    TG_TRY(make_core(n, tile, diags));
    if (flat.extent[0] < CORE_ROWS)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there are %lld rows; a core matrix has %d",
                       (long long)flat.extent[0], CORE_ROWS);
    TG_TRY(tg_tile_not_smaller(tile, &flat, diags));
    return split_rows(tile, &in_memory, diags);
}

static tg_status check_nvmma(const tg_encoding_node *n, const tg_shape *shape, tg_diags *diags)
{
    const int64_t bytes = n->swizzle_bytes, bits = n->element_bits;
    if (bytes != 0 && bytes != 32 && bytes != 64 && bytes != 128)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "a swizzle has 0, 32, 64 or 128 bytes, not %lld", (long long)bytes);
    if (bits < 4 || bits > 128 || (bits & (bits - 1)))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an element has 4 to 128 bits, not %lld",
                       (long long)bits);
    if (n->fp4_padded && (bits != 8 || bytes != 128))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "padded elements of 4 bits are bytes, with a swizzle of 128");
    if (bytes && shape->rank < 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no swizzle of rank 1");
    return TG_OK;
}

tg_status tg_nvmma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                             tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    tg_linear tile, blocks;
    tg_shape of_block, copy;
    TG_TRY(check_nvmma(n, shape, diags));
    TG_TRY(tg_encoding_blocks(encoding, node, shape->rank, &blocks, diags));
    tg_tile_shape_of_block(shape, &blocks, &of_block);
    TG_TRY(shape_of_copy(n, &of_block, &copy, diags));
    TG_TRY(n->swizzle_bytes ? swizzled(n, &copy, &tile, diags) : plain(n, &copy, &tile, diags));
    if (n->transposed) rotate_back(&tile, shape->rank);
    /* Further copies follow along dimension 0 first; without a swizzle, along the last one. */
    if (n->swizzle_bytes) {
        tg_tile_order standard = {.rank = shape->rank};
        for (int i = 0; i < standard.rank; i++) standard.dims[i] = i;
        TG_TRY(tg_tile_reorder(&tile, standard, diags));
    }
    TG_TRY(tg_tile_not_smaller(&tile, &of_block, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}
