#include "layout/linear/amd.h"

#include <string.h>

#include "layout/linear/product.h"
#include "layout/linear/resize.h"
#include "layout/linear/tile.h"

enum { WAVE_MFMA = 64, WAVE_WMMA = 32, ROWS_WMMA = 16 };

static const char *const thread_dims[] = {"register", "lane", "warp", NULL};
static const char *const no_dims[] = {NULL};

/* ---- mfma ---- */

/* m and n of the instruction: 32 x 32, 16 x 16, 64 x 4 or 4 x 64. */
static tg_status check_mfma(const tg_encoding_node *n, const tg_shape *shape, tg_diags *diags)
{
    const int rank = shape->rank;
    if (rank != 2 && rank != 3)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "mfma is not of rank %d", rank);
    if (n->warps_per_cta.rank != rank || n->instr_shape.rank < 2 ||
        (n->tiles_per_warp.rank != 0 && n->tiles_per_warp.rank < rank))
        return tg_fail(
            diags, TG_ERR_INVALID, NULL,
            "%d, %d and %d numbers of warps, of the instruction and of tiles do not make an "
            "encoding of rank %d",
            n->warps_per_cta.rank, n->instr_shape.rank, n->tiles_per_warp.rank, rank);
    const int64_t rows = n->instr_shape.extent[0], columns = n->instr_shape.extent[1];
    const bool is_square = rows == columns && (rows == 32 || rows == 16);
    if (!is_square && !(rows == 64 && columns == 4) && !(rows == 4 && columns == 64))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "mfma has no instruction of %lld x %lld",
                       (long long)rows, (long long)columns);
    if (rows == 64 && columns == 4 && !n->transposed)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "mfma of 64 x 4 is always transposed");
    for (int i = 0; i < rank; i++) {
        int bits;
        TG_TRY(tg_linear_size_bits(n->warps_per_cta.extent[i], &bits, diags));
        if (n->tiles_per_warp.rank)
            TG_TRY(tg_linear_size_bits(n->tiles_per_warp.extent[i], &bits, diags));
    }
    return TG_OK;
}

static int64_t tiles_of(const tg_encoding_node *n, int dim)
{
    return n->tiles_per_warp.rank ? n->tiles_per_warp.extent[dim] : 1;
}

/* One instruction: `height` registers along one dimension, lanes along the other, the rest of the lanes
 * and of the registers along the first again. */
static tg_status make_mfma(const tg_encoding_node *n, int rank, tg_linear *tile, tg_diags *diags)
{
    const tg_tile_order order = tg_tile_row_major(rank, true);
    const int height = n->element_bits == 64 ? 1 : 4;
    const int rows = rank - 2, columns = rank - 1;
    const int along = n->transposed ? columns : rows, across = n->transposed ? rows : columns;
    const int64_t wide = n->instr_shape.extent[n->transposed ? 0 : 1];
    const int64_t all = n->instr_shape.extent[0] * n->instr_shape.extent[1];
    TG_TRY(tg_tile_begin(thread_dims, &order, tile, diags));
    TG_TRY(tg_tile_grow(tile, height, "register", along, diags));
    TG_TRY(tg_tile_grow(tile, wide, "lane", across, diags));
    TG_TRY(tg_tile_grow(tile, WAVE_MFMA / wide, "lane", along, diags));
    return tg_tile_grow(tile, all / (WAVE_MFMA * height), "register", along, diags);
}

