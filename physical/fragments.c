#include "physical/fragments.h"

#include <string.h>

#include "layout/group.h"
#include "layout/read.h"

typedef struct row {
    tg_multiplier multiplier;
    int bits;
    tg_matrix matrix;
    tg_fragment_tile tile;
} row;

static const row table[] = {
#define TG_FRAGMENT(instruction, bits, operand, rows, columns, layout)                             \
    {TG_MULTIPLIER_##instruction, bits, TG_MATRIX_##operand, {rows, columns, layout}},
#include "physical/fragments.def"
};

const tg_fragment_tile *tg_fragment_find(tg_multiplier multiplier, int bits, tg_matrix matrix)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].multiplier == multiplier && table[i].bits == bits && table[i].matrix == matrix)
            return &table[i].tile;
    return NULL;
}

/* ---- tiles ---- */

/* Blocks of the layout of D: tiles along m, rows of a tile, tiles along n, columns of a tile. */
enum { TILES_M, ROWS, TILES_N, COLUMNS };

/* Blocks of the layout of a tile: its rows, its columns. */
static tg_status read_tile(const tg_fragment_tile *tile, tg_groups *out)
{
    tg_axe axe;
    const tg_extents extents = {.rank = 2, .extent = {tile->rows, tile->columns}};
    TG_TRY(tg_axe_read(tile->layout, strlen(tile->layout), &axe, NULL));
    return tg_iters_group(&axe.d, &extents, out, NULL);
}

static tg_status find_tiles(const tg_fragment_tile *tile, int64_t rows, int64_t columns,
                            const tg_axe *axe, tg_groups *out, tg_diags *diags)
{
    if (rows % tile->rows || columns % tile->columns)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%lld x %lld elements are no tiles of %lld x %lld", (long long)rows,
                       (long long)columns, (long long)tile->rows, (long long)tile->columns);
    const tg_extents extents = {
        .rank = 4,
        .extent = {rows / tile->rows, tile->rows, columns / tile->columns, tile->columns}};
    return tg_iters_group(&axe->d, &extents, out, diags);
}

static bool is_register(tg_iter it) { return it.axis == TG_AXIS_reg || it.stride == 0; }

/* The product of the extents of iters first .. end - 1 that are in registers. */
static int64_t registers_in(const tg_iters *d, int first, int end)
{
    int64_t count = 1;
    for (int i = first; i < end; i++)
        if (is_register(d->list[i])) count *= d->list[i].extent;
    return count;
}

/* ---- layouts that are wanted ---- */

/* Tiles in several warps stay there; those in registers of one thread are `reg` registers apart. */
static void put_tiles(const tg_groups *d, int block, int64_t reg, tg_iters *out)
{
    const int end = d->first[block + 1];
    for (int i = d->first[block]; i < end; i++) {
        const tg_iter it = d->d.list[i];
        if (is_register(it))
            tg_iters_put(out, it.extent, reg * registers_in(&d->d, i + 1, end), TG_AXIS_reg);
        else
            tg_iters_put(out, it.extent, it.stride, it.axis);
    }
}

/* All warps that have a tile of the block. */
static void put_copies(const tg_iters *from, int first, int end, tg_iters *out)
{
    for (int i = first; i < end; i++)
        if (!is_register(from->list[i]))
            tg_iters_put(out, from->list[i].extent, from->list[i].stride, from->list[i].axis);
}

static void want_d(const tg_groups *d, const tg_groups *tile, tg_iters *out)
{
    const int blocks[] = {TILES_M, TILES_N};
    for (int dim = 0; dim < 2; dim++) {
        tg_groups_put(d, blocks[dim], out);
        tg_groups_put(tile, dim, out);
    }
}

/* The operand has tiles of D along dimension `own`, 0 for A and 1 for B, and `along_k` tiles along the
 * other one. */
static void want_operand(const tg_groups *d, const tg_groups *tile, int own, int64_t along_k,
                         tg_axe *out)
{
    const int64_t in_tile = registers_in(&tile->d, 0, tile->d.count);
    const int mine = own == 0 ? TILES_M : TILES_N, others = own == 0 ? TILES_N : TILES_M;
    for (int dim = 0; dim < 2; dim++) {
        if (dim == own)
            put_tiles(d, mine, in_tile * along_k, &out->d);
        else
            tg_iters_put(&out->d, along_k, in_tile, TG_AXIS_reg);
        tg_groups_put(tile, dim, &out->d);
    }
    put_copies(&d->d, d->first[others], d->first[others + 1], &out->r);
}

/* Offsets of threads are those of all tiles. */
static tg_status finish(const tg_axe *is, bool keeps_registers, tg_axe *out, tg_diags *diags)
{
    put_copies(&is->r, 0, is->r.count, &out->r);
    for (int a = 0; a < TG_AXIS_COUNT; a++)
        if (a != TG_AXIS_reg || keeps_registers) out->offset[a] = is->offset[a];
    return tg_axe_check(out, diags);
}

tg_status tg_fragment_tiled(const tg_fragment_tile *tile, int64_t rows, int64_t columns,
                            const tg_axe *is, tg_axe *out, tg_diags *diags)
{
    tg_groups tiles, within;
    TG_TRY(find_tiles(tile, rows, columns, is, &tiles, diags));
    TG_TRY(read_tile(tile, &within));
    tg_axe_begin(out);
    want_d(&tiles, &within, &out->d);
    return finish(is, true, out, diags);
}

static tg_status check_sizes(const tg_product_size *size, tg_diags *diags)
{
    static const char *const names[] = {"mma", "wgmma"};
    const tg_fragment_tile *d = tg_fragment_find(size->multiplier, size->bits, TG_MATRIX_D),
                           *a = tg_fragment_find(size->multiplier, size->bits, TG_MATRIX_A);
    if (!d || !a)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no %s of elements of %d bits",
                       names[size->multiplier], size->bits);
    if (size->m % d->rows || size->n % d->columns || size->k % a->columns)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%s of elements of %d bits multiplies %lld x %lld by %lld x %lld, of which "
                       "%lld x %lld by %lld x %lld are no multiples",
                       names[size->multiplier], size->bits, (long long)d->rows,
                       (long long)a->columns, (long long)a->columns, (long long)d->columns,
                       (long long)size->m, (long long)size->k, (long long)size->k,
                       (long long)size->n);
    return TG_OK;
}

tg_status tg_fragment_want(const tg_product_size *size, tg_matrix matrix, const tg_axe *d,
                           tg_axe *out, tg_diags *diags)
{
    TG_TRY(check_sizes(size, diags));
    const tg_fragment_tile *of_d = tg_fragment_find(size->multiplier, size->bits, TG_MATRIX_D),
                           *tile = tg_fragment_find(size->multiplier, size->bits, matrix);
    tg_groups tiles, within;
    if (matrix == TG_MATRIX_D) return tg_fragment_tiled(of_d, size->m, size->n, d, out, diags);
    TG_TRY(find_tiles(of_d, size->m, size->n, d, &tiles, diags));
    TG_TRY(read_tile(tile, &within));
    tg_axe_begin(out);
    want_operand(&tiles, &within, matrix == TG_MATRIX_B,
                 size->k / (matrix == TG_MATRIX_A ? tile->columns : tile->rows), out);
    return finish(d, false, out, diags);
}
