#include "layout/linear/tensor_memory.h"

#include "layout/linear/product.h"
#include "layout/linear/tile.h"

static const char *const cell_dims[] = {"row", "col", NULL};
static tg_status check(const tg_encoding_node *n, const tg_shape *shape, tg_diags *diags)
{
    int bits;
    if (shape->rank != 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "tensor memory is not of rank %d", shape->rank);
    if (n->block_m != 64 && n->block_m != 128)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "blockM is 64 or 128, not %lld",
                       (long long)n->block_m);
    TG_TRY(tg_linear_size_bits(n->column_stride, &bits, diags));
    return tg_linear_size_bits(n->block_n, &bits, diags);
}

/* One block: 2^7 rows of cells, as many columns as it takes.  Of 64 rows, the first 16 of each warp are
 * those of the block, and the other 16 are whatever follows it, down, or else to the right, or nothing;
 * of two blocks that work together, the upper 64 rows have the right half. */
static tg_status make_block(const tg_encoding_node *n, const tg_shape *shape, tg_linear *tile,
                            tg_diags *diags)
{
    int stride_bits, n_bits;
    const int64_t width = n->block_n < shape->extent[1] ? n->block_n : shape->extent[1];
    const bool is_half = n->block_m == 64, is_pair = is_half && n->two_ctas;
    const bool goes_down = is_half && !is_pair && shape->extent[0] > n->block_m;
    const bool goes_right = is_half && !is_pair && !goes_down && shape->extent[1] > width;
    TG_TRY(tg_linear_size_bits(n->column_stride, &stride_bits, diags));
    TG_TRY(tg_linear_size_bits(width, &n_bits, diags));
    if (is_pair && n_bits == 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "one column cannot be split between two blocks");
    tg_linear_begin(tile);
    TG_TRY(tg_linear_add_dim(&tile->in, "row", 7, diags));
    TG_TRY(tg_linear_add_dim(&tile->in, "col", stride_bits + n_bits - is_pair, diags));
    TG_TRY(tg_linear_add_dim(&tile->out, tg_tile_dim(0), is_half && !goes_down ? 6 : 7, diags));
    TG_TRY(tg_linear_add_dim(&tile->out, tg_tile_dim(1), n_bits + goes_right, diags));
    for (int i = 0; i < n_bits - is_pair; i++)
        tg_linear_set_basis(tile, 1, stride_bits + i, 1, INT64_C(1) << i);
    const int special = is_pair ? 6 : is_half ? 4 : 7;
    for (int i = 0, row = 0; i < 7; i++)
        if (i != special) tg_linear_set_basis(tile, 0, i, 0, INT64_C(1) << row++);
    if (goes_down) tg_linear_set_basis(tile, 0, special, 0, 64);
    if (goes_right) tg_linear_set_basis(tile, 0, special, 1, width);
    if (is_pair) tg_linear_set_basis(tile, 0, special, 1, width / 2);
    return TG_OK;
}

/* How often a tile fits; at least once. */
static tg_status repetitions(const tg_linear *tile, const tg_shape *shape, int dim, int64_t *times,
                             tg_diags *diags)
{
    *times = shape->extent[dim] >> tile->out.list[dim].bits;
    if (*times) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "dimension %d has %lld indices; a block of tensor memory has 2^%d", dim,
                   (long long)shape->extent[dim], tile->out.list[dim].bits);
}

tg_status tg_tensor_memory_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                     tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    tg_linear tile, blocks;
    tg_shape of_block;
    int64_t rows, columns;
    TG_TRY(check(n, shape, diags));
    TG_TRY(tg_encoding_blocks(encoding, node, 2, &blocks, diags));
    tg_tile_shape_of_block(shape, &blocks, &of_block);
    TG_TRY(make_block(n, &of_block, &tile, diags));
    TG_TRY(repetitions(&tile, &of_block, 0, &rows, diags));
    TG_TRY(repetitions(&tile, &of_block, 1, &columns, diags));
    TG_TRY(tg_tile_grow(&tile, rows, "col", 0, diags));
    TG_TRY(tg_tile_grow(&tile, columns, "col", 1, diags));
    return tg_linear_product(&tile, &blocks, out, diags);
}

tg_status tg_tensor_memory_scales_to_linear(const tg_encoding *encoding, int node,
                                            const tg_shape *shape, tg_linear *out, tg_diags *diags)
{
    static const tg_tile_order standard = {2, {0, 1}};
    tg_linear tile, blocks;
    tg_shape of_block;
    if (shape->rank != 2)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "scale factors are not of rank %d",
                       shape->rank);
    TG_TRY(tg_encoding_blocks(encoding, node, 2, &blocks, diags));
    tg_tile_shape_of_block(shape, &blocks, &of_block);
    TG_TRY(tg_tile_begin(cell_dims, &standard, &tile, diags));
    TG_TRY(tg_tile_grow(&tile, 32, "row", 0, diags));
    TG_TRY(tg_tile_repeat(&tile, 4, "row", 0, diags));
    TG_TRY(tg_tile_grow(&tile, 4, "col", 1, diags));
    TG_TRY(tg_tile_grow(&tile, 2, "col", 0, diags));
    if (of_block.extent[0] > 64)
        TG_TRY(tg_tile_grow(&tile, of_block.extent[0] / 64, "col", 0, diags));
    if (of_block.extent[1] > 4)
        TG_TRY(tg_tile_grow(&tile, of_block.extent[1] / 4, "col", 1, diags));
    TG_TRY(tg_tile_not_larger(&tile, &of_block, diags));
    return tg_linear_product(&tile, &blocks, out, diags);
}