tg_status tg_mfma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                            tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    const int rank = shape->rank, rows = rank - 2, columns = rank - 1;
    tg_linear tile, blocks;
    TG_TRY(check_mfma(n, shape, diags));
    TG_TRY(make_mfma(n, rank, &tile, diags));
    /* Tiles follow each other along the columns of the whole tensor first. */
    const int64_t warps = n->warps_per_cta.extent[columns], tiles = tiles_of(n, columns);
    const int64_t times = shape->extent[columns] / (n->instr_shape.extent[1] * warps * tiles);
    TG_TRY(tg_tile_grow(&tile, tiles, "register", columns, diags));
    TG_TRY(tg_tile_grow(&tile, warps, "warp", columns, diags));
    TG_TRY(tg_tile_grow(&tile, times, "register", columns, diags));
    TG_TRY(tg_tile_grow(&tile, tiles_of(n, rows), "register", rows, diags));
    TG_TRY(tg_tile_grow(&tile, n->warps_per_cta.extent[rows], "warp", rows, diags));
    if (rank == 3) TG_TRY(tg_tile_grow(&tile, n->warps_per_cta.extent[0], "warp", 0, diags));
    TG_TRY(tg_encoding_blocks(encoding, node, rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

tg_status tg_mfma_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                    tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *dot = &encoding->nodes[node], *n = &encoding->nodes[dot->parent];
    const int rank = shape->rank, k = dot->op_index == 0 ? rank - 1 : rank - 2;
    const int other = dot->op_index == 0 ? rank - 2 : rank - 1;
    const tg_tile_order order = tg_tile_k_first(rank, dot->op_index);
    const tg_tile_order warp_order = tg_tile_row_major(rank, true);
    tg_linear tile, blocks;
    TG_TRY(check_mfma(n, shape, diags));
    const int64_t lanes = n->instr_shape.extent[dot->op_index];
    /* The 64 x 64 operand of a narrow instruction takes 16 steps along k. */
    const int64_t steps = lanes == 64 ? 16 : 1;
    const int64_t depth = WAVE_MFMA / lanes * dot->k_width * steps;
    TG_TRY(tg_tile_begin(thread_dims, &order, &tile, diags));
    TG_TRY(tg_tile_grow(&tile, dot->k_width, "register", k, diags));
    TG_TRY(tg_tile_grow(&tile, lanes, "lane", other, diags));
    TG_TRY(tg_tile_grow(&tile, WAVE_MFMA / lanes, "lane", k, diags));
    TG_TRY(tg_tile_grow(&tile, steps, "register", k, diags));
    if (shape->extent[k] > depth && depth > 0)
        TG_TRY(tg_tile_grow(&tile, shape->extent[k] / depth, "register", k, diags));
    TG_TRY(tg_tile_grow(&tile, tiles_of(n, other), "register", other, diags));
    TG_TRY(tg_tile_grow_all(&tile, &n->warps_per_cta, &warp_order, -1, "warp", diags));
    TG_TRY(tg_encoding_blocks(encoding, node, rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

/* ---- wmma ---- */

static int64_t wmma_size(const tg_encoding_node *n, int dim)
{
    return n->instr_shape.rank ? n->instr_shape.extent[dim] : ROWS_WMMA;
}

static tg_status check_wmma(const tg_encoding_node *n, const tg_shape *shape, tg_diags *diags)
{
    if (shape->rank != 2 && shape->rank != 3)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "wmma is not of rank %d", shape->rank);
    if (n->version < 1 || n->version > 3)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "wmma has versions 1 to 3, not %lld",
                       (long long)n->version);
    if (n->instr_shape.rank != 0 && n->instr_shape.rank != 3)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the shape of an instruction of wmma has %d numbers", n->instr_shape.rank);
    return TG_OK;
}

/* ctaLayout, with all dimensions of the tensor: what its warps and registers repeat. */
static tg_status repetitions(const tg_encoding_node *n, int rank, tg_linear *out, tg_diags *diags)
{
    const tg_linear *layout = &n->layout;
    for (int i = 0; i < layout->in.count; i++)
        if (strcmp(layout->in.list[i].name, "register") != 0 &&
            strcmp(layout->in.list[i].name, "warp") != 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "ctaLayout is of registers and warps, not of %s",
                           layout->in.list[i].name);
    *out = *layout;
    if (tg_linear_bit_count(&out->in) == 0)
        while (out->out.count < rank)
            TG_TRY(tg_linear_add_dim(&out->out, tg_tile_dim(out->out.count), 0, diags));
    if (out->out.count == rank) return TG_OK;
    return tg_fail(diags, TG_ERR_INVALID, NULL,
                   "the bases of ctaLayout have %d numbers, but the tensor has rank %d",
                   out->out.count, rank);
}

/* A basis of one in dimension that leads along two dimensions of the tensor at most. */
static void put(tg_linear *tile, int bit, int dim, int64_t value)
{
    const int out = tg_linear_find_dim(&tile->out, tg_tile_dim(dim));
    tile->columns[bit] |= tg_linear_column(&tile->out, out, value);
}

/* One instruction: 16 lanes along one dimension; registers and the last lane bit along the other, which
 * has 16 indices, or 32 in an instruction of 32 x 16. */
static tg_status make_wmma(const tg_encoding_node *n, const tg_tile_order *order, tg_linear *tile,
                           tg_diags *diags)
{
    const int rank = order->rank;
    const int across = n->transposed ? rank - 2 : rank - 1,
              along = n->transposed ? rank - 1 : rank - 2;
    const bool is_tall = n->version > 1 && wmma_size(n, 0) == 32 && wmma_size(n, 1) == 16;
    const int registers = is_tall ? 4 : 3;
    TG_TRY(tg_tile_begin(no_dims, order, tile, diags));
    TG_TRY(tg_linear_add_dim(&tile->in, "register", registers, diags));
    TG_TRY(tg_linear_add_dim(&tile->in, "lane", 5, diags));
    TG_TRY(tg_linear_add_dim(&tile->in, "warp", 0, diags));
    tile->out.list[tg_linear_find_dim(&tile->out, tg_tile_dim(across))].bits = 4;
    tile->out.list[tg_linear_find_dim(&tile->out, tg_tile_dim(along))].bits = is_tall ? 5 : 4;
    for (int i = 0; i < 4; i++) put(tile, registers + i, across, 1 << i);
    /* Version 1 has every other row in the upper lanes, later ones the rows from 8 on. */
    for (int i = 0; i < 3; i++) put(tile, i, along, n->version == 1 ? 2 << i : 1 << i);
    put(tile, registers + 4, along, n->version == 1 ? 1 : 8);
    if (is_tall) put(tile, 3, along, 16);
    return TG_OK;
}

tg_status tg_wmma_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                            tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *n = &encoding->nodes[node];
    const tg_tile_order standard = {shape->rank, {0, 1, 2}};
    tg_linear tile, repeated, blocks;
    TG_TRY(check_wmma(n, shape, diags));
    TG_TRY(make_wmma(n, &standard, &tile, diags));
    TG_TRY(repetitions(n, shape->rank, &repeated, diags));
    TG_TRY(tg_linear_product(&tile, &repeated, &tile, diags));
    TG_TRY(tg_tile_reorder(&tile, tg_tile_row_major(shape->rank, true), diags));
    TG_TRY(tg_encoding_blocks(encoding, node, shape->rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}

/* What repeats along k does not matter to an operand. */
static tg_status without_k(tg_linear *repeated, int k, tg_diags *diags)
{
    TG_TRY(tg_linear_resize_out(repeated, tg_tile_dim(k), 1, diags));
    return tg_linear_find_dim(&repeated->in, "register") < 0
               ? TG_OK
               : tg_linear_remove_zeros(repeated, "register", diags);
}

tg_status tg_wmma_operand_to_linear(const tg_encoding *encoding, int node, const tg_shape *shape,
                                    tg_linear *out, tg_diags *diags)
{
    const tg_encoding_node *dot = &encoding->nodes[node], *n = &encoding->nodes[dot->parent];
    const int rank = shape->rank, k = dot->op_index == 0 ? rank - 1 : rank - 2;
    const int other = dot->op_index == 0 ? rank - 2 : rank - 1;
    const tg_tile_order standard = {rank, {0, 1, 2}};
    const int64_t halves = WAVE_WMMA / ROWS_WMMA, rows = wmma_size(n, 0), columns = wmma_size(n, 1);
    /* A transposed instruction that is not square exchanges its operands. */
    const bool is_flipped = n->transposed && rows != columns;
    const int64_t size = (dot->op_index == 0) != is_flipped ? rows : columns;
    tg_linear tile, repeated, blocks;
    TG_TRY(check_wmma(n, shape, diags));
    if (dot->k_width < 1)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "an operand of wmma has a kWidth");
    TG_TRY(tg_tile_begin(thread_dims, &standard, &tile, diags));
    TG_TRY(tg_tile_grow(&tile, dot->k_width, "register", k, diags));
    TG_TRY(tg_tile_grow(&tile, ROWS_WMMA, "lane", other, diags));
    TG_TRY((n->version == 1 ? tg_tile_repeat : tg_tile_grow)(&tile, halves, "lane", k, diags));
    TG_TRY(tg_tile_grow(&tile, wmma_size(n, 2) / (halves * dot->k_width), "register", k, diags));
    TG_TRY(tg_tile_grow(&tile, size / ROWS_WMMA, "register", other, diags));
    TG_TRY(repetitions(n, rank, &repeated, diags));
    TG_TRY(without_k(&repeated, k, diags));
    TG_TRY(tg_linear_product(&tile, &repeated, &tile, diags));
    TG_TRY(tg_tile_reorder(&tile, tg_tile_k_first(rank, dot->op_index), diags));
    TG_TRY(tg_encoding_blocks(encoding, node, rank, &blocks, diags));
    return tg_tile_fit(&tile, &blocks, shape, out, diags);
}
